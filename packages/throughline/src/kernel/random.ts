import { getRandomValues } from "node:crypto";

/** Randomness, as a port. */
export interface Random {
  /** Returns `size` random bytes. */
  bytes(size: number): Uint8Array;
}

/** Random bytes from the operating system. */
export const systemRandom: Random = { bytes: (size) => getRandomValues(new Uint8Array(size)) };
