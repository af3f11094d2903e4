/** Words that a question is made of rather than about. */
import file from "./asking-words.data.json" with { type: "json" };
import { termsOf } from "./words-of-facts.ts";

let terms: ReadonlySet<string> | undefined;

/** Their terms; made with the first question. */
export const askingWords = (): ReadonlySet<string> => (terms ??= termsOf(file.words.join(" ")));
