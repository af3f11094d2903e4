/** Throughline: its store alone, and whole turns of its runtime. */
import { z } from "zod";
import {
  counter,
  createIds,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../../../packages/throughline/src/index.ts";
import type { Runtime, Session, Store } from "../../../packages/throughline/src/index.ts";
import { benchTrace, createBareSession } from "../../../bench/session.ts";
import { newEvent } from "../../../packages/throughline/src/session/new-event.ts";
import { checkpointDue, patchWeight } from "../../../packages/throughline/src/session/fold.ts";
import type { NewEvent, SessionChange } from "../../../packages/throughline/src/store/port.ts";
import type { Contestant, Conversation } from "./contestant.ts";
import { durabilityOf } from "./langgraph.ts";
import { turnOf } from "./text.ts";

type Durability = "full" | "relaxed";

const said = (role: "user" | "assistant", text: string): NewEvent =>
  newEvent("message", role === "user" ? "customer" : "ai_agent", { role, parts: [{ type: "text", text }] }, { trace_id: benchTrace });

/** One commit a turn: both messages, and a change of state that is checked against the state it was computed on. */
async function storedConversation(store: Store): Promise<Conversation> {
  const ids = createIds();
  const session_id = await createBareSession(store);
  let [base, turns, turn10, weight] = [0, 0, 0, 0];
  const commit = async (events: readonly NewEvent[], rest: Pick<SessionChange, "depends" | "checkpoint"> = {}): Promise<number> => {
    const part = { session_id, events, ...rest };
    const result = await store.commit({ commit_id: ids.next("commit"), at: Date.now(), session: part });
    if (result.outcome === "refused") throw new Error(`refused: ${result.reason}`);
    return result.session?.head ?? 0;
  };
  return {
    async commit({ number, asked, answered }) {
      const patch = [{ op: "replace" as const, path: "/turns", value: ++turns }];
      const state = newEvent("state", "ai_agent", { patch, writer: { type: "stage", name: "count" }, definition: 1 }, { trace_id: benchTrace });
      // A checkpoint when one is due, as the runtime writes it.
      weight += patchWeight(JSON.stringify(state.data).length);
      const due = checkpointDue(weight, 0);
      if (due) weight = 0;
      const rest = { depends: { base }, ...(due ? { checkpoint: { turns } } : {}) };
      base = await commit([said("user", asked), said("assistant", answered), state], rest);
      if (number === 10) turn10 = base;
    },
    load: async () => (await store.load({ session_id, messages: 20 }))?.messages.length ?? 0,
    loadTurn10: () => store.load({ session_id, at: turn10, messages: 20 }),
    append: async (number) => void (await commit([newEvent("custom", "system", { value: { noted: number } }, { trace_id: benchTrace })])),
    remove: async () => void (await store.erase({ session_id })),
  };
}

export const throughlineStore = (engine: "sqlite" | "postgres", durability: Durability): Contestant => ({
  name: `Throughline store, ${durability}`,
  versions: "this checkout",
  engine,
  commit: "store.commit: 2 messages and a checked change of state",
  async open(location) {
    const store = await openStore(location, { durability });
    return { begin: () => storedConversation(store), durability: async () => durabilityOf(engine, durability), close: () => store.close() };
  },
});

const state = defineState({ message: input(z.string()), turns: reduced(z.number(), { reduce: counter() }) });
const count = stage("count", { state, writes: ["turns"] }, () => ({ turns: 1 }));

/** Answers the nth message with the nth turn's answer. */
function agentOf(): ReturnType<typeof defineAgent> {
  const model = scripted((_request, call) => turnOf(call + 1).answered);
  return defineAgent({ name: "bench", version: 1, state, stages: [count], reply: loop({ model }) });
}

function liveConversation(store: Store, session: Session): Conversation {
  let turn10 = 0;
  return {
    async commit({ number, asked }) {
      await session.send(asked);
      if (number === 10) turn10 = (await session.info()).head;
    },
    load: async () => (await store.load({ session_id: session.id, messages: 20 }))?.messages.length ?? 0,
    loadTurn10: () => session.state({ at: turn10 }),
    append: async (number) => void (await session.postCustom({ noted: number })),
    fork: () => session.fork({ at: turn10 }),
    history: async () => (await session.history({ limit: 20 })).length,
    remove: async () => void (await store.erase({ session_id: session.id })),
  };
}

/** Two runtimes change one session at once, 20 times: how many of the 40 changes are not in the state. */
async function lostOfPairs(runtimes: readonly Runtime[]): Promise<number> {
  const sessions = await Promise.all(runtimes.map((runtime) => runtime.sessions.open({ agent: "bench", key: "pairs" })));
  for (let pair = 0; pair < 20; pair++) await Promise.all(sessions.map((session) => session.edit({ turns: 1 })));
  return 40 - Number((await sessions[0]?.state())?.document["turns"]);
}

export const throughlineTurns = (engine: "sqlite" | "postgres", durability: Durability): Contestant => ({
  name: `Throughline whole turn, ${durability}`,
  versions: "this checkout",
  engine,
  commit: "session.send: accepted, journaled, answered (3 commits and a lease)",
  wholeTurn: true,
  async open(location) {
    const stores = [await openStore(location, { durability }), await openStore(location, { durability })] as const;
    const runtimes = await Promise.all(stores.map((store) => createRuntime({ store, agents: [agentOf()] })));
    const [store] = stores;
    return {
      begin: async (key) => liveConversation(store, await (runtimes[0] as Runtime).sessions.open({ agent: "bench", key })),
      lostOfPairs: () => lostOfPairs(runtimes),
      durability: async () => durabilityOf(engine, durability),
      async close() {
        for (const runtime of runtimes) await runtime.close();
        for (const each of stores) await each.close();
      },
    };
  },
});
