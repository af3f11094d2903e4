/** A process that is killed while its model words the reply to somebody in danger: `killed-child.ts <database> <text>`. Says so when that is asked. */
import { createRuntime, openStore } from "../../../packages/throughline/src/index.ts";
import { gated, saying } from "./harness.ts";

const [location = "", text = ""] = process.argv.slice(2);
const model = {
  name: "hanging",
  async *stream() {
    process.stdout.write("asked\n");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    yield { type: "text_delta" as const, text: "" };
  },
};
const { agent } = gated({ classifier: saying({ level: 2, reason_code: "ideation", risk_types: ["suicide"] }) }, { model });
const runtime = await createRuntime({ store: await openStore(location), agents: [agent], leaseMs: 500, heartbeatMs: 100 });
const session = await runtime.sessions.open({ agent: "companion", customer: "ann" });
await session.send(text);
