/** A database as large as the inspector's budgets: long logs of real turns, and many sessions. */
import { z } from "zod";
import {
  type Agent,
  counter,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  type Runtime,
  rules,
  stage,
} from "../packages/throughline/src/index.ts";
import { textOf } from "./conversation.ts";

const state = defineState({
  message: input(z.string()),
  topic: reduced(z.string()),
  notes: reduced(z.record(z.string(), z.string())),
  count: reduced(z.number(), { reduce: counter() }),
});

/** An agent whose turns write to the state. */
export const inspectedAgent: Agent = defineAgent({
  ...{ name: "desk", version: 1, state },
  stages: [
    stage("sort", { state, writes: ["topic", "notes", "count"] }, ({ state: { message, notes = {} } }) => ({
      topic: message.slice(0, 60),
      notes: { ...notes, [`note ${message.length % 40}`]: message.slice(0, 40) },
      count: 1,
    })),
  ],
  reply: loop({ model: rules([({ text }) => `You said ${text}`]) }),
});

/** Writes sessions whose logs have at least this many events, all at once. Returns their ids. */
export async function writeLogs(runtime: Runtime, lengths: readonly number[]): Promise<readonly string[]> {
  return Promise.all(
    lengths.map(async (length) => {
      const session = await runtime.sessions.create({ agent: "desk" });
      for (let number = 0; (await session.info()).head + 1 < length; number++)
        for (let turn = 0; turn < 50; turn++) await session.send(textOf(60 + ((number * 50 + turn) % 200), turn));
      return session.id;
    }),
  );
}

/** Writes empty sessions of 500 customers. */
export async function writeSessions(runtime: Runtime, count: number): Promise<void> {
  for (let first = 0; first < count; first += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - first) }, (_, index) =>
        runtime.sessions.open({ agent: "desk", customer: `customer-${(first + index) % 500}`, key: String(first + index) }),
      ),
    );
}
