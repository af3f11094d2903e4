/** Cuts a text into sentences: the least that a guard takes out, so that no half of a number is left behind. */

/** A part of a text, with the space behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Ends of sentences in the scripts of the languages; a stop within a number, an address or a placeholder ends none. */
const boundary =
  /[.!?…؟۔।॥‽]+["'”’»)\]]*(?=\s)(?!\s+\d)\s*|[.!?]+["'”’»)\]]*\s+(?=\d+[.)]\s)|[!?]+(?=\p{Script=Han})|[。！？｡]+["'”’»）」』]*\s*|\n\s*/gu;

/** The sentences of a text, in order; they cover it without a gap. */
export function sentencesOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const found of text.matchAll(boundary)) {
    const end = found.index + found[0].length;
    if (end > start) spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}
