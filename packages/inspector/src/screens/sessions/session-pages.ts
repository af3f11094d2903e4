/** The sessions that match a filter, page by page. The first page is read again every few seconds. */
import { type Signal, signal } from "@preact/signals";
import type { RequestError, ResultOf } from "@throughline/client";
import { failureOf } from "../../base/page-actions.ts";
import { client, lost } from "../../base/page-service.ts";
import { readFilter } from "./session-filter.ts";

export type ListedSession = ResultOf<"listSessions">["items"][number];

/** Sessions of a page of the service. */
const pageSize = 100;
/** Milliseconds between two reads of the first page. */
const refreshMs = 5_000;

export class SessionPages {
  readonly items: Signal<readonly ListedSession[]>;
  readonly error = signal<RequestError | undefined>(undefined);
  /** Whether the first page has come. */
  readonly ready = signal(false);
  /** Whether the service has more sessions. */
  readonly more = signal(false);
  readonly #filter: string;
  #cursor: string | null = null;
  #reading = false;

  /** `before` is shown until the first page has come. */
  constructor(filter: string, before: readonly ListedSession[]) {
    this.#filter = filter;
    this.items = signal(before);
  }

  /** Reads the first page, and reads it again until the signal aborts. */
  start(left: AbortSignal): void {
    void this.#read(undefined, left);
    const timer = setInterval(() => {
      // A key that may not read the list will not be allowed to a moment later.
      if (!document.hidden && lost.peek() === undefined && this.error.peek()?.status !== 403) void this.#read(undefined, left);
    }, refreshMs);
    left.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  /** Reads the next page, if there is one. */
  next(left: AbortSignal): void {
    if (this.more.peek() && this.#cursor !== null) void this.#read(this.#cursor, left);
  }

  async #read(cursor: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const { query } = readFilter(this.#filter);
      const page = await client().sessions.list(
        { order: "desc", ...query, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      );
      if (signal.aborted) return;
      const isFirstRead = !this.ready.peek();
      if (cursor !== undefined || isFirstRead) {
        this.#cursor = page.next_cursor;
        this.more.value = page.next_cursor !== null;
      }
      if (cursor !== undefined) this.items.value = [...this.items.peek(), ...page.items];
      else this.items.value = isFirstRead ? page.items : this.#refreshed(page.items);
      this.error.value = undefined;
      this.ready.value = true;
    } catch (error) {
      if (!signal.aborted) this.error.value = failureOf(error);
    } finally {
      this.#reading = false;
    }
  }

  /** The sessions with a new first page: later pages stay as they were read. */
  #refreshed(first: readonly ListedSession[]): readonly ListedSession[] {
    if (!this.more.peek() && this.items.peek().length <= pageSize) return first;
    const ids = new Set(first.map(({ id }) => id));
    const rest = this.items
      .peek()
      .slice(Math.min(pageSize, this.items.peek().length))
      .filter(({ id }) => !ids.has(id));
    const dropped = this.items
      .peek()
      .slice(0, pageSize)
      .filter(({ id }) => !ids.has(id));
    return [...first, ...dropped, ...rest];
  }
}
