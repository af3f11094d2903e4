import { notKept, promptLines } from "../prompt-view.ts";
import { keptPrompt } from "../../runtime/kept-requests.ts";
import type { Channel } from "../output.ts";
import { loadAt } from "../reading.ts";
import { clip, table } from "../text.ts";
import { whyOf, type WhyItem } from "../why.ts";
import type { Conversation } from "./conversation.ts";

/** `/prompt`: the last request as it was sent, and what each part of it cost. */
export async function showPrompt({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const kept = await keptPrompt(store, row, {});
  if (kept === undefined) return channel.line(row.last_turn === 0 ? "Nothing has been asked yet." : notKept);
  for (const line of promptLines(kept, channel)) channel.line(line);
}

/** `/why`: what the last turn recalled of the person, and why. */
export async function showWhy({ session, store }: Conversation, channel: Channel): Promise<void> {
  const { session: row } = await loadAt(store, (await session()).id);
  const why = await whyOf(store, row);
  if (why === undefined) return channel.line("Nothing was looked for in memory in the last turns.");
  channel.line(channel.paint("dim", `${why.note} (floor ${why.floor}, best ${round(why.top_score)})`));
  if (why.items.length === 0) return channel.line("Nothing was found.");
  const width = Math.max(30, channel.columns(120) - 60);
  channel.line(table([["PLACEMENT", "SCORE", "MADE OF", "WHAT"], ...why.items.map((item) => rowOf(item, width))]));
}

const round = (value: number): string => String(Math.round(value * 100) / 100);

function rowOf({ placement, score, parts, text, catch_up }: WhyItem, width: number): readonly string[] {
  const made = Object.entries(parts)
    .toSorted(([, one], [, other]) => Math.abs(other) - Math.abs(one))
    .map(([name, part]) => `${name} ${round(part)}`);
  return [
    placement,
    catch_up === true ? "-" : round(score),
    clip(catch_up === true ? "the episode begins" : made.join(" + "), 40),
    text === null ? "(forgotten since)" : clip(text, width),
  ];
}
