/** Splits messages into the pieces by which short answers are compared. */

/** Accents of Latin letters and Arabic vowel signs, which users often omit. Marks of other scripts are letters. */
const latinMarks = /(?<=\p{Script=Latin})\p{Mn}+/gu;
const arabicMarks = /[\u064B-\u065F\u0670\u0640]/gu;
/** Skin tones and the emoji presentation selector. */
const pictureMarks = /\p{Emoji_Modifier}|\uFE0F/gu;

/** Returns a digit of any script as 0 to 9. Every block of ten digits starts with its zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** Normalizes a text: case, accents of Latin letters, variants of letters and digits, typographic apostrophes. */
export const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(latinMarks, "")
    .normalize("NFC")
    .replaceAll(arabicMarks, "")
    .replaceAll(pictureMarks, "")
    .replaceAll(/[أإآ]/gu, "ا")
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .replaceAll(/\p{Nd}/gu, digitOf)
    .toLowerCase()
    .replaceAll("ß", "ss");

/** Each Han character is one piece, since Chinese has no spaces. Other letters and digits form runs, with apostrophes inside. Thumb emoji are pieces too. */
const piece = /\p{Script=Han}|[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*|[👍👎]/gu;
const hanOrNot = /\p{Script=Han}|[^\p{Script=Han}]+/gu;

/** Splits a text into pieces without punctuation. */
export const piecesOf = (text: string): readonly string[] =>
  (folded(text).match(piece) ?? []).flatMap((run): readonly string[] => run.match(hanOrNot) ?? []);

/** Splits phrases into pieces, longest first, so that a longer phrase matches before its prefix. */
export const phrasesOf = (phrases: readonly string[]): readonly (readonly string[])[] =>
  phrases.map(piecesOf).toSorted((a, b) => b.length - a.length);

/** Tells whether `phrase` occurs in `pieces` at an index. */
export const standsAt = (pieces: readonly string[], index: number, phrase: readonly string[]): boolean =>
  phrase.length > 0 && phrase.every((word, offset) => pieces[index + offset] === word);
