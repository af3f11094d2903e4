/** The client's time and randomness. The client has no dependencies, so it cannot use the kernel's ports. */

/** A unique idempotency key. */
export const newKey = (): string => crypto.randomUUID();

/** A random number from 0 to 1. */
export const chance = (): number => Math.random();

/** Milliseconds since 1970-01-01 UTC. */
export const now = (): number => Date.now();
