/** Text as the cues are held against it. */

/** Lower case, one kind of apostrophe, single spaces; accents stay, because cues are written with them. */
export const folded = (text: string): string =>
  text
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toLowerCase();

/** The first cue that a folded text has, if any. */
export const cueIn = (text: string, cues: readonly RegExp[]): RegExp | undefined => cues.find((cue) => cue.test(text));

/** Whether a folded text has one of the cues. */
export const has = (text: string, cues: readonly RegExp[]): boolean => cueIn(text, cues) !== undefined;

/** Sentences and clauses, so that what is said of one person is not read as said of another. */
export const clausesOf = (text: string): readonly string[] =>
  text
    .split(/[.!?;:,。！？；，\n]+|\s(?:but|because|and|so|aber|weil|und|pero|porque|y|mais|parce que|et|mas|e)\s/u)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");

const han = /\p{Script=Han}/gu;

/** How long a text is, in words; two Han characters count as one. */
export const lengthOf = (text: string): number => {
  const dense = text.match(han)?.length ?? 0;
  return Math.ceil(dense / 2) + (text.replaceAll(han, " ").match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu)?.length ?? 0);
};
