/** The same text for everybody: seeded pseudo-English, 200 bytes asked and 600 answered. */

export interface Turn {
  /** Counts from 1. */
  readonly number: number;
  readonly asked: string;
  readonly answered: string;
}

/** Bytes of text in a turn. */
export const turnBytes = 800;

const syllables = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za an el in or ut".split(" ");

/** A generator of numbers from 0 to below 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function prose(bytes: number, next: () => number): string {
  let text = "";
  while (text.length < bytes) {
    const length = 1 + Math.floor(next() * 4);
    text += `${Array.from({ length }, () => syllables[Math.floor(next() * syllables.length)]).join("")}${next() < 0.1 ? ". " : " "}`;
  }
  return text.slice(0, bytes);
}

/** Turn `number` of the conversation. */
export function turnOf(number: number): Turn {
  const next = random(number);
  return { number, asked: prose(200, next), answered: prose(600, next) };
}
