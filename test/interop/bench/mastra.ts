/** Mastra's memory on libSQL: messages are rows. */
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import type { Contestant, Conversation } from "./contestant.ts";
import type { Turn } from "./text.ts";

const resourceId = "customer";

type Saved = Parameters<Memory["saveMessages"]>[0]["messages"][number];

const message = (threadId: string, id: string, role: "user" | "assistant", at: number, text: string): Saved => ({
  id: `${threadId}-${id}`,
  role,
  createdAt: new Date(1_700_000_000_000 + at),
  threadId,
  resourceId,
  type: "text",
  content: { format: 2, parts: [{ type: "text", text }] },
});

async function begin(memory: Memory, threadId: string): Promise<Conversation> {
  await memory.createThread({ resourceId, threadId });
  let at = 0;
  const next = (): number => ++at;
  return {
    async commit({ number, asked, answered }: Turn) {
      const messages = [message(threadId, `u${number}`, "user", next(), asked), message(threadId, `a${number}`, "assistant", next(), answered)];
      await memory.saveMessages({ messages });
    },
    load: async () => (await memory.recall({ threadId, resourceId, perPage: 20 })).messages.length,
    append: async (number) => void (await memory.saveMessages({ messages: [message(threadId, `n${number}`, "user", next(), "noted")] })),
    // A clone copies the messages; up to a date, here that of turn 10.
    fork: (number) =>
      memory.cloneThread({
        sourceThreadId: threadId,
        newThreadId: `${threadId}-fork-${number}`,
        options: { messageFilter: { endDate: new Date(1_700_000_000_000 + 20) } },
      }),
    remove: () => memory.deleteThread(threadId),
  };
}

/** Two instances append to the working memory of one thread, 20 times: how many of the 40 entries are gone. */
async function lostOfPairs(instances: readonly Memory[]): Promise<number> {
  let lost = 0;
  for (let pair = 0; pair < 20; pair++) {
    const threadId = `pair-${pair}`;
    await instances[0]?.createThread({ resourceId, threadId });
    const entries = ["one", "two"];
    await Promise.all(
      instances.map(async (memory, index) => {
        const before = (await memory.getWorkingMemory({ threadId, resourceId: threadId })) ?? "";
        await memory.updateWorkingMemory({ threadId, resourceId: threadId, workingMemory: `${before} ${entries[index]}` });
      }),
    );
    const after = (await instances[0]?.getWorkingMemory({ threadId, resourceId: threadId })) ?? "";
    lost += entries.filter((entry) => !after.includes(entry)).length;
  }
  return lost;
}

export const mastra: Contestant = {
  name: "Mastra memory, libSQL",
  versions: "@mastra/memory 1.31.0, @mastra/libsql 1.23.1",
  engine: "sqlite",
  commit: "saveMessages with 2 messages",
  async open(location) {
    const url = `file:${location}`;
    const create = (id: string): Memory =>
      new Memory({ storage: new LibSQLStore({ id, url }), options: { semanticRecall: false, workingMemory: { enabled: true } } });
    const memory = create("one");
    // The tables are made at the first use; they are part of the empty database.
    await memory.createThread({ resourceId, threadId: "first" });
    return {
      begin: (id) => begin(memory, id),
      lostOfPairs: () => lostOfPairs([memory, create("two")]),
      // What its source sets on the connection; a connection of ours could not tell.
      durability: async () => "synchronous=NORMAL",
      close: async () => {},
    };
  },
};
