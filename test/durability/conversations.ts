/** Random conversations: what may happen to a session, as data, and how to make it happen. */
import fc from "fast-check";
import { z } from "zod";
import {
  type Agent,
  type Runtime,
  type Session,
  type Store,
  ThroughlineError,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  lastN,
  loop,
  merge,
  reduced,
  scripted,
  stage,
  turn,
} from "../../packages/throughline/src/index.ts";
import type { Migration } from "../../packages/throughline/src/state.ts";

export type Happening =
  | { readonly type: "send" | "post"; readonly text: string; readonly size: number }
  | { readonly type: "operator" | "title"; readonly text: string }
  | { readonly type: "custom"; readonly value: unknown }
  | { readonly type: "edit"; readonly key: string; readonly value: string }
  | { readonly type: "mode"; readonly mode: "auto" | "manual" }
  | { readonly type: "resume" | "stop" | "episode" }
  /** Takes back the last turns, so many. */
  | { readonly type: "withdraw"; readonly turns: number };

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((candidate) => candidate.trim() !== "" && candidate.isWellFormed());
const size = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 200 }) }, { weight: 1, arbitrary: fc.integer({ min: 2000, max: 12_000 }) });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("send" as const), text, size }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("post" as const), text, size }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("operator" as const, "title" as const), text }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("custom" as const), value: fc.jsonValue() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("edit" as const), key: fc.constantFrom("a", "b", "c"), value: text }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("mode" as const), mode: fc.constantFrom("auto" as const, "manual" as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("resume" as const, "stop" as const, "episode" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("withdraw" as const), turns: fc.integer({ min: 1, max: 3 }) }) },
);

export const happenings = (most: number): fc.Arbitrary<readonly Happening[]> => fc.array(happening, { minLength: 3, maxLength: most });

const fields = {
  message: input(z.string()),
  mood: turn(z.string()),
  notes: reduced(z.array(z.string())),
  recent: reduced(z.array(z.string()), { reduce: lastN(3) }),
  facts: reduced(z.record(z.string(), z.string()), { reduce: merge() }),
  length: reduced(z.number(), { reduce: counter() }),
};

const pieces = (reply: string): readonly string[] => [reply.slice(0, 3), reply.slice(3)].filter((piece) => piece !== "");
const model = scripted((request) => ({
  text: pieces(`re: ${request.messages.findLast((message) => message.role === "user")?.text.slice(0, 20) ?? "nothing"}`),
}));
const reply = loop({ model });

/** Writes state in every way: a list that grows, one that stays short, a record, a number, a field of the turn. */
const growing = defineState(fields);
export const growingAgent: Agent = defineAgent({
  name: "laws",
  version: 1,
  state: growing,
  stages: [
    stage("grow", { state: growing, writes: ["notes", "recent", "length", "mood"] }, ({ state: { message } }) => ({
      notes: [message],
      recent: [message],
      length: message.length,
      mood: "fine",
    })),
    stage("learn", { state: growing, writes: ["facts"] }, ({ state: { message, notes = [] } }) => ({
      facts: { [message.slice(0, 1)]: String(notes.length) },
    })),
  ],
  reply,
});

/** The same agent in its next version: `length` is called `characters`, and the long list is gone. */
const renamed = defineState({
  message: input(z.string()),
  recent: reduced(z.array(z.string())),
  characters: reduced(z.number(), { reduce: counter() }),
});
export const toRenamed: Migration = {
  from: 1,
  to: 2,
  migrate: ({ length, recent }) => ({ ...(recent === undefined ? {} : { recent }), characters: length ?? 0 }),
};
export const renamedAgent: Agent = defineAgent({
  name: "laws",
  version: 2,
  state: renamed,
  stages: [stage("count", { state: renamed, writes: ["characters"] }, ({ state: { message } }) => ({ characters: message.length }))],
  reply,
  migrations: [toRenamed],
});

/** The same agent without any field, reducer or stage: nothing is left of it but its name. */
export const forgottenAgent: Agent = defineAgent({ name: "laws", version: 1, state: defineState({}), reply });

export const runtimeFor = (store: Store, agent: Agent, work = true): Promise<Runtime> =>
  createRuntime({ store, agents: [agent], leaseMs: 60_000, heartbeatMs: 5_000, pollMs: 50, work });

/** Refusals that are right, whatever has happened before. */
const fitting = ["session.manual", "session.withdraw_splits_turn", "session.conflict", "log.offset_invalid", "turn.stopped", "turn.fenced"] as const;

async function firstOffsetOfTurn(session: Session, back: number): Promise<number | undefined> {
  const firsts: number[] = [];
  for await (const event of session.events({ kinds: ["turn"], follow: false })) {
    if (event.kind === "turn" && event.data.type === "started") firsts.push(Math.min(event.offset, ...event.data.answers));
  }
  return firsts.at(-back);
}

async function make(session: Session, happening: Happening): Promise<unknown> {
  switch (happening.type) {
    case "send":
      return session.send(`${happening.text}${"x".repeat(happening.size)}`);
    case "post":
      return session.post(`${happening.text}${"x".repeat(happening.size)}`);
    case "operator":
      return session.postOperator(happening.text);
    case "title":
      return session.setTitle(happening.text);
    case "custom":
      return session.postCustom(happening.value as never);
    case "edit":
      return session.edit({ facts: { [happening.key]: happening.value } });
    case "mode":
      return session.setMode(happening.mode);
    case "resume":
      return session.resume();
    case "stop":
      return session.stop();
    case "episode":
      return session.endEpisode();
    case "withdraw": {
      const from = await firstOffsetOfTurn(session, happening.turns);
      return from === undefined ? undefined : session.withdraw({ from });
    }
  }
}

/** Makes everything happen, one after the other; a post does not wait for its answer, so that what follows meets a turn at work. */
export async function converse(session: Session, list: readonly Happening[], after: () => Promise<void> = async () => {}): Promise<void> {
  for (const happening of list) {
    await make(session, happening).catch((error: unknown) => {
      if (!ThroughlineError.is(error, ...fitting)) throw error;
    });
    await after();
  }
  await settle(session);
}

/** Lets everything that is open come to its end. */
async function settle(session: Session): Promise<void> {
  await session.setMode("auto");
  for (;;) {
    const { turns, waiting } = await session.pending();
    if (turns.length === 0 && waiting.length === 0) return;
    if (turns.length === 0) await session.resume();
    else await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
