import { setRecent, inTime } from "throughline/internal";
import { type Clock, ThroughlineError } from "throughline/kernel";

/** Milliseconds for which a cached value is fresh. Waiting callers are checked at the same interval, so a revocation takes effect within two seconds. */
export const freshMs = 1_000;
/** Milliseconds for which a stale value is used while the store is unreadable. Known callers can then use operations that need no store. */
const heldMs = 600_000;
/** Milliseconds that a caller waits for a new read while a stale value exists. */
const patienceMs = 1_000;
/** Maximum number of cached keys. */
const remembered = 10_000;

const late = (): Error => new ThroughlineError("store.unreachable", `The database has not answered within ${patienceMs} ms.`);

/** Reads a cached value. `fresh` forces a read and fails if that read fails. */
export type Rereading<Value> = (options?: { readonly fresh?: boolean }) => Promise<Value>;

/**
 * Caches a read for one second and shares it among concurrent callers. If a later read fails or takes more than a second, the last value is used for
 * up to ten minutes.
 */
export function rereading<Value>(clock: Clock, read: () => Promise<Value>): Rereading<Value> {
  let last: { readonly value: Promise<Value>; readonly at: number } | undefined;
  let held: { readonly value: Value; readonly at: number } | undefined;
  const again = async (at: number): Promise<Value> => {
    const value = await read();
    if (held === undefined || held.at <= at) held = { value, at };
    return value;
  };
  const start = (at: number): Promise<Value> => {
    const value = again(at);
    const reading = { value, at };
    last = reading;
    // The next caller retries a failed read.
    value.catch(() => {
      if (last === reading) last = undefined;
    });
    return value;
  };
  return async ({ fresh = false } = {}) => {
    const now = clock.monotonic();
    if (fresh) return start(now);
    const value = last !== undefined && now - last.at < freshMs ? last.value : start(now);
    try {
      return await (held === undefined ? value : inTime(clock, value, { ms: patienceMs, late }));
    } catch (error) {
      if (held !== undefined && now - held.at < heldMs) return held.value;
      throw error;
    }
  };
}

/** Caches one read per key. Evicts the least recently used key first. */
export function rereadingEach<Value>(
  clock: Clock,
  read: (key: string) => Promise<Value>,
): (key: string, options?: { readonly fresh?: boolean }) => Promise<Value> {
  const known = new Map<string, Rereading<Value>>();
  return (key, options) => {
    const reading = known.get(key) ?? rereading(clock, () => read(key));
    setRecent(known, key, reading, remembered);
    return reading(options);
  };
}
