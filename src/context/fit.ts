/** What goes when there is no room for all of a prompt. */

/** What could be left out of one part. */
export interface Load {
  /** The lower goes first; undefined: it never goes. */
  readonly priority: number | undefined;
  /** Tokens of its pieces; the last one goes first. */
  readonly pieces: readonly number[];
}

/** How many pieces of each load stay, so that all together have at most `room` tokens: of equal priority the later load goes first. */
export function fit(loads: readonly Load[], room: number): readonly number[] {
  const kept = loads.map(({ pieces }) => pieces.length);
  let tokens = loads.reduce((sum, { pieces }) => sum + weightOf(pieces), 0);
  const order = loads
    .flatMap(({ priority, pieces }, index) => (priority === undefined ? [] : [{ priority, pieces, index }]))
    .toSorted((one, other) => one.priority - other.priority || other.index - one.index);
  for (const { pieces, index } of order)
    for (let last = pieces.length - 1; last >= 0 && tokens > room; last -= 1) {
      tokens -= pieces[last] ?? 0;
      kept[index] = last;
    }
  return kept;
}

const weightOf = (pieces: readonly number[]): number => pieces.reduce((sum, piece) => sum + piece, 0);

/** Whether anything more could go. */
const canGo = (loads: readonly Load[], kept: readonly number[]): boolean =>
  loads.some(({ priority }, index) => priority !== undefined && (kept[index] ?? 0) > 0);

/**
 * The most that fits, when `measure` tells what is really taken: texts joined may have other tokens than their pieces. Nothing is left out that has no priority,
 * so it may be too much all the same.
 */
export function fitExactly(loads: readonly Load[], budget: number, measure: (kept: readonly number[]) => number): readonly number[] {
  for (let room = budget; ;) {
    const kept = fit(loads, room);
    if (measure(kept) <= budget || !canGo(loads, kept)) return kept;
    room = loads.reduce((sum, { pieces }, index) => sum + weightOf(pieces.slice(0, kept[index])), 0) - 1;
  }
}
