/**
 * Normalizes a text for the guard: one case, one kind of digit, no invisible characters. It keeps a map to the original offsets, and splits the text
 * into sentences.
 */

interface Folded {
  readonly text: string;
  /** For each offset in the folded text, the offset in the original. One more entry marks the end. */
  readonly at: readonly number[];
}

/** Letters of other scripts that look like Latin ones and are used to disguise Latin words. */
const lookalikes: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    һ: "h",
    ո: "n",
    ν: "v",
    ο: "o",
    ι: "i",
    ɡ: "g",
    ӏ: "l",
  },
  ...{ "’": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "٫": ".", "．": ".", "。": "。" },
};

/** Zero-width and bidi characters, variation selectors, keycaps, soft hyphens, tags. */
const invisible = /[\p{Cf}\u{FE00}-\u{FE0F}\u{20E3}\u{E0100}-\u{E01EF}\u{115F}\u{3164}\u{00AD}]/u;

/** Returns the value of a decimal digit in any script. Unicode keeps the ten digits of a script in a row. */
function digitOf(point: string): string | undefined {
  if (!/\p{Nd}/u.test(point)) return undefined;
  let code = point.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) {
    code -= 1;
    value += 1;
  }
  return String(value);
}

/** Folds one code point. Scripts with adjacent runs of digits in several styles are compatibility forms, which NFKC has already normalized. */
function foldPoint(point: string): string {
  if (invisible.test(point)) return "";
  const plain = lookalikes[point] ?? point.normalize("NFKC");
  const folded = plain
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u{0300}-\u{036F}]/gu, "")
    .normalize("NFC");
  return Array.from(folded, (part) => (part > "\u007F" ? (digitOf(part) ?? lookalikes[part] ?? part) : part)).join("");
}

const folds = new Map<string, string>();

/** Folds a text in linear time. The result for each code point is cached. */
export function fold(original: string): Folded {
  const parts: string[] = [];
  const at: number[] = [];
  let offset = 0;
  for (const point of original) {
    let folded = folds.get(point);
    if (folded === undefined) {
      folded = foldPoint(point);
      if (folds.size < 4_096) folds.set(point, folded);
    }
    for (let index = 0; index < folded.length; index += 1) at.push(offset);
    parts.push(folded);
    offset += point.length;
  }
  at.push(offset);
  return { text: parts.join(""), at };
}

/** A part of a text, with the space after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Sentence ends in the scripts of the supported languages. A period within a number, an address or a placeholder ends no sentence. */
const boundary =
  /[.!?…؟۔।॥‽]+["'”’»)\]]*(?=\s)(?!\s+\d)\s*|[.!?]+["'”’»)\]]*\s+(?=\d+[.)]\s)|[!?]+(?=\p{Script=Han})|[。！？｡]+["'”’»）」』]*\s*|\n\s*/gu;

/** Returns the sentences of a text in order. They cover the text without gaps. */
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
