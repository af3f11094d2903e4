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
  /** Number of items of the first page. */
  #first = 0;
  /** Whether the first page took several reads of a search. It is not read again, because each of them reads many messages. */
  #isSlow = false;
  #reading = false;
  /** Whether the next page was asked for during a read of the first one. */
  #wantsNext = false;

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
      if (!document.hidden && !this.#isSlow && lost.peek() === undefined && this.error.peek()?.status !== 403) void this.#read(undefined, left);
    }, refreshMs);
    left.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  /** Reads the next page, if there is one. */
  next(left: AbortSignal): void {
    this.#wantsNext = this.#reading;
    if (this.more.peek() && this.#cursor !== null) void this.#read(this.#cursor, left);
  }

  async #read(cursor: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const { query } = readFilter(this.#filter);
      const pageAt = (at: string | undefined) =>
        client().sessions.list({ order: "desc", ...query, limit: pageSize, ...(at === undefined ? {} : { cursor: at }) }, { signal });
      let page = await pageAt(cursor);
      // A page of a search or of waiting sessions may be empty although later ones are not.
      while (page.items.length === 0 && page.next_cursor !== null && !signal.aborted) {
        this.#isSlow ||= cursor === undefined && query.q !== undefined;
        page = await pageAt(page.next_cursor);
      }
      if (signal.aborted) return;
      const { items, next_cursor } = page;
      const known = this.items.peek();
      // The sessions with a new first page: later pages stay as they were read.
      const later = !this.ready.peek() || next_cursor === null ? [] : known.slice(this.#first);
      // A session that left the first page moved to a later one. With such a filter, it may also no longer match.
      const mayEnd = query.waits !== undefined || query.handover !== undefined || query.mode !== undefined;
      const moved = !this.ready.peek() || next_cursor === null || mayEnd ? [] : known.slice(0, this.#first);
      if (cursor !== undefined || !this.ready.peek() || next_cursor === null || (mayEnd && later.length === 0)) {
        this.#cursor = next_cursor;
        this.more.value = next_cursor !== null;
      }
      this.items.value = cursor === undefined ? joined(items, moved, later) : joined(known, items);
      if (cursor === undefined) this.#first = items.length;
      this.error.value = undefined;
      this.ready.value = true;
    } catch (error) {
      if (!signal.aborted) this.error.value = failureOf(error);
    } finally {
      this.#reading = false;
      if (this.#wantsNext && cursor === undefined && !signal.aborted) this.next(signal);
    }
  }
}

/** Joins lists of sessions. Each session is there once, where it comes first. */
function joined(...lists: readonly (readonly ListedSession[])[]): readonly ListedSession[] {
  const sessions = new Map<string, ListedSession>();
  for (const session of lists.flat()) if (!sessions.has(session.id)) sessions.set(session.id, session);
  return [...sessions.values()];
}
