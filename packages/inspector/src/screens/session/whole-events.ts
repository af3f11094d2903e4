/** Whole events of a log, read when they are shown in detail. Those that were read lately are kept. */
import { signal } from "@preact/signals";
import type { WireEvent } from "@throughline/client";
import type { Line } from "../../parts/event-line.ts";

/** How many events are kept. */
const mostKept = 3_000;

/** Reads events of some kinds from an offset on. */
export type ReadEvents = (query: {
  readonly min_offset: number;
  readonly limit: number;
  readonly kinds: readonly WireEvent["kind"][];
}) => Promise<{ readonly items: readonly WireEvent[]; readonly next_offset: number }>;

export class WholeEvents {
  /** Changes with each event that comes. */
  readonly version = signal(0);
  readonly #read: ReadEvents;
  readonly #failed: (error: unknown) => void;
  readonly #events = new Map<number, WireEvent>();
  #wanted: readonly Line[] | undefined;
  #isReading = false;

  constructor(read: ReadEvents, failed: (error: unknown) => void) {
    this.#read = read;
    this.#failed = failed;
  }

  get(offset: number): WireEvent | undefined {
    return this.#events.get(offset);
  }

  /** Takes events that came otherwise. */
  take(events: readonly WireEvent[]): void {
    for (const event of events) this.#events.set(event.offset, event);
    for (const offset of this.#events.keys()) {
      if (this.#events.size <= mostKept) break;
      this.#events.delete(offset);
    }
    this.version.value += 1;
  }

  /** Forgets events whose data has changed. */
  forget(offsets: readonly number[]): void {
    for (const offset of offsets) this.#events.delete(offset);
    this.version.value += 1;
  }

  /** Wants the events of some lines. Those that were wanted before and are not read yet are left. */
  want(lines: readonly Line[]): void {
    this.#wanted = lines;
    if (!this.#isReading) void this.#readWanted();
  }

  async #readWanted(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted !== undefined) {
        const missing = this.#wanted.filter(({ offset }) => !this.#events.has(offset));
        this.#wanted = undefined;
        await this.#readMissing(missing);
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readMissing(missing: readonly Line[]): Promise<void> {
    const kinds = [...new Set(missing.map(({ kind }) => kind))];
    const last = missing.at(-1)?.offset ?? -1;
    for (let next = missing[0]?.offset ?? 0; next <= last && this.#wanted === undefined;) {
      // Other events of these kinds may lie in between.
      const limit = Math.min(1000, last - next + 1, missing.length * 3);
      const { items, next_offset } = await this.#read({ min_offset: next, limit, kinds });
      this.take(items.filter(({ offset }) => offset <= last));
      next = Math.max(next + 1, next_offset);
    }
  }
}
