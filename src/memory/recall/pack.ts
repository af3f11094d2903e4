/** What of the ranked memory a prompt has room for. */

/** Something that wants a place in the prompt. */
export interface Packable {
  readonly tokens: number;
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
  return items.map((item) => {
    if (places === 0 || item.tokens > left) return false;
    places -= 1;
    left -= item.tokens;
    return true;
  });
}
