import { getRandomValues } from "node:crypto";

/** Randomness, as a port. */
export interface Random {
  /** Returns `size` random bytes. */
  bytes(size: number): Uint8Array;
}

/** Random bytes that were fetched ahead, because ids need a few at a time and a fetch costs as much for 16 bytes as for some hundred. */
const pool = new Uint8Array(512);
let used = pool.length;
/** Maximum bytes to take from the pool. Keys are longer. */
const mostPooled = 16;

/** Random bytes from the operating system. None is given out twice. */
export const systemRandom: Random = {
  bytes(size) {
    if (size > mostPooled) return getRandomValues(new Uint8Array(size));
    if (used + size > pool.length) {
      getRandomValues(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + size);
    pool.fill(0, used, used + size);
    used += size;
    return bytes;
  },
};
