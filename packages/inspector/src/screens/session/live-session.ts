/** One session as the page has it: its log, newest events first to arrive, and everything that follows live. */
import { computed, signal } from "@preact/signals";
import { RequestError, type WireDraft, type WireEvent, type WireSession } from "@throughline/client";
import { announce } from "../../base/overlays.ts";
import { client } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";

/** Events of a page of the service. */
const pageSize = 1000;
/** Events that are read before anything else. */
const firstPage = 300;

const kindsForAll = ["message", "tool", "custom", "status", "state", "turn", "session"] as const satisfies readonly WireEvent["kind"][];
const kindsWithSafety = [...kindsForAll, "assessment"] as const;

/** A reply that is being written. */
export interface Draft {
  readonly turn_id: string;
  readonly text: string;
}

/** What a tab is given: the session, and the offset that is looked at. */
export interface TabProps {
  readonly session: LiveSession;
  readonly at: number;
}

const failureOf = (error: unknown): RequestError =>
  RequestError.is(error) ? error : new RequestError({ code: "page.failed", message: String(error) });

export class LiveSession {
  readonly id: string;
  readonly info = signal<WireSession | undefined>(undefined);
  /** In the order of their offsets, without gaps except for events that the service does not show. */
  readonly events = signal<readonly WireEvent[]>([]);
  readonly drafts = signal<readonly Draft[]>([]);
  readonly error = signal<RequestError | undefined>(undefined);
  readonly connection = signal<"connecting" | "open" | "lost">("connecting");
  /** Whether events before the first one are still to be read. */
  readonly older = signal(true);
  /** The last offset. */
  readonly head = computed(() => Math.max(this.info.value?.head ?? 0, this.events.value.at(-1)?.offset ?? 0));
  #kinds: readonly WireEvent["kind"][] = kindsWithSafety;
  #arrived: WireEvent[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Reads the session and follows it until the signal aborts. */
  async open(left: AbortSignal): Promise<void> {
    const session = client().sessions.get(this.id);
    try {
      const info = await session.info({ signal: left });
      this.info.value = info;
      const first = Math.max(0, info.head - firstPage + 1);
      const newest = await this.#readFrom(first, info.head, left);
      this.events.value = newest;
      const next = (newest.at(-1)?.offset ?? info.head) + 1;
      void this.#follow(Math.max(next, info.head + 1), left);
      await this.#readOlder(first, left);
    } catch (error) {
      if (!left.aborted) this.error.value = failureOf(error);
    }
  }

  /** Reads all events from one offset to another. A key without the scope for assessments reads the rest. */
  async #readFrom(first: number, last: number, signal: AbortSignal): Promise<WireEvent[]> {
    const session = client().sessions.get(this.id);
    const found: WireEvent[] = [];
    for (let from = first; from <= last;) {
      try {
        const query = { min_offset: from, limit: Math.min(pageSize, last - from + 1), kinds: [...this.#kinds], withdrawn: true };
        const { items, next_offset } = await session.page(query, { signal });
        found.push(...items.filter(({ offset }) => offset <= last));
        from = Math.max(next_offset, from + 1);
      } catch (error) {
        if (!RequestError.is(error, "auth.forbidden") || this.#kinds === kindsForAll) throw error;
        this.#kinds = kindsForAll;
      }
    }
    return found;
  }

  async #readOlder(before: number, left: AbortSignal): Promise<void> {
    let last = before - 1;
    try {
      while (last >= 0 && !left.aborted) {
        const first = Math.max(0, last - pageSize + 1);
        const page = await this.#readFrom(first, last, left);
        if (left.aborted) return;
        this.events.value = [...page, ...this.events.peek()];
        last = first - 1;
      }
    } catch (error) {
      // The log may be kept from a later offset on.
      if (!RequestError.is(error, "log.retained_from")) throw error;
    }
    this.older.value = false;
  }

  /** Follows the log. The service sends no drafts to readers of withdrawn events, and an event that is new was not withdrawn. */
  async #follow(minOffset: number, left: AbortSignal): Promise<void> {
    try {
      const items = client()
        .sessions.get(this.id)
        .live({
          minOffset,
          kinds: [...this.#kinds],
          signal: left,
          onConnection: (connection) => (this.connection.value = connection),
        });
      for await (const item of items) {
        if ("kind" in item) this.#take(item, left);
        else this.#draw(item);
      }
    } catch (error) {
      if (!left.aborted) this.error.value = failureOf(error);
    }
  }

  /** Takes an event. Those of one frame of the screen are shown together. */
  #take(event: WireEvent, left: AbortSignal): void {
    this.#arrived.push(event);
    if (event.kind === "session") void this.#refresh(left);
    if (this.#arrived.length > 1) return;
    // Frames do not come while the page is hidden, and a hidden page need not be drawn.
    requestAnimationFrame(() => {
      const arrived = this.#arrived;
      this.#arrived = [];
      if (left.aborted) return;
      this.events.value = [...this.events.peek(), ...arrived];
      announce("events", texts.session.arrived(arrived.length));
    });
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    try {
      this.info.value = await client().sessions.get(this.id).info({ signal });
    } catch (error) {
      if (!signal.aborted) this.error.value = failureOf(error);
    }
  }

  #draw(draft: Exclude<WireDraft, WireEvent> | { readonly type: "gone" }): void {
    const drafts = this.drafts.peek();
    if (draft.type === "draft.delta") {
      const open = drafts.find(({ turn_id }) => turn_id === draft.turn_id);
      const grown = { turn_id: draft.turn_id, text: (open?.text ?? "") + draft.text };
      this.drafts.value = [...drafts.filter((one) => one !== open), grown];
    } else if (draft.type === "draft.reset")
      this.drafts.value = draft.turn_id === undefined ? [] : drafts.filter(({ turn_id }) => turn_id !== draft.turn_id);
  }
}

/** The index of the last event at or before an offset; -1 before the first. */
export function indexAt(events: readonly WireEvent[], offset: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
