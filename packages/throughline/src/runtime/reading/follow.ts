import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId, TraceId } from "../../kernel/id.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { EventKind, EventSource } from "../../store/port.ts";
import { refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import { DraftFeed } from "./draft-feed.ts";
import type { Draft } from "../turn/drafts.ts";
import { PageSize } from "./page-size.ts";

/** Which events to read. */
export interface EventFilter {
  /** First offset. Defaults to the log's first one. To resume, pass the last offset seen plus one. */
  readonly minOffset?: number;
  readonly maxOffset?: number;
  readonly kinds?: readonly EventKind[];
  readonly source?: EventSource;
  readonly traceId?: TraceId;
  /** Whether to return withdrawn events too. Defaults to false. */
  readonly withdrawn?: boolean;
  /** Whether to wait for new events. Defaults to true. */
  readonly follow?: boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const never = new AbortController().signal;

/** A position in the log. Every event below the offset was read, and the matching ones were returned. */
export interface Position {
  readonly type: "position";
  readonly next_offset: number;
}

/** A part of a log that was read, with its matching events. */
export interface LogPage {
  readonly events: readonly Event[];
  readonly next_offset: number;
  /** The last offset at the time of the read. */
  readonly head: number;
}

/** Dependencies for following a log. */
export type Follower = Pick<RuntimeContext, "store">;

/** Yields pages in order, the existing ones and then new ones. A page is empty if no event matches the filter. Ends when the signal aborts. */
export async function* followPages(
  runtime: Follower,
  session_id: SessionId,
  filter: EventFilter,
  size = new PageSize(),
): AsyncGenerator<LogPage, void, undefined> {
  const { minOffset, maxOffset = Number.MAX_SAFE_INTEGER, kinds, source, traceId, withdrawn = false, follow = true, signal = never } = filter;
  for (const [path, offset] of Object.entries({ minOffset, maxOffset })) {
    if (offset === undefined || (Number.isSafeInteger(offset) && offset >= 0)) continue;
    throw new ThroughlineError("input.invalid", `${path} is a whole number from 0, got ${seen(offset)}.`, { details: { path } });
  }
  let next = minOffset;
  while (!signal.aborted && (next ?? 0) <= maxOffset) {
    const page = await runtime.store.read({
      session_id,
      ...(next === undefined ? {} : { min_offset: next }),
      limit: size.limit,
      withdrawn,
      ...(maxOffset === Number.MAX_SAFE_INTEGER ? {} : { max_offset: maxOffset }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(source === undefined ? {} : { source }),
      ...(traceId === undefined ? {} : { trace_id: traceId }),
    });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    next = page.next_offset;
    size.note(page.events);
    yield { events: page.events.map((stored) => decodeEvent(stored)), next_offset: next, head: page.head };
    if (next <= Math.min(page.head, maxOffset)) continue;
    if (!follow || !(await moved(runtime, session_id, page.head, signal))) return;
  }
}

/** Yields events in order, each once, and after the events of a page its end position. */
export async function* followLog(runtime: Follower, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event | Position, void, undefined> {
  for await (const { events, next_offset } of followPages(runtime, session_id, filter)) {
    for (const event of events) {
      if (filter.signal?.aborted === true) return;
      yield event;
    }
    yield { type: "position", next_offset };
  }
}

/** Yields events in order, each once: the existing ones, then new ones. Ends when the signal aborts. */
export async function* followEvents(runtime: Follower, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event, void, undefined> {
  for await (const item of followLog(runtime, session_id, filter)) if ("kind" in item) yield item;
}

/** Waits until the log has grown. Returns false if the reader has left. */
async function moved(runtime: Follower, session_id: SessionId, head: number, signal: AbortSignal): Promise<boolean> {
  try {
    await runtime.store.watch(session_id, head, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Event kinds that can end a text. They are read whether or not the reader wants them. */
const ending: readonly EventKind[] = ["message", "turn", "session"];

/** The next item of the log for the reader. */
type Come = IteratorResult<Event | Position, void> | { readonly error: unknown };

function tellOf(feed: DraftFeed, come: Come): void {
  if ("error" in come || come.done === true) feed.gone();
  else if ("kind" in come.value) feed.event(come.value);
}

/**
 * Yields events in order, each once, and drafts between them. A draft comes after the events that preceded it in the log. Its reset comes before the
 * event that ends it. Items that a slow reader has not taken use bounded space: one page of events, and the open draft in fewer pieces.
 */
export async function* streamSession(
  runtime: Follower,
  session_id: SessionId,
  options: StreamOptions,
): AsyncGenerator<Event | Draft, void, undefined> {
  for await (const item of streamLog(runtime, session_id, options)) if ("kind" in item || item.type !== "position") yield item;
}

/** Filter of the streamed events. */
export type StreamOptions = Pick<EventFilter, "minOffset" | "kinds" | "signal">;

/** Does the same, and yields the end position after the events of each page. */
export async function* streamLog(
  runtime: Follower,
  session_id: SessionId,
  options: StreamOptions,
): AsyncGenerator<Event | Draft | Position, void, undefined> {
  const { kinds } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  if (signal.aborted) return;
  const row = await runtime.store.open({ session_id });
  if (row === undefined) throw refused({ reason: "session_missing" }, session_id);
  const calls = kinds === undefined || kinds.includes("tool");
  const feed = new DraftFeed(session_id, { epoch: row.epoch, minOffset: options.minOffset ?? 0, calls });
  let wake = (): void => {};
  const stop = await runtime.store.watchDrafts(session_id, (piece) => {
    feed.piece(piece);
    wake();
  });
  const filter = { ...options, signal, ...(kinds === undefined ? {} : { kinds: [...new Set([...kinds, ...ending])] }) };
  const events = followLog(runtime, session_id, filter);
  let next: Promise<void> | undefined;
  let come: Come | undefined;
  const ask = async (): Promise<void> => {
    come = await events.next().catch((error: unknown) => ({ error }));
    wake();
  };
  const sleeping = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const isWanted = (item: Event | Position): boolean => !signal.aborted && (!("kind" in item) || kinds?.includes(item.kind) !== false);
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      next ??= ask();
      const here: Come | undefined = come;
      if (here !== undefined) tellOf(feed, here);
      // Items that arrive while the reader takes these do not delay the event.
      for (let count = feed.size; count > 0 && !signal.aborted; count--) yield* feed.next();
      if (here === undefined) {
        await (come === undefined && feed.size === 0 ? sleeping() : undefined);
        continue;
      }
      if ("error" in here) throw here.error;
      if (here.done === true) return;
      come = next = undefined;
      if (isWanted(here.value)) yield here.value;
      feed.passed("kind" in here.value ? here.value.offset + 1 : here.value.next_offset);
    }
  } finally {
    left.abort();
    stop();
    await next;
  }
}
