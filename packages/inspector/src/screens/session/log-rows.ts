/** Lines as rows of a list. */
import type { Line } from "../../parts/event-line.ts";

/** Rows of a list of lines. */
export interface Rows {
  readonly count: number;
  /** The line of a row; undefined while its page is not loaded. */
  at(index: number): Line | undefined;
  /** The row of the last line at or before an offset; -1 before the first. */
  indexOf(offset: number): number;
}

/** The index of the last line at or before an offset; -1 before the first. */
export function indexAt(lines: readonly Pick<Line, "offset">[], offset: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Rows of lines that are all loaded. */
export const rowsOf = (lines: readonly Line[]): Rows => ({
  count: lines.length,
  at: (index) => lines[index],
  indexOf: (offset) => indexAt(lines, offset),
});
