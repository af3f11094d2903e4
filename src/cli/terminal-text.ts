/** Text for people at a terminal: without control characters, cut, wrapped, and in tables. */
import type { Json } from "throughline/kernel";

/** Control characters could move the cursor or rewrite the screen, and what people and models write is not trusted with that. */
// eslint-disable-next-line no-control-regex -- these are the characters that must go
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** The text without control characters; line breaks and tabs stay. */
export const printable = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(controls, "");

/** A value as JSON for a stream that may be a terminal: control characters are escaped, which JSON itself does only for some of them. */
export const jsonText = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation).replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const zero = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;

/** Columns that a text takes at a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** At most `width` columns of a text on one line, white space as single spaces, with an ellipsis where something is missing. */
export const clip = (text: string, width: number): string => cut(printable(text).replaceAll(/\s+/gu, " ").trim(), width);

/** At most `width` columns of a line, with an ellipsis where something is missing. */
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

/** A value in a few words: texts bare, lists by their length, the rest as JSON. */
export function brief(value: Json | undefined, width = 40): string {
  if (value === undefined) return "(none)";
  if (typeof value === "string") return clip(value, width);
  if (Array.isArray(value))
    return value.every((item: Json) => typeof item !== "object")
      ? clip(value.join(", "), width) || "[]"
      : `${value.length} ${value.length === 1 ? "entry" : "entries"}`;
  return clip(JSON.stringify(value), width);
}

/** Rows in columns, two spaces apart; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

const spans = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** How long ago a moment was: "3 min ago". */
export function ago(at: number, now: number): string {
  const span = spans.find(([ms]) => now - at >= ms);
  return span === undefined ? "now" : `${Math.floor((now - at) / span[0])} ${span[1]} ago`;
}

/** Texts that go together, one a line, indented. */
export const indent = (text: string, by = "  "): string => text.replaceAll(/^(?=.)/gmu, by);

/** Breaks text into lines between words while it is streamed. */
interface Wrapper {
  write(text: string): void;
  /** Writes what is held back, and ends the line. */
  end(): void;
}

/** A text that is there already, broken into lines. */
export function wrapped(text: string, columns: number): string {
  let lines = "";
  const wrapper = createWrapper((piece) => (lines += piece), { column: 0, columns: () => columns });
  wrapper.write(text);
  wrapper.end();
  return lines.slice(0, -1);
}

/** Characters of the scripts that are written without spaces: a line may break before each. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const pieces = new RegExp(String.raw`\n|[^\S\n]+|${unspaced}|(?:(?!${unspaced})\S)+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

/** Long lines are hard to read, however wide the terminal is. */
const widest = 100;

/** `column` is where the text begins; `columns` is asked for at every break, so that a resized terminal is followed. */
export function createWrapper(sink: (text: string) => void, options: { readonly column: number; readonly columns: () => number }): Wrapper {
  let column = options.column;
  let word = "";
  let space = "";
  /** Lines of an item of a list begin below its text. */
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
