/** What a person wrote, cut into the pieces that short answers are compared by. */

/** Marks over Latin letters and Arabic vowel signs: people leave them out. Signs of other scripts are letters of their own. */
const latinMarks = /(?<=\p{Script=Latin})\p{Mn}+/gu;
const arabicMarks = /[\u064B-\u065F\u0670\u0640]/gu;
/** Skin tones and the sign that asks for a coloured picture. */
const pictureMarks = /\p{Emoji_Modifier}|\uFE0F/gu;

/** Digits of any script as 0 to 9: every block of ten begins with its zero. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** A text without what makes no difference: case, accents of Latin letters, forms of letters and digits, typographic apostrophes. */
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

/** Han characters each on their own, since nothing stands between words; other letters and digits in runs, apostrophes inside; and thumbs. */
const piece = /\p{Script=Han}|[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*|[👍👎]/gu;
const hanOrNot = /\p{Script=Han}|[^\p{Script=Han}]+/gu;

/** The pieces of a text; punctuation is gone. */
export const piecesOf = (text: string): readonly string[] =>
  (folded(text).match(piece) ?? []).flatMap((run): readonly string[] => run.match(hanOrNot) ?? []);

/** Phrases as pieces, the longest first, so that a phrase is found before the one that it begins with. */
export const phrasesOf = (phrases: readonly string[]): readonly (readonly string[])[] =>
  phrases.map(piecesOf).toSorted((a, b) => b.length - a.length);

/** Whether `phrase` stands in `pieces` at an index. */
export const standsAt = (pieces: readonly string[], index: number, phrase: readonly string[]): boolean =>
  phrase.length > 0 && phrase.every((word, offset) => pieces[index + offset] === word);
