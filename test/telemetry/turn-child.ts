/** A process that answers with traces: `location`, `collector`, and `hang` or `answer`. With `hang` its model never answers, and its process is killed. */
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { z } from "zod";
import { createRuntime, defineAgent, defineState, input, loop, openStore, stage, type Model } from "../../packages/throughline/src/index.ts";
import { telemetry } from "../../packages/throughline/src/telemetry.ts";

const [location = "", url = "", role = "answer"] = process.argv.slice(2);
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url }))] });
provider.register();

const State = defineState({ message: input(z.string()) });
const model: Model = {
  name: "m",
  async *stream() {
    if (role === "hang") await new Promise(() => setInterval(() => {}, 1_000));
    yield { type: "text_delta", text: "Hello." };
    yield { type: "finish", reason: "stop", usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 } };
  },
};
const agent = defineAgent({
  name: "desk",
  version: 1,
  state: State,
  stages: [stage("triage", { state: State, writes: [] }, () => ({}))],
  reply: loop({ model }),
});
const store = await openStore(location);
const runtime = await createRuntime({ store, agents: [agent], extensions: [await telemetry()], leaseMs: 500, heartbeatMs: 100, pollMs: 50 });
const session = await runtime.sessions.open({ agent: "desk", key: "s", metadata: { session_key: "TICKET-7" } });
const result = await session.send("Hi", { idempotencyKey: "m-1" });
console.log(JSON.stringify({ reply: result.reply, turn_id: result.turn_id }));
await runtime.close();
await store.close();
await provider.shutdown();
