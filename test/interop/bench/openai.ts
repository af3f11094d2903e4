/** The session that the OpenAI Agents SDK ships: a list in memory. And ours, on disk. */
import { MemorySession, type AgentInputItem, type Session } from "@openai/agents";
import { historyAgent, ThroughlineSession } from "@throughline/adapters/openai-agents";
import { createRuntime, openStore } from "throughline";
import type { Contestant, Conversation } from "./contestant.ts";
import { durabilityOf } from "./langgraph.ts";

const asked = (text: string): AgentInputItem => ({ role: "user", content: [{ type: "input_text", text }] });
const answered = (text: string): AgentInputItem => ({ role: "assistant", status: "completed", content: [{ type: "output_text", text }] });

const conversation = (session: Session): Conversation => ({
  commit: (turn) => session.addItems([asked(turn.asked), answered(turn.answered)]),
  load: async () => (await session.getItems(20)).length,
  append: () => session.addItems([asked("noted")]),
  remove: () => session.clearSession(),
});

async function lostOfPairs(sessions: readonly Session[]): Promise<number> {
  for (let pair = 0; pair < 20; pair++) await Promise.all(sessions.map((session, index) => session.addItems([asked(`${pair} ${index}`)])));
  return 40 - ((await sessions[0]?.getItems())?.length ?? 0);
}

export const memorySession: Contestant = {
  name: "OpenAI Agents MemorySession",
  versions: "@openai/agents 0.20.0",
  engine: "memory",
  commit: "addItems with 2 items",
  open: async () => ({
    begin: async (sessionId) => conversation(new MemorySession({ sessionId })),
    async lostOfPairs() {
      const session = new MemorySession();
      return lostOfPairs([session, session]);
    },
    durability: async () => "none: process memory",
    close: async () => {},
  }),
};

export const throughlineSession = (durability: "full" | "relaxed"): Contestant => ({
  name: `OpenAI Agents on Throughline, ${durability}`,
  versions: "@openai/agents 0.20.0, @throughline/adapters",
  engine: "sqlite",
  commit: "addItems with 2 items",
  async open(location) {
    const store = await openStore(location, { durability });
    const runtimes = await Promise.all([1, 2].map(() => createRuntime({ store, agents: [historyAgent] })));
    const sessionOf = (sessionId: string) => runtimes.map((runtime) => new ThroughlineSession(runtime, { sessionId }));
    return {
      async begin(sessionId) {
        const [session] = sessionOf(sessionId);
        return conversation(session ?? new MemorySession());
      },
      lostOfPairs: () => lostOfPairs(sessionOf("pairs")),
      durability: async () => durabilityOf("sqlite", durability),
      async close() {
        for (const runtime of runtimes) await runtime.close();
        await store.close();
      },
    };
  },
});
