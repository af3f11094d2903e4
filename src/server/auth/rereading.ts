import type { Clock } from "../../kernel/clock.ts";

/** What is read is good for so long. */
const freshMs = 2_000;
/** So long it holds where it cannot be read again: whoever could prove who they are is still answered, with what a service has to say without its database. */
const heldMs = 600_000;

/** A reading that is made anew when it is older than two seconds, and for many callers at once one time. Where that fails, the last one that did not holds for ten minutes. */
export function rereading<Value>(clock: Clock, read: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly value: Promise<Value>; readonly at: number } | undefined;
  let held: { readonly value: Value; readonly at: number } | undefined;
  const again = async (at: number): Promise<Value> => {
    try {
      const value = await read();
      if (held === undefined || held.at <= at) held = { value, at };
      return value;
    } catch (error) {
      // What could not be read is read again by whoever asks next.
      last = undefined;
      if (held !== undefined && at - held.at < heldMs) return held.value;
      throw error;
    }
  };
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at >= freshMs) last = { value: again(now), at: now };
    return last.value;
  };
}
