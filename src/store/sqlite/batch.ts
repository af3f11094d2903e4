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

/** `transaction` runs its argument in one transaction, at once. */
export function createBatch(transaction: <Result>(work: () => Result) => Result): Batch {
  const waiting: Entry[] = [];
  let flushing: Promise<void> | undefined;
  /** How many to write at once. */
  let size = mostAtOnce;

  /**
   * Runs entries together; an error of one undoes all, so each is then run on its own and fails or succeeds by itself. A locked database is
   * not waited for once per entry.
   */
  const write = (entries: readonly Entry[]): void => {
    try {
      const settle = transaction(() => entries.map((entry) => entry.run()));
      for (const resolve of settle) resolve();
    } catch (error) {
      if (entries.length === 1 || ThroughlineError.is(error, "store.busy")) for (const entry of entries) entry.reject(error);
      else for (const entry of entries) write([entry]);
    }
  };
  const flush = async (): Promise<void> => {
    let began: number | undefined;
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = processorMs();
      // Those who waited for the last group have gone on by now: what they did before the event loop moved on is part of its slice.
      if (began !== undefined && now - began > sliceMs) size = Math.max(leastAtOnce, Math.floor((size * sliceMs) / (now - began)));
      else if (began !== undefined) size = Math.min(mostAtOnce, size + leastAtOnce);
      began = now;
      write(waiting.splice(0, size));
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
