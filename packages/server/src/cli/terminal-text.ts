/** Formats text for a terminal: removes control characters, cuts, wraps, and builds tables. */
import type { Json } from "throughline/kernel";

/** Control characters can move the cursor or rewrite the screen, so text from users and models must not contain any. */
// eslint-disable-next-line no-control-regex -- these are the characters that must go
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** Removes control characters except line breaks and tabs. */
export const printable = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(controls, "");

/** Serializes a value as JSON for a terminal. Escapes all control characters, of which JSON itself escapes only some. */
export const jsonText = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation).replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const zero = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;

/** The width of a text in terminal columns. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** Shortens a text to one line of at most `width` columns. Collapses white space and marks omissions with an ellipsis. */
export const clip = (text: string, width: number): string => cut(printable(text).replaceAll(/\s+/gu, " ").trim(), width);

/** Shortens a line to `width` columns and marks omissions with an ellipsis. */
export function cut(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let kept = "";
  let used = 0;
  for (const character of line) {
    used += widthOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Describes a value briefly: strings without quotes, lists by their length, the rest as JSON. */
export function brief(value: Json | undefined, width = 40): string {
  if (value === undefined) return "(none)";
  if (typeof value === "string") return clip(value, width);
  if (Array.isArray(value))
    return value.every((item: Json) => typeof item !== "object")
      ? clip(value.join(", "), width) || "[]"
      : `${value.length} ${value.length === 1 ? "entry" : "entries"}`;
  return clip(JSON.stringify(value), width);
}

/** Formats rows in columns, two spaces apart. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

/** Quotes a word for a shell, if it needs that. */
export const quoted = (word: string): string => (/^[\w./:@%=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Breaks the lines that are wider than `columns` between words. */
export const fitted = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (widthOf(line) <= columns ? line : wrapped(line, columns)))
    .join("\n");

/** Formats names and values, one per line. The further lines of a long value stand below it. */
export function described(rows: readonly (readonly [name: string, value: string])[], columns: number): string {
  const left = Math.max(...rows.map(([name]) => widthOf(name))) + 2;
  const line = ([name, value]: readonly [string, string]): string =>
    `${name}${" ".repeat(left - widthOf(name))}${wrapped(value, columns - left).replaceAll("\n", `\n${" ".repeat(left)}`)}`;
  return rows.map(line).join("\n");
}

const spans = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** Formats the time since a moment: "3 min ago". */
export function ago(at: number, now: number): string {
  const span = spans.find(([ms]) => now - at >= ms);
  return span === undefined ? "now" : `${Math.floor((now - at) / span[0])} ${span[1]} ago`;
}

/** Indents every line of a text. */
export const indent = (text: string, by = "  "): string => text.replaceAll(/^(?=.)/gmu, by);

/** Wraps streamed text between words. */
interface Wrapper {
  write(text: string): void;
  /** Writes the buffered text and ends the line. */
  end(): void;
}

/** Wraps a complete text. */
export function wrapped(text: string, columns: number): string {
  let lines = "";
  const wrapper = createWrapper((piece) => (lines += piece), { column: 0, columns: () => columns });
  wrapper.write(text);
  wrapper.end();
  return lines.slice(0, -1);
}

/** Characters of scripts without spaces. A line may break before each. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const pieces = new RegExp(String.raw`\n|[^\S\n]+|${unspaced}|(?:(?!${unspaced})\S)+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

/** Maximum line width in columns, even at a wider terminal, for readability. */
const widest = 100;

/** Creates a wrapper that starts at `column`. It calls `columns` at every break, so it follows the size of the terminal. */
export function createWrapper(sink: (text: string) => void, options: { readonly column: number; readonly columns: () => number }): Wrapper {
  let column = options.column;
  let word = "";
  let space = "";
  /** Continuation lines of a list item align with the item's text. */
  let hang = "";
  const flush = (): void => {
    if (word === "") return;
    const width = Math.min(widest, Math.max(20, options.columns()));
    const breaks = column > 0 && column + widthOf(space) + widthOf(word) > width;
    sink(breaks ? `\n${hang}${word}` : `${space}${word}`);
    if (column === 0 && space === "" && word === "-") hang = "  ";
    column = (breaks ? hang.length : column + widthOf(space)) + widthOf(word);
    word = "";
    space = "";
  };
  return {
    write(text) {
      for (const piece of printable(text).match(pieces) ?? []) {
        if (/\S/u.test(piece)) {
          if (isUnspaced.test(piece)) flush();
          word += piece;
          continue;
        }
        flush();
        if (piece === "\n") {
          sink("\n");
          hang = "";
        }
        column = piece === "\n" ? 0 : column;
        space = piece === "\n" ? "" : piece.replaceAll("\t", "  ");
      }
    },
    end() {
      flush();
      sink("\n");
    },
  };
}
