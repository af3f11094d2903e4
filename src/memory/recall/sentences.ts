/** Sentences of a text, and texts made comparable. */

/** The sentences of a text, in any of the scripts that end them with a mark; a line is one too. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?…]["'”’)\]]*)\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** A text as its words alone, folded: two texts that read the same are the same. */
export const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’ʼ]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
