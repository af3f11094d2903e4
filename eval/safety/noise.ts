/** Rewritings of a message that change nothing of what it says: whoever writes so must get the same answer. */
import { createHash } from "node:crypto";
import { type Judge, type Share, shareOf } from "./figures.ts";
import type { Labelled } from "./labelled.ts";

type Rewriting = (text: string, seed: number) => string;

/** A word of the Latin script that is long enough to survive a slip. */
const longWord = /(?<![\p{L}\p{M}'’])\p{Script=Latin}{6,}(?![\p{L}\p{M}'’])/gu;

function slip(text: string, seed: number): string {
  const words = [...text.matchAll(longWord)];
  const chosen = words[seed % Math.max(1, words.length)];
  if (chosen === undefined) return text;
  const [word] = chosen;
  const place = 1 + (seed % (word.length - 3));
  const slipped = word.slice(0, place) + (word[place + 1] ?? "") + (word[place] ?? "") + word.slice(place + 2);
  return text.slice(0, chosen.index) + slipped + text.slice(chosen.index + word.length);
}

/** By name: letters of the wrong case, invisible characters inside words, two letters of one word exchanged, too much space. */
export const rewritings = {
  upper_case: (text) => text.toUpperCase(),
  lower_case: (text) => text.toLowerCase(),
  zero_width: (text) => text.replaceAll(/(\p{Script=Latin}{2})(?=\p{Script=Latin})/gu, "$1\u{200b}"),
  typo: slip,
  spacing: (text) => `  ${text.replaceAll(" ", "   ")} \n`,
  punctuation: (text) => `${text.replaceAll(/(?<=\p{L})[.!](?= |$)/gu, "")} ...`,
} as const satisfies Readonly<Record<string, Rewriting>>;

const seedOf = (id: string): number => createHash("sha256").update(id).digest().readUInt16BE(0);

/** By rewriting: the share of the messages that keep their level. */
export function stability(judge: Judge, messages: readonly Labelled[]): Readonly<Record<string, Share>> {
  const kept = Object.entries<Rewriting>(rewritings).map(([name, rewrite]) => {
    const same = messages.filter((message) => judge(message) === judge({ ...message, text: rewrite(message.text, seedOf(message.id)) }));
    return [name, shareOf(same.length, messages.length)] as const;
  });
  const sum = (of: "hits" | "of"): number => kept.reduce((total, [, share]) => total + share[of], 0);
  return Object.fromEntries([...kept, ["all", shareOf(sum("hits"), sum("of"))]]);
}
