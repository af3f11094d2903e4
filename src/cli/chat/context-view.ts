/** `/context`: what the last turn knew of the person. */
import { keptPrompt } from "../../runtime/turn/kept-requests.ts";
import { whyOf } from "../../runtime/memory/why.ts";
import { nothingRecalled, whyLines } from "../memory-view.ts";
import type { Channel } from "../output.ts";
import { loadAt } from "../reading.ts";
import { indent, printable } from "../text.ts";
import type { Conversation } from "./conversation.ts";

/** What the last turn recalled, and how that stood in the request to the model. */
export async function showContext({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const why = await whyOf(store, row);
  for (const line of why === undefined ? [nothingRecalled] : whyLines(why, channel)) channel.line(line);
  const kept = await keptPrompt(store, row, {});
  if (kept === undefined) return channel.line(channel.paint("dim", "No model was called in the last turn, so no memory was in a prompt."));
  const remembered = new Set(kept.record.parts.flatMap(({ name, provenance }) => (provenance === "memory" ? [name] : [])));
  const sections = kept.request.sections.filter(({ name }) => remembered.has(name));
  if (sections.length === 0) channel.line(channel.paint("dim", "The last request to the model contained no memory."));
  for (const { name, text } of sections) channel.line(`${channel.paint("bold", `[${printable(name)}]`)}\n${indent(printable(text))}`);
}
