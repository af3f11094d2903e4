/** A process that runs turns for tests of the inspector: it answers in two pieces, and says when it is in the middle of a reply. */
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";

const state = defineState({ message: input(z.string()), topic: reduced(z.string()), count: reduced(z.number(), { reduce: counter() }) });

const model = scripted(({ messages }) => {
  const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
  let pieces = 0;
  const wait = async (): Promise<void> => {
    pieces += 1;
    if (pieces !== 2) return;
    process.send?.("in the middle");
    if (text.startsWith("slow")) await delay(500);
  };
  return { text: ["You said ", `${text}.`], wait };
});

/** The agent of the process, for services that run no turns. */
export const workedAgent = defineAgent({
  ...{ name: "desk", version: 1, state },
  stages: [stage("sort", { state, writes: ["topic", "count"] }, ({ state: { message } }) => ({ topic: message, count: 1 }))],
  reply: loop({ model }),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const store = await openStore(process.argv[2] ?? "");
  await createRuntime({ store, agents: [workedAgent], pollMs: 50, leaseMs: 2_000, heartbeatMs: 400 });
  process.send?.("ready");
}
