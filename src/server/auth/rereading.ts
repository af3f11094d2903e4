import { setRecent } from "../../kernel/recent.ts";
import type { Clock } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";

/** Milliseconds that a value is used before it is read again. Those who wait are checked as often, so that what is revoked ends within two seconds. */
export const freshMs = 1_000;
/** Milliseconds that the last value is used while the store cannot be read: a known caller is still answered, with what needs no store. */
const heldMs = 600_000;
/** Milliseconds that callers wait for a new reading while an older one is held. */
const patienceMs = 1_000;
/** How many values are kept by key. */
const remembered = 10_000;

const late = (): Error => new ThroughlineError("store.unreachable", `The database has not answered within ${patienceMs} ms.`);

/** Reads a value; `fresh` reads it now, and fails where that fails. */
export type Rereading<Value> = (options?: { readonly fresh?: boolean }) => Promise<Value>;

/** Caches a reading for a second, and shares it among concurrent callers. If a later read fails or takes more than a second, the last value is used for ten minutes. */
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
    // What could not be read is read again by the next caller.
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

/** Caches a reading for each of many keys. The key that was asked for least recently is dropped first. */
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
