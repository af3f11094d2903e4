/** Stops waiting: at a deadline, or when a signal aborts. */
import type { Clock } from "./clock.ts";
import { ThroughlineError } from "./error.ts";

/** The reason of aborts that only end a wait whose rejection nobody sees. An abort without a reason makes an error with its stack each time. */
export const finished = new ThroughlineError("aborted");

/** A time limit that can be moved. */
export interface Deadline {
  /** Aborts when the limit has passed. */
  readonly signal: AbortSignal;
  /** Sets the limit, in milliseconds from now. The signal aborts with the result of `reason`. */
  within(ms: number, reason: () => unknown): void;
  /** Removes the limit. */
  end(): void;
}

/** Creates a deadline without a limit. It reuses one sleep for all later limits, so moving the limit with every chunk of a stream is cheap. */
export function createDeadline(clock: Clock): Deadline {
  const passed = new AbortController();
  let sleep = new AbortController();
  let due = Number.POSITIVE_INFINITY;
  let wakes = Number.POSITIVE_INFINITY;
  let why: () => unknown = () => undefined;

  const wait = async (until: number, { signal }: AbortController): Promise<void> => {
    wakes = until;
    await clock.sleep(Math.max(0, until - clock.monotonic()), signal);
    if (due === Number.POSITIVE_INFINITY) wakes = due;
    else if (due > clock.monotonic()) start(due);
    else passed.abort(why());
  };
  const start = (until: number): void => {
    sleep = new AbortController();
    wait(until, sleep).catch(() => {});
  };
  return {
    signal: passed.signal,
    within(ms, reason) {
      due = clock.monotonic() + ms;
      why = reason;
      if (due >= wakes) return;
      sleep.abort();
      start(due);
    },
    end() {
      due = wakes = Number.POSITIVE_INFINITY;
      sleep.abort();
    },
  };
}

/** Resolves with the result of `work`. If `work` takes longer than `ms` milliseconds, rejects with the error from `late` and does not wait for `work`. */
export async function inTime<Result>(
  clock: Clock,
  work: Promise<Result>,
  { ms, late }: { readonly ms: number; readonly late: () => Error },
): Promise<Result> {
  const done = new AbortController();
  const passed = clock.sleep(ms, done.signal).then(() => {
    throw late();
  });
  passed.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, passed]);
  } finally {
    done.abort();
  }
}

/** Resolves with the result of `work`. When the signal aborts, rejects immediately with the signal's reason and does not wait for `work`. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) {
    work.catch(() => {});
    throw signal.reason;
  }
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => {});
  }
}

/** Yields the items of `items` until the signal aborts. Then throws the signal's reason immediately, even if the source ignores the signal. */
export async function* abortableItems<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let open = true;
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done === true) {
        open = false;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited, because a hanging source would block the caller.
    if (open) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
