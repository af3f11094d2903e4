/** What of the ranked memory a prompt has room for. */

/** Something that wants a place in the prompt. */
export interface Packable {
  readonly tokens: number;
  /** Whether it is one of so many items; true if left out. */
  readonly counted?: boolean;
}

/** How much room there is. */
export interface Room {
  readonly tokens: number;
  readonly items: number;
}

/** Which of the items fit, in the order of their rank: one that is too long gives its place to shorter ones behind it. True for each that does. */
export function pack(items: readonly Packable[], { tokens, items: most }: Room): readonly boolean[] {
  let left = tokens;
  let places = most;
  return items.map(({ tokens: needed, counted = true }) => {
    if (needed > left || (counted && places === 0)) return false;
    if (counted) places -= 1;
    left -= needed;
    return true;
  });
}
