import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId, TraceId } from "../../kernel/id.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { EventKind, EventSource } from "../../store/port.ts";
import { refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import { DraftFeed } from "./draft-feed.ts";
import type { Draft } from "../turn/drafts.ts";
import { PageSize } from "./page-size.ts";

/** Which events to read. */
export interface EventFilter {
  /** First offset; the log's own first by default. Resume with the last offset seen plus one. */
  readonly minOffset?: number;
  readonly maxOffset?: number;
  readonly kinds?: readonly EventKind[];
  readonly source?: EventSource;
  readonly traceId?: TraceId;
  /** Also return what was withdrawn; false by default. */
  readonly withdrawn?: boolean;
  /** Wait for events to come; true by default. */
  readonly follow?: boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const never = new AbortController().signal;

/** Everything below the offset was looked at, and what the filter leaves of it was handed out. */
export interface Position {
  readonly type: "position";
  readonly next_offset: number;
}

/** A part of a log that was looked at, and what the filter leaves of it. */
export interface LogPage {
  readonly events: readonly Event[];
  readonly next_offset: number;
  /** The last offset at the time of the read. */
  readonly head: number;
}

/** What following a log takes. */
export type Follower = Pick<RuntimeContext, "store">;

/** Pages in order: those there are, then those that come; one may be empty, where nothing passes the filter. Ends when the signal aborts. */
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

/** Events in order, each once, and after those of a page where it ends. */
export async function* followLog(runtime: Follower, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event | Position, void, undefined> {
  for await (const { events, next_offset } of followPages(runtime, session_id, filter)) {
    for (const event of events) {
      if (filter.signal?.aborted === true) return;
      yield event;
    }
    yield { type: "position", next_offset };
  }
}

/** Events in order, each once: those there are, then those that come. Ends when the signal aborts. */
export async function* followEvents(runtime: Follower, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event, void, undefined> {
  for await (const item of followLog(runtime, session_id, filter)) if ("kind" in item) yield item;
}

/** Whether the log has grown; false when the reader left. */
async function moved(runtime: Follower, session_id: SessionId, head: number, signal: AbortSignal): Promise<boolean> {
  try {
    await runtime.store.watch(session_id, head, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Kinds that tell of the end of a text: read whether or not the reader wants them. */
const ending: readonly EventKind[] = ["message", "turn", "session"];

/** What the log has for the reader next. */
type Come = IteratorResult<Event | Position, void> | { readonly error: unknown };

function tellOf(feed: DraftFeed, come: Come): void {
  if ("error" in come || come.done === true) feed.gone();
  else if ("kind" in come.value) feed.event(come.value);
}

/**
 * Events in order, each once, and between them drafts, each after the events that were in the log before it began. What a reader does not take yet
 * waits in bounded space: one page of events, and of drafts the one that is open, in fewer pieces. A draft's reset comes before the event that ends it.
 */
export async function* streamSession(
  runtime: Follower,
  session_id: SessionId,
  options: StreamOptions,
): AsyncGenerator<Event | Draft, void, undefined> {
  for await (const item of streamLog(runtime, session_id, options)) if ("kind" in item || item.type !== "position") yield item;
}

/** Which events to stream. */
export type StreamOptions = Pick<EventFilter, "minOffset" | "kinds" | "signal">;

/** The same, and after the events of each page where it ends. */
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
      // What comes while the reader takes these does not hold up the event.
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
