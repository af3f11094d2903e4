import type { Clock } from "./clock.ts";

/** A time limit that can be moved. */
export interface Deadline {
  /** Aborts when the limit has passed. */
  readonly signal: AbortSignal;
  /** Sets the limit again, in milliseconds from now. */
  within(ms: number, reason: () => unknown): void;
  /** Takes the limit away. */
  end(): void;
}

/** A deadline that is not set yet. One sleep serves many later limits, so that moving it with every piece of a stream costs nothing. */
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

/** What `work` resolves with, or what `late` makes once it has taken longer than `ms` milliseconds. The rest of the work is not awaited. */
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
