import { ThroughlineError } from "../../kernel/error.ts";
import type { Channel } from "../output.ts";
import { endedLines, entryLines, statusLines } from "../memory-view.ts";
import { clip, printable } from "../text.ts";
import type { Conversation } from "./conversation.ts";

/** Things that a listing in a chat shows at most. */
const most = 30;

/** `/memory`: how much is remembered of whoever talks, and what; with words, what of it speaks of them. */
export async function showMemory({ session }: Conversation, words: string, channel: Channel): Promise<void> {
  const { memory } = await session();
  if (words !== "") {
    const found = await memory.find(words, { limit: most });
    return channel.line(found.length === 0 ? "No memory contains that." : entryLines(found, channel));
  }
  const [status, { items, total }] = [await memory.status(), await memory.list({ limit: most })];
  channel.line(statusLines(status));
  if (items.length > 0) channel.line(entryLines(items, channel));
  if (total > items.length) channel.line(channel.paint("dim", `${total - items.length} more: /memory with a word`));
}

/** `/forget`: asks what is meant, as in the conversation; the answer is a `/forget` too: yes, no, or a number. */
export async function forget({ session }: Conversation, words: string, channel: Channel): Promise<void> {
  const { memory } = await session();
  const waits = await memory.pending();
  if (words === "" && waits === null) return channel.line("/forget takes words of what is to go: /forget my sister");
  const answered = waits === null ? undefined : await memory.answer(words);
  const { reply, pending } =
    answered ?? (await memory.control(words === "" ? { type: "repeat_pending" } : { type: "forget_by_query", query: words }));
  channel.line(printable(reply));
  if (pending !== null) channel.line(channel.paint("dim", "Answer with /forget yes, /forget no, or /forget and a number."));
}

/** `/recall on` and `/recall off`: whether the agent may bring up memories by itself. */
export async function setRecall({ session }: Conversation, word: string, channel: Channel): Promise<void> {
  const { memory } = await session();
  if (word !== "" && word !== "on" && word !== "off") throw new ThroughlineError("cli.usage", `/recall takes on or off, not "${clip(word, 20)}".`);
  const { recall_enabled } = word === "" ? await memory.status() : await memory.setRecall(word === "on");
  channel.line(recall_enabled ? "The agent may bring up memories by itself." : "The agent does not bring up memories by itself.");
}

/** `/incognito`: whether this session is remembered, and how to start one that is not. */
export async function showIncognito({ session }: Conversation, channel: Channel): Promise<void> {
  const { incognito } = await (await session()).info();
  channel.line(
    incognito === true
      ? "This session is incognito: it remembers and recalls nothing. This cannot be changed."
      : "This session is remembered. To start one that is not: throughline chat --new --incognito",
  );
}

/** `/end`: ends the episode, and tells what of it is remembered. */
export async function endEpisode({ session }: Conversation, channel: Channel): Promise<void> {
  for (const line of endedLines(await (await session()).closeEpisode())) channel.line(line);
}
