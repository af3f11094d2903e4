/** Texts cut for comparing: sentences, terms and numbers. */
import { createTokenizer, type Tokenizer } from "throughline/memory";

let tokenizer: Tokenizer | undefined;

/** The words of a text that mean something, stemmed, each once. The tokenizer is made with the first text. */
export const termsOf = (text: string): ReadonlySet<string> => new Set((tokenizer ??= createTokenizer()).terms(text));

/** The sentences of a text. A point in a number, or in an abbreviation such as "e.g.", ends none. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\s+/gu, " ")
    .split(/(?<=[.!?]["”’)]?)(?<!\b(?:e\.g|i\.e|etc|vs|approx|Dr|Mr|Ms|St)\.)\s+(?=[\p{Lu}\p{N}"“(¿¡])|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

const numberNames: Readonly<Record<string, string>> = {
  ...{ one: "1", two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7", eight: "8", nine: "9", ten: "10", eleven: "11", twelve: "12" },
  ...{ fifteen: "15", twenty: "20", thirty: "30", forty: "40", fifty: "50", sixty: "60", ninety: "90", hundred: "100", thousand: "1000" },
};

/** The numbers of a text, in one spelling: `1,000` and `1000` are one, and so are "eight" and 8. "One" is a number only where it counts. */
export function numbersOf(text: string): ReadonlySet<string> {
  const digits = [...text.normalize("NFKC").matchAll(/\d+(?:[.,]\d+)*/gu)].map(([number]) =>
    number.replaceAll(/,(?=\d{3}\b)/gu, "").replaceAll(",", "."),
  );
  const words = [...text.toLowerCase().matchAll(/[a-z]+/gu)].flatMap(([word]) => (word === "one" ? [] : (numberNames[word] ?? [])));
  return new Set([...digits, ...words]);
}
