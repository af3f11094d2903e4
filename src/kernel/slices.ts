import { type Clock, systemClock } from "./clock.ts";

/** Work that takes long, done in slices: between two of them the process's other work has its turn. */
export interface Slices {
  /** Whether the slice has lasted as long as it may: then it is time to `rest`. */
  readonly isOver: boolean;
  /** Milliseconds that were worked. */
  readonly workedMs: number;
  /** Ends the slice; the next one begins when it resolves. */
  rest(): Promise<void>;
}

/** Begins a slice. `sliceMs`: how long each may last; 4 by default, so that what is looked at a little late still holds nobody up for 10. */
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

/** Does work that comes in steps, in slices. `signal` ends it between two steps, without an error. */
export async function doInSlices(steps: Iterable<unknown>, options: { readonly clock?: Clock; readonly signal?: AbortSignal } = {}): Promise<void> {
  const slices = inSlices(options);
  for (const _ of steps) {
    if (options.signal?.aborted === true) return;
    if (slices.isOver) await slices.rest();
  }
}
