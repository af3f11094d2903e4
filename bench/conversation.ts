/** The conversation that costs are measured on: turns of 800 bytes of text, with every event that an ordinary turn writes. */
import { z } from "zod";
import {
  type Agent,
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
} from "../packages/throughline/src/index.ts";
import type { SessionId } from "../packages/throughline/src/kernel/id.ts";
import { checkpointDue, checkpointFloor, patchWeight } from "../packages/throughline/src/session/fold.ts";
import type { NewEvent, SessionChange, Store } from "../packages/throughline/src/store/port.ts";
import { forwarding } from "../packages/throughline/src/store/port.ts";

/** Bytes of text in one turn: half of it is asked, half answered. */
export const turnBytes = 800;

const words = "the quick brown fox said that it had slept badly and would rather talk about the weather than about the garden behind the old house ";

/** Text of that many bytes, another one for each number. */
export const textOf = (bytes: number, number: number): string => `${number} ${words.repeat(Math.ceil(bytes / words.length) + 1)}`.slice(0, bytes);

const state = defineState({ message: input(z.string()), turns: reduced(z.number(), { reduce: counter() }) });

/** One stage that changes the state, one step, a reply in two pieces. */
export function benchAgent(bytes = turnBytes): Agent {
  const note = stage("note", { state, writes: ["turns"] }, () => ({ turns: 1 }));
  const model = scripted((_request, call) => {
    const text = textOf(bytes / 2, call);
    return { text: [text.slice(0, 100), text.slice(100)] };
  });
  return defineAgent({ name: "bench", version: 1, state, stages: [note], reply: loop({ model }) });
}

/** Runs whole turns in a new session; `keys` sends each message under an idempotency key. */
export async function converse(
  store: Store,
  options: { readonly bytes?: number; readonly keys?: boolean } = {},
): Promise<{ readonly session_id: SessionId; turns(count: number): Promise<void>; close(): Promise<void> }> {
  const { bytes = turnBytes, keys = false } = options;
  const runtime = await createRuntime({ store, agents: [benchAgent(bytes)] });
  const session = await runtime.sessions.create({ agent: "bench" });
  let number = 0;
  return {
    session_id: session.id,
    async turns(count) {
      for (let done = 0; done < count; done++) {
        number += 1;
        const { status } = await session.send(textOf(bytes / 2, number), keys ? { idempotencyKey: `message-${number}` } : {});
        if (status !== "completed") throw new Error(`Turn ${number} ended as ${status}.`);
      }
    },
    close: () => runtime.close(),
  };
}

/** The store, with each session change that was committed. */
export function recording(store: Store): { readonly store: Store; readonly changes: SessionChange[] } {
  const changes: SessionChange[] = [];
  const recorder: Store = {
    ...forwarding(store),
    commit: (commit) => {
      if (commit.session !== undefined) changes.push(commit.session);
      return store.commit(commit);
    },
  };
  return { store: recorder, changes };
}

/** The commits of one ordinary turn: accept, journal, finish. */
export async function commitsOfTurn(): Promise<readonly SessionChange[]> {
  const { store, changes } = recording(await openStore(":memory:"));
  const conversation = await converse(store);
  await conversation.turns(2);
  const before = changes.length;
  await conversation.turns(1);
  await conversation.close();
  return changes.slice(before);
}

/** How much is to be folded after the last checkpoint: half of what there is at most. */
const restingWeight = checkpointFloor / 2;

/**
 * Writes turns into a session without a runtime: the same events, two commits a turn. Much faster, for sessions of thousands of turns. It adds a
 * few turns until the patches since the last checkpoint have their mean weight, so that sessions of all lengths can be compared.
 */
export async function writeTurns(store: Store, session_id: SessionId, turns: number): Promise<void> {
  const [accepted, ...rest] = await commitsOfTurn();
  const events = rest.flatMap((change) => change.events ?? []);
  let weight = 0;
  let bytes = 0;
  for (let number = 1; number <= turns || weight < restingWeight; number++) {
    const key = `${session_id}-${number}`;
    await store.commit({
      commit_id: `${key}-a`,
      at: number,
      session: { ...accepted, session_id, depends: {}, idempotency: { key, body_hash: "b" } },
    });
    const own = events.map((event): NewEvent => ({ ...event, turn: number }));
    const patch = own.find((event) => event.kind === "state")?.data["patch"];
    weight += patchWeight(JSON.stringify(patch).length);
    const due = checkpointDue(weight, bytes);
    const checkpoint = { turns: number };
    await store.commit({
      commit_id: `${key}-b`,
      at: number,
      session: { session_id, events: own, end_turns: [number], ...(due ? { checkpoint } : {}) },
    });
    if (due) [weight, bytes] = [0, JSON.stringify(checkpoint).length];
  }
}
