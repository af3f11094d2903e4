/** Reads a session's log: one event, a part of the log, or the log as it grows. */
import { invalidAt } from "../../extension/failure.ts";
import { headerOf, refused } from "../../extension/commit.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { eventIdOf, type SessionId, type TraceId } from "../../kernel/id.ts";
import { type Json, present } from "../../kernel/json.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { EventKind, EventSource, Store, StoredEvent } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import type { Draft } from "../turn/drafts.ts";
import { DraftFeed, type FedDraft, type FeedStart } from "./draft-feed.ts";

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
interface Position {
  readonly type: "position";
  readonly next_offset: number;
}

/** A part of a log that was read, with its matching events. */
interface LogPage {
  readonly events: readonly Event[];
  readonly next_offset: number;
  /** The last offset at the time of the read. */
  readonly head: number;
}

/** Dependencies for following a log. */
type Follower = Pick<RuntimeContext, "store">;

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
    throw invalidAt("input.invalid", path, `${path} is a whole number from 0, got ${seen(offset)}.`);
  }
  let next = minOffset;
  while (!signal.aborted && (next ?? 0) <= maxOffset) {
    const page = await runtime.store.read({
      session_id,
      ...present({ min_offset: next }),
      limit: size.limit,
      withdrawn,
      ...(maxOffset === Number.MAX_SAFE_INTEGER ? {} : { max_offset: maxOffset }),
      ...present({ kinds, source, trace_id: traceId }),
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

/** The drafts of a session, which one reader takes. */
export interface WatchedDrafts {
  readonly feed: DraftFeed;
  /** Calls `wake` after each piece from now on. */
  readonly onPiece: (wake: () => void) => void;
  readonly stop: () => void;
}

/** Starts to watch the drafts of a session. Pieces wait for the events that precede them, in bounded space. */
export async function watchDrafts(
  runtime: Follower,
  session_id: SessionId,
  { calls = true }: Partial<Pick<FeedStart, "calls">> = {},
): Promise<WatchedDrafts> {
  const row = await runtime.store.open({ session_id });
  if (row === undefined) throw refused({ reason: "session_missing" }, session_id);
  const feed = new DraftFeed(session_id, { epoch: row.epoch, minOffset: 0, calls });
  let wake = (): void => {};
  const stop = await runtime.store.watchDrafts(session_id, (piece) => {
    feed.piece(piece);
    wake();
  });
  return { feed, onPiece: (listen) => void (wake = listen), stop };
}

/** Does the same, and yields the end position after the events of each page. */
export async function* streamLog(
  runtime: Follower,
  session_id: SessionId,
  options: StreamOptions,
): AsyncGenerator<Event | Draft | Position, void, undefined> {
  const { kinds } = options;
  const watched = await watchDrafts(runtime, session_id, { calls: kinds === undefined || kinds.includes("tool") });
  for await (const item of streamFed(runtime, session_id, options, watched)) if ("kind" in item || item.type !== "tool.progress") yield item;
}

/** Does the same with drafts that are watched already. They end with the reader. */
export async function* streamFed(
  runtime: Follower,
  session_id: SessionId,
  options: StreamOptions,
  watched: WatchedDrafts,
): AsyncGenerator<Event | FedDraft | Position, void, undefined> {
  const { kinds, minOffset = 0 } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const { feed, onPiece, stop } = watched;
  if (signal.aborted) return stop();
  feed.passed(minOffset);
  let wake = (): void => {};
  onPiece(() => wake());
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

/** Returns the event at an offset or with an id. Throws `event.not_found` if the session's log has no such event, or no longer shows it. */
export async function readEvent(
  store: Store,
  session_id: SessionId,
  at: number | string,
  { withdrawn = false }: { readonly withdrawn?: boolean },
): Promise<Event> {
  const offset = typeof at === "number" ? at : Number(/_(0|[1-9][0-9]*)$/.exec(at)?.[1] ?? Number.NaN);
  const isPlace = Number.isSafeInteger(offset) && offset >= 0 && (typeof at === "number" || eventIdOf(session_id, offset) === at);
  const stored = await (isPlace ? storedAt(store, session_id, offset, withdrawn) : headerOf({ store }, session_id).then(() => undefined));
  if (stored !== undefined) return decodeEvent(stored);
  throw new ThroughlineError("event.not_found", `There is no event ${seen(at)} in session ${session_id}.`, { details: { session_id } });
}

/** Takes one read. An offset that retention has cut off, or past the head, has no event. */
async function storedAt(store: Store, session_id: SessionId, offset: number, withdrawn: boolean): Promise<StoredEvent | undefined> {
  const page = await store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn }).catch((error: unknown) => {
    if (ThroughlineError.is(error, "log.retained_from")) return { events: [] };
    throw error;
  });
  if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
  return page.events.find((event) => event.offset === offset);
}

const largest = 500;
/** Approximate characters of events per read. */
const aim = 512 * 1024;

/** Number of events per read. It starts low and grows while events are small, so that a slow reader holds little memory. */
export class PageSize {
  #limit: number;

  constructor(first = 16) {
    this.#limit = first;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Adjusts the size to a page that was read. */
  note(events: readonly StoredEvent[]): void {
    if (events.length === 0) return;
    const each = events.reduce((sum, { data }) => sum + charactersOf(data), 0) / events.length;
    this.#limit = Math.max(1, Math.min(largest, this.#limit * 4, Math.floor(aim / Math.max(each, 1))));
  }
}

/** Returns the approximate length of a value as JSON. */
function charactersOf(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  let characters = 2;
  for (const [name, member] of Object.entries(value)) characters += name.length + 4 + charactersOf(member);
  return characters;
}
