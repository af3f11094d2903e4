import { getRandomValues } from "node:crypto";

/** Randomness, as a port. */
export interface Random {
  /** `size` random bytes. */
  bytes(size: number): Uint8Array;
}

/** The operating system's randomness. */
export const systemRandom: Random = { bytes: (size) => getRandomValues(new Uint8Array(size)) };
