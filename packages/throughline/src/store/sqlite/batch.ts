import { ThroughlineError } from "../../kernel/error.ts";

/**
 * Group commit: writes of one turn of the event loop share one transaction and one fsync. A group is small enough that writing it, and the immediate
 * work of its callers, takes a slice of a few milliseconds. Timers and sockets run between two slices.
 */

export interface Batch {
  /** Runs `work` with the next batch and settles when that is committed, and on disk if `isDurable`. */
  add<Result>(work: () => Result, options: { readonly isDurable: boolean }): Promise<Result>;
  /** Resolves when nothing is in progress. */
  settled(): Promise<void>;
}

interface Entry {
  readonly isDurable: boolean;
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

const mostAtOnce = 64;
/** Minimum size of a group, even on a slow machine. Smaller groups would wait for the disk more often than for the processor. */
const leastAtOnce = 8;
/** Target milliseconds of processor time for a group. Waiting for the disk does not count, because smaller groups would only wait more often. */
const sliceMs = 4;

/** Returns the processor time of this thread in milliseconds. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds between two tries for a lock of another process. Timers and sockets run meanwhile. */
const lockPauseMs = 25;

/**
 * `transaction` runs its argument synchronously in one transaction, which is on disk at its return if `isDurable`. It throws `store.busy` when another process has the lock. Tries for the lock
 * again for `busyMs` in total.
 */
export function createBatch(transaction: <Result>(work: () => Result, isDurable: boolean) => Result, { busyMs }: { readonly busyMs: number }): Batch {
  const waiting: Entry[] = [];
  let flushing: Promise<void> | undefined;
  /** Current size of a group. */
  let size = mostAtOnce;

  /** Runs entries together. An error of one rolls back all, so each then runs on its own. A locked database is not awaited separately for each entry. */
  const write = (entries: readonly Entry[], isLast: boolean): "locked" | "settled" => {
    try {
      const settle = transaction(
        () => entries.map((entry) => entry.run()),
        entries.some(({ isDurable }) => isDurable),
      );
      for (const resolve of settle) resolve();
    } catch (error) {
      const isLocked = ThroughlineError.is(error, "store.busy");
      if (isLocked && !isLast) return "locked";
      if (entries.length === 1 || isLocked) for (const entry of entries) entry.reject(error);
      else for (const entry of entries) write([entry], true);
    }
    return "settled";
  };
  const writeOnceFree = async (entries: readonly Entry[]): Promise<void> => {
    const most = Math.ceil(busyMs / lockPauseMs);
    for (let tries = 1; write(entries, tries > most) === "locked"; tries++) await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
  };
  const flush = async (): Promise<void> => {
    let began: number | undefined;
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = processorMs();
      // The callers of the last group have continued. Their work before the event loop moved on counts for its slice.
      if (began !== undefined && now - began > sliceMs) size = Math.max(leastAtOnce, Math.floor((size * sliceMs) / (now - began)));
      else if (began !== undefined) size = Math.min(mostAtOnce, size + leastAtOnce);
      began = now;
      await writeOnceFree(waiting.splice(0, size));
    }
    flushing = undefined;
  };
  return {
    add: <Result>(work: () => Result, { isDurable }: { readonly isDurable: boolean }) =>
      new Promise<Result>((resolve, reject) => {
        const run = (): (() => void) => {
          const result = work();
          return () => resolve(result);
        };
        waiting.push({ run, reject, isDurable });
        flushing ??= flush();
      }),
    settled: async () => flushing,
  };
}
