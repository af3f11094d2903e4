import { type Clock, systemClock } from "./clock.ts";

/** Long work, split into slices. Other work of the process runs between two slices. */
export interface Slices {
  /** Whether the current slice has used up its time. Call `rest` then. */
  readonly isOver: boolean;
  /** Total time worked, in milliseconds. */
  readonly workedMs: number;
  /** Ends the slice. The next one starts when the promise resolves. */
  rest(): Promise<void>;
}

/** Starts a slice. `sliceMs`: maximum length of a slice, 4 by default. Even if the caller checks late, other work then waits less than 10 ms. */
export function inSlices({ clock = systemClock, sliceMs = 4 }: { readonly clock?: Clock; readonly sliceMs?: number } = {}): Slices {
  let began = clock.monotonic();
  let worked = 0;
  return {
    get isOver() {
      return clock.monotonic() - began >= sliceMs;
    },
    get workedMs() {
      return worked + clock.monotonic() - began;
    },
    rest: async () => {
      worked += clock.monotonic() - began;
      await new Promise((resolve) => setImmediate(resolve));
      began = clock.monotonic();
    },
  };
}

/** Runs steps of work in slices. When `signal` aborts, the work ends between two steps, without an error. */
export async function doInSlices(steps: Iterable<unknown>, options: { readonly clock?: Clock; readonly signal?: AbortSignal } = {}): Promise<void> {
  const slices = inSlices(options);
  for (const _ of steps) {
    if (options.signal?.aborted === true) return;
    if (slices.isOver) await slices.rest();
  }
}
