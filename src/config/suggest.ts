/** What somebody may have meant. */
import { keysOf } from "./keys.ts";
import type { Path } from "./violation.ts";

/** `; did you mean "port"?` for a key that is none: one that is written alike in the same block, or that has this name in another one. */
export function suggestionFor(path: Path): string {
  const word = plain(String(path.at(-1)));
  const block = path.slice(0, -1).join(".");
  const keys = keysOf();
  const near = keys
    .filter(({ parent }) => parent === block)
    .map(({ name }) => ({ name, distance: distance(word, name) }))
    .filter(({ name, distance: far }) => far <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
    .toSorted((one, other) => one.distance - other.distance)[0];
  const meant = near?.name ?? keys.find(({ name, parent }) => name === word && parent !== block)?.path;
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

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
