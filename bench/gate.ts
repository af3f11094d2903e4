/** What the gate costs a person who waits: the reply to somebody in danger with the model away, and what an open breaker adds to any other. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { companionGate } from "../packages/companion/src/companion-gate.ts";
import {
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  recentMessages,
  scripted,
  type Agent,
  type Model,
} from "../packages/throughline/src/index.ts";
import { safetyFields } from "../packages/throughline/src/safety.ts";
import { type Figure, median, quantile, round } from "./figures.ts";

/** A service that is away: what is asked of it fails at once. */
const away: Model = {
  name: "away",
  stream: () => {
    throw new Error("connect ECONNREFUSED");
  },
};

const gatedBy = (model: Model | undefined, reply: Model): Agent =>
  defineAgent({
    name: "companion",
    version: 1,
    state: defineState({ message: input(z.string()), ...safetyFields() }),
    safety: companionGate(model),
    sections: [recentMessages({ window: 10 })],
    reply: loop({ model: reply }),
  });

/** Left out: enough that a breaker has opened. */
const warmUp = 10;

/** Milliseconds from a message to its reply, one message to a conversation. */
async function replyTimes(agent: Agent, text: string, rounds: number): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "throughline-bench-"));
  const store = await openStore(join(folder, "gate.db"));
  const runtime = await createRuntime({ store, agents: [agent] });
  const times: number[] = [];
  try {
    for (let run = 0; run < rounds + warmUp; run++) {
      const session = await runtime.sessions.create({ agent: "companion" });
      const began = performance.now();
      const { status, reply } = await session.send(text);
      times.push(performance.now() - began);
      if (status !== "completed" || reply === undefined) throw new Error(`A message of the benchmark was not answered: ${status}.`);
    }
  } finally {
    await runtime.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return times.slice(warmUp);
}

/** The gate in turns, on a file. */
export async function gateCost(quick: boolean): Promise<readonly Figure[]> {
  const rounds = quick ? 40 : 200;
  const inDanger = await replyTimes(gatedBy(away, away), "I took all my pills an hour ago, goodbye everyone", rounds);
  const calm = "The rain has stopped and we baked bread";
  const answers = scripted(() => "That sounds like a good day.");
  const unjudged = await replyTimes(gatedBy(undefined, answers), calm, rounds);
  const withBreaker = await replyTimes(gatedBy(away, answers), calm, rounds);
  const added = Math.max(0, median(withBreaker) - median(unjudged));
  return [
    {
      ...{ id: "safety.level_3_reply", what: "half of the replies to somebody in danger now, the model away", value: round(median(inDanger)) },
      ...{ unit: "ms", limit: 50, timing: true, details: { p99_ms: round(quantile(inDanger, 0.99)) } },
    },
    {
      ...{ id: "safety.breaker_open", what: "what a classifier that is away adds to a turn, its breaker open", value: round(added) },
      ...{ unit: "ms", limit: 10, timing: true, details: { without_ms: round(median(unjudged)), with_ms: round(median(withBreaker)) } },
    },
  ];
}
