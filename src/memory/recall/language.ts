/** The language that an index reads when it is given none. */
import { porter } from "../text/porter.ts";
import type { TextReader } from "./reader.ts";

const stopWords = new Set(
  "a about after again all also am an and any are as at be because been before being but by can could did do does doing down for from had has have having he her hers him his how i if in into is it its just like me more most my no nor not now of off on once only or other our out over own same she should so some such than that the their them then there these they this those through to too under until up very was we were what when where which while who whom why will with would you your".split(
    " ",
  ),
);

/** Plain English. */
export const language: TextReader = {
  terms: (text) =>
    (
      text
        .normalize("NFKC")
        .toLowerCase()
        .replaceAll(/['\u2019]/gu, "")
        .match(/[\p{L}\p{N}]+/gu) ?? []
    )
      .filter((word) => !stopWords.has(word))
      .map((word) => (/^[a-z]+$/u.test(word) ? porter(word) : word)),
  words: (text) =>
    [...text.matchAll(/[\p{L}\p{N}'\u2019]+/gu)].map((match) => ({
      text: match[0].toLowerCase().replaceAll(/['\u2019]/gu, ""),
      start: match.index,
      end: match.index + match[0].length,
    })),
  members: () => [],
  times: () => [],
  speaksOfTime: (text) => /\b(yesterday|today|tomorrow|(last|next) \w+|ago|\d{4})\b/iu.test(text),
  asks: (text) => text.includes("?"),
  asksWhen: (text) => /^when\b/iu.test(text.trim()),
};
