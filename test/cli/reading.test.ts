import { expect, test } from "vitest";
import type { Conversation } from "../../packages/server/src/cli/chat/open-conversation.ts";
import { runSlash } from "../../packages/server/src/cli/chat/slash.ts";
import type { Channel } from "../../packages/server/src/cli/command-output.ts";
import { lastEvents } from "../../packages/server/src/cli/read-session.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import { append, asked, event, message, newSession, queue } from "../../packages/throughline/src/testing/store/fixtures.ts";

const messages = (count: number) => ({ events: Array.from({ length: count }, (_, n) => message(`m${n}`)) });

test("the last events are the last that are visible, however many were withdrawn after them", async () => {
  const store = openMemoryStore();
  const session_id = await newSession(store);
  await append(store, session_id, messages(1400));
  await append(store, session_id, messages(400));
  await append(store, session_id, { withdraw_from: 1401 });
  const row = await store.open({ session_id });
  if (row === undefined) throw new Error("The session is gone.");
  expect((await lastEvents(store, row, 3)).map((event) => event.offset)).toEqual([1398, 1399, 1400]);
  expect((await lastEvents(store, row, 2000)).length).toBe(1401);
});

test("/diff shows all that the last turn with a change wrote, however many turns came after it", async () => {
  const store = openMemoryStore();
  const id = await newSession(store);
  const set = (path: string): ReturnType<typeof event> =>
    event("state", { patch: [{ op: "add", path, value: 1 }], writer: { type: "stage", name: "s" } }, { turn: 1 });
  for (let number = 1; number <= 120; number++) {
    await append(store, id, { events: [asked("a")], queue: queue() });
    const begin = { events: [event("turn", { type: "started" }, { turn: number })], start_turn: { number, event: 0 } };
    await append(store, id, number === 1 ? { ...begin, events: [...begin.events, set("/a"), set("/b")] } : begin);
    await append(store, id, { end_turns: [number] });
  }
  const lines: string[] = [];
  const channel = { paint: (_style, text) => text, line: (text = "") => void lines.push(text) } satisfies Partial<Channel>;
  const conversation = { store, session: async () => ({ id }) } as unknown as Conversation;
  await runSlash(conversation, { name: "diff", argument: "" }, channel as unknown as Channel);
  expect(lines).toEqual(["between offsets 2 and 4:", "a: (none) → 1\nb: (none) → 1"]);
});
