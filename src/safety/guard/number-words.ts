/** Words that numbers are spelled with, from `number-words.yaml`. */
import words from "./number-words.data.json" with { type: "json" };

/** Without accents. */
const bare = (word: string): string =>
  word
    .normalize("NFD")
    .replaceAll(/[\u{0300}-\u{036F}]/gu, "")
    .normalize("NFC");

/** What a word is worth as a number, by the word as it is folded. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...Object.entries(words.digits).flatMap(([digit, names]) => names.map((name) => [bare(name), Number(digit)] as const)),
  ...Object.entries(words.numbers),
]);

/** Multiply what stands before them. */
export const hundreds: ReadonlySet<string> = new Set(words.hundreds);

/** Say the next digit twice or three times. */
export const repeats: ReadonlyMap<string, number> = new Map(Object.entries(words.repeats));

/** May stand between two digits of a number that somebody would rather hide. */
export const between: ReadonlySet<string> = new Set(words.between);

/** Words of one digit each that are written without a space, such as `nineeighteight`. */
export const joinedDigits = new RegExp(words.joinedDigits, "u");

/** German writes a number below a thousand as one word. */
export const joinedHundreds = new RegExp(words.joinedHundreds, "u");
