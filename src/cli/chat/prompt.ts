import { notKept, promptLines } from "../prompt-view.ts";
import { keptPrompt } from "../../runtime/turn/kept-requests.ts";
import { whyOf } from "../../runtime/memory/why.ts";
import type { Channel } from "../output.ts";
import { loadAt } from "../reading.ts";
import { nothingRecalled, whyLines } from "../memory-view.ts";
import type { Conversation } from "./conversation.ts";

/** `/prompt`: the last request as it was sent, and what each part of it cost. */
export async function showPrompt({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const kept = await keptPrompt(store, row, {});
  if (kept === undefined) return channel.line(row.last_turn === 0 ? "No request has been sent yet." : notKept);
  for (const line of promptLines(kept, channel)) channel.line(line);
}

/** `/why`: what the last turn recalled of the person, and why. */
export async function showWhy({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const why = await whyOf(store, row);
  if (why === undefined) return channel.line(nothingRecalled);
  for (const line of whyLines(why, channel)) channel.line(line);
}
