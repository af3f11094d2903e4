/** One of two writers: what it does to a session that both write to. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  type Runtime,
  type SessionId,
  ThroughlineError,
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

const state = defineState({
  message: input(z.string()),
  edits: reduced(z.number(), { reduce: counter() }),
  heard: reduced(z.number(), { reduce: counter() }),
});
const hear = stage("hear", { state, writes: ["heard"] }, ({ context }) => ({ heard: context.messages.length }));
const agent = defineAgent({ name: "pairs", version: 1, state, stages: [hear], reply: loop({ model: scripted(() => "Heard.") }), waitingLimit: 100 });

/** What a writer does; the number tells the pairs apart, `own` the two writers. */
export type Deed = { readonly number: number; readonly own: string } & { readonly kind: "edit" | "variables" | "post" | "same_key" | "consumer" };

/** A writer on a session of a store. Each deed succeeds, however many others are under way. */
export interface Writer {
  /** The offset of a message; undefined for what is none. */
  write(deed: Deed): Promise<number | undefined>;
  close(): Promise<void>;
}

export const customerId = "crm-pairs";

/** A runtime for tests of pairs; `work` to answer messages too. */
export async function pairsRuntime(
  location: string,
  options: { readonly work?: boolean } = {},
): Promise<{ readonly runtime: Runtime; readonly close: () => Promise<void> }> {
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [agent], ...options });
  return {
    runtime,
    async close() {
      await runtime.close();
      await store.close();
    },
  };
}

/** Repeats what is refused because too many messages wait: the caller is asked to come again. */
async function untilThereIsRoom<Value>(work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!ThroughlineError.is(error, "session.too_many_waiting")) throw error;
      await delay(5);
    }
  }
}

/** Opens a writer on a session that is there. */
export async function openWriter(location: string, session_id: SessionId): Promise<Writer> {
  const { runtime, close } = await pairsRuntime(location, { work: false });
  const session = await runtime.sessions.get(session_id);
  return {
    async write({ kind, number, own }) {
      switch (kind) {
        case "edit":
          await session.edit({ edits: 1 });
          return undefined;
        case "variables":
          await runtime.customers.setVariables(customerId, { set: { [own]: number } });
          return undefined;
        case "consumer":
          await session.setConsumer(own, number);
          return undefined;
        case "post":
          return (await untilThereIsRoom(() => session.post(`${number} ${own}`, { idempotencyKey: `${number}-${own}` }))).offset;
        case "same_key":
          return (await untilThereIsRoom(() => session.post(`${number}`, { idempotencyKey: `${number}` }))).offset;
      }
    },
    close,
  };
}
