/** An agent with a memory, and what its model was asked. */
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loaded,
  loop,
  merge,
  recentMessages,
  scripted,
  stage,
  turn,
  withControl,
  type AgentOptions,
  type ModelRequest,
  type Runtime,
  type Store,
} from "../../../packages/throughline/src/index.ts";
import { memory, memoryOf, proceduralRules, recalledMemory, sessionMemory, type MemoryOptions } from "../../../packages/throughline/src/memory.ts";
import type { EmbeddingProvider } from "../../../packages/throughline/src/memory/embed.ts";
import type { EntryRow } from "../../../packages/throughline/src/store/port.ts";

export const State = defineState({
  message: input(z.string()),
  working_memory: loaded(z.array(z.record(z.string(), z.unknown())), { initial: [] }),
  session_memory: loaded(z.record(z.string(), z.unknown()), { initial: {} }),
  procedural_profile: loaded(z.record(z.string(), z.unknown()), { initial: {} }),
  diagnostics: turn(z.record(z.string(), z.unknown()), { initial: {}, reduce: merge() }),
});

/** An agent that answers "ok"; `requests` are all that its model was sent. A message that begins with "crisis" leaves memory alone. */
export function remembering(options: MemoryOptions = {}, more: Partial<AgentOptions<typeof State>> = {}) {
  const requests: ModelRequest[] = [];
  const agent = defineAgent({
    name: "friend",
    version: 1,
    state: State,
    memory: memory(options),
    stages: [
      stage("gate", { state: State, writes: [] }, ({ state }) => (state.message.startsWith("crisis") ? withControl({ memory: "skip" }) : undefined)),
    ],
    sections: [recalledMemory(), sessionMemory(), proceduralRules(), recentMessages({ window: 4 })],
    reply: loop({ model: scripted((request) => (requests.push(request), "ok")) }),
    ...more,
  });
  return { agent, requests };
}

/** All rows of a customer's memory. */
export async function rowsOf(runtime: Runtime & { readonly store: Store }, customer: string): Promise<readonly EntryRow[]> {
  const { owner_id } = await runtime.customers.get(customer);
  return runtime.store.entries({ owner_id, limit: 10_000 });
}

/** The agent with one more stage at the end, which notes the state as it finds it. */
export const withLook = (agent: ReturnType<typeof remembering>["agent"], seen: Record<string, unknown>[]) =>
  defineAgent({
    ...partsOf(agent),
    memory: memory({ before: "look" }),
    stages: [
      ...agent.stages,
      stage("look", { state: State, writes: [] }, ({ state }) => {
        seen.push({ ...state });
        return undefined;
      }),
    ] as never,
  });

/** The agent with a stage that waits. */
export const withWait = (agent: ReturnType<typeof remembering>["agent"], until: Promise<void>) =>
  defineAgent({
    ...partsOf(agent),
    stages: [
      ...agent.stages,
      stage("wait", { state: State, writes: [] }, async () => {
        await until;
        return undefined;
      }),
    ] as never,
  });

const partsOf = (agent: ReturnType<typeof remembering>["agent"]) => {
  const { name, version, state, sections, reply } = agent;
  const settings = memoryOf(agent);
  return { name, version, state, sections, reply, ...(settings === undefined ? {} : { memory: settings }) } as const;
};

/** A vector of how often each letter is in a text: alike texts have alike vectors, on every machine. */
export const letters: EmbeddingProvider = {
  id: "letters@26",
  dimensions: 26,
  maxBatch: 64,
  embed: async (texts) =>
    texts.map((text) => {
      const counts = Float32Array.from({ length: 26 }, (_, letter) => text.toLowerCase().split(String.fromCharCode(97 + letter)).length - 1);
      return counts.map((count) => count / Math.max(1, Math.hypot(...counts)));
    }),
};
