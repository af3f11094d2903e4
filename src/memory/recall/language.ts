/** The language that an index reads when it is given none. */
import { createTokenizer } from "../text/tokenize.ts";
import type { TextReader } from "./reader.ts";

const tokenizer = createTokenizer();

/** Plain English. */
export const language: TextReader = {
  terms: (text) => tokenizer.terms(text),
  words: (text) => tokenizer.words(text),
  members: () => [],
  times: () => [],
  speaksOfTime: (text) => /\b(yesterday|today|tomorrow|(last|next) \w+|ago|\d{4})\b/iu.test(text),
  asks: (text) => text.includes("?"),
  asksWhen: (text) => /^when\b/iu.test(text.trim()),
};
