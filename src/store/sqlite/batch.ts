import { ThroughlineError } from "../../kernel/error.ts";

/** Group commit: what is asked for within one turn of the event loop is written in one transaction, so that one fsync serves all of it. */

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

/** `transaction` runs its argument in one transaction, at once. */
export function createBatch(transaction: <Result>(work: () => Result) => Result): Batch {
  const waiting: Entry[] = [];
  let flushing: Promise<void> | undefined;

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
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      write(waiting.splice(0, mostAtOnce));
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
