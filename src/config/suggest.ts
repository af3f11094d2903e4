/** Suggestions for a misspelled name. */
import { keysOf } from "./keys.ts";
import type { Path } from "./violation.ts";

/** `; did you mean port?` for a key that is none: one that is written alike in the same block, or that has this name in another one. */
export function suggestionFor(path: Path): string {
  const word = plain(String(path.at(-1)));
  const block = path.slice(0, -1).join(".");
  const keys = keysOf();
  const beside = keys.filter(({ parent }) => parent === block).map(({ name }) => name);
  const near = word.includes(".") ? undefined : nearest(word, beside);
  if (near !== undefined) return `; did you mean ${near}?`;
  const elsewhere = keys.filter(({ name, path: whole }) => name === word || whole === word);
  const [first] = elsewhere;
  if (first === undefined) return "";
  const blocks = elsewhere.map(({ parent }) => (parent === "" ? "outside of all blocks" : `in the block ${parent}`));
  return `; did you mean ${first.name}, ${blocks.join(" or ")}?`;
}

/** `; did you mean info?` for a value that is none of those that may stand there. */
export function suggestionAmong(word: string, words: readonly string[]): string {
  const near = nearest(plain(word), words);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The word that is written most alike, if one is alike enough to be meant. */
export const nearest = (word: string, words: readonly string[]): string | undefined =>
  words
    .map((other) => ({ other, far: distance(word, other) }))
    .filter(({ other, far }) => word.startsWith(other) || far <= Math.max(1, Math.floor(Math.max(word.length, other.length) / 3)))
    .toSorted((one, next) => one.far - next.far)[0]?.other;

/** As keys are written: `drainSeconds` and `Drain-Seconds` are `drain_seconds`. */
const plain = (word: string): string =>
  word
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/gu, "_")
    .replaceAll("-", "_")
    .toLowerCase();

/** How many letters must be added, taken out, changed or swapped to make one word of another. */
function distance(one: string, other: string): number {
  const longest = 64;
  const [from, to] = [one.slice(0, longest), other.slice(0, longest)];
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    rows.push(next);
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const changed = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (same ? 0 : 1));
      next.push(swapped && row > 1 && column > 1 ? Math.min(changed, at(row - 2, column - 2) + 1) : changed);
    }
  }
  return at(from.length, to.length);
}
