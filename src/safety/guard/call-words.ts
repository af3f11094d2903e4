/** Words that say of a number what it is, from `call-words.yaml`. Patterns for folded text. */
import words from "./call-words.data.json" with { type: "json" };

const any = (patterns: readonly string[], flags = "u"): RegExp => new RegExp(patterns.join("|").normalize("NFC"), flags);

/** The sentence speaks of calling, writing to or a line. */
export const callWord = any(words.callWord);

/** Told to press a key: one digit is then enough. */
export const pressWord = any(words.pressWord, "gu");

/** What is counted stands behind the number. */
export const unitAfter = any(words.unitAfter);

/** The sentence is about breathing, counting or grounding. */
export const technique = any(words.technique);
