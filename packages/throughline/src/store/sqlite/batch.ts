import { ThroughlineError } from "../../kernel/error.ts";

/**
 * Group commit: what is asked for within one turn of the event loop is written in one transaction, so that one fsync serves all of it. A group is
 * kept so small that writing it, and what those do at once who waited for it, takes a slice of a few milliseconds: timers and sockets have their turn
 * between two slices.
 */

export interface Batch {
  /** Runs `work` with the next batch and settles when that is on disk. */
  add<Result>(work: () => Result): Promise<Result>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

interface Entry {
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

const mostAtOnce = 64;
/** However slow the machine is: fewer would wait for the disk more often than for the processor. */
const leastAtOnce = 8;
/** Milliseconds of the processor that a group should cost. Waiting for the disk is left out: smaller groups would only wait more often. */
const sliceMs = 4;

/** Milliseconds for which this thread has had the processor. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds between two tries for a lock that another process has: timers and sockets have their turn meanwhile. */
const lockPauseMs = 25;

/**
 * `transaction` runs its argument in one transaction, at once; `store.busy` when another process has the lock, which is tried for again for `busyMs` in all.
 */
export function createBatch(transaction: <Result>(work: () => Result) => Result, { busyMs }: { readonly busyMs: number }): Batch {
  const waiting: Entry[] = [];
  let flushing: Promise<void> | undefined;
  /** How many to write at once. */
  let size = mostAtOnce;

  /**
   * Runs entries together; an error of one undoes all, so each is then run on its own and fails or succeeds by itself. A locked database is
   * not waited for once per entry.
   */
  const write = (entries: readonly Entry[], isLast: boolean): "locked" | "settled" => {
    try {
      const settle = transaction(() => entries.map((entry) => entry.run()));
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
      // The callers of the last group have continued: what they did before the event loop moved on is part of its slice.
      if (began !== undefined && now - began > sliceMs) size = Math.max(leastAtOnce, Math.floor((size * sliceMs) / (now - began)));
      else if (began !== undefined) size = Math.min(mostAtOnce, size + leastAtOnce);
      began = now;
      await writeOnceFree(waiting.splice(0, size));
    }
    flushing = undefined;
  };
  return {
    add: <Result>(work: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const run = (): (() => void) => {
          const result = work();
          return () => resolve(result);
        };
        waiting.push({ run, reject });
        flushing ??= flush();
      }),
    settled: async () => flushing,
  };
}
