/** Where the client's time and randomness come from: it stands alone, so it has no ports of the kernel. */

/** A name that no other request has. */
export const newKey = (): string => crypto.randomUUID();

/** From 0 to 1. */
export const chance = (): number => Math.random();

/** Milliseconds since 1970-01-01 UTC. */
export const now = (): number => Date.now();
