import { ThroughlineError, seen } from "../kernel/error.ts";
import type { SessionId, TraceId } from "../kernel/id.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { EventKind, EventSource } from "../store/port.ts";
import { refused } from "./commit.ts";
import type { RuntimeContext } from "./context.ts";
import { DraftFeed } from "./draft-feed.ts";
import type { Draft } from "./drafts.ts";

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

/** Events in order, each once: those there are, then those that come. Ends when the signal aborts. */
export async function* followEvents(runtime: RuntimeContext, session_id: SessionId, filter: EventFilter): AsyncGenerator<Event, void, undefined> {
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
      limit: 500,
      withdrawn,
      ...(maxOffset === Number.MAX_SAFE_INTEGER ? {} : { max_offset: maxOffset }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(source === undefined ? {} : { source }),
      ...(traceId === undefined ? {} : { trace_id: traceId }),
    });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    for (const stored of page.events) {
      if (signal.aborted) return;
      yield decodeEvent(stored);
    }
    next = page.next_offset;
    if (next <= Math.min(page.head, maxOffset)) continue;
    if (!follow || !(await moved(runtime, session_id, page.head, signal))) return;
  }
}

/** Whether the log has grown; false when the reader left. */
async function moved(runtime: RuntimeContext, session_id: SessionId, head: number, signal: AbortSignal): Promise<boolean> {
  try {
    await runtime.store.watch(session_id, head, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Kinds that tell of the end of a draft: read whether or not the reader wants them. */
const ending: readonly EventKind[] = ["message", "turn", "session"];

/** What the log has for the reader next. */
type Come = IteratorResult<Event, void> | { readonly error: unknown };

function tellOf(feed: DraftFeed, come: Come): void {
  if ("error" in come || come.done === true) feed.gone();
  else feed.event(come.value);
}

/**
 * Events in order, each once, and between them drafts. What a reader does not take yet waits in bounded space: one page of events, and of drafts the
 * one that is open, in fewer pieces. A draft's reset comes before the event that ends it.
 */
export async function* streamSession(
  runtime: RuntimeContext,
  session_id: SessionId,
  options: { readonly minOffset?: number; readonly kinds?: readonly EventKind[]; readonly signal?: AbortSignal },
): AsyncGenerator<Event | Draft, void, undefined> {
  const { kinds } = options;
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  if (signal.aborted) return;
  const row = await runtime.store.open({ session_id });
  if (row === undefined) throw refused({ reason: "session_missing" }, session_id);
  const feed = new DraftFeed(session_id, row);
  let wake = (): void => {};
  const stop = await runtime.store.watchDrafts(session_id, (piece) => {
    feed.piece(piece);
    wake();
  });
  const filter = { ...options, signal, ...(kinds === undefined ? {} : { kinds: [...new Set([...kinds, ...ending])] }) };
  const events = followEvents(runtime, session_id, filter);
  let next: Promise<void> | undefined;
  let come: Come | undefined;
  const ask = async (): Promise<void> => {
    come = await events.next().catch((error: unknown) => ({ error }));
    wake();
  };
  const sleeping = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  const wanted = (event: Event): readonly Event[] => (signal.aborted || kinds?.includes(event.kind) === false ? [] : [event]);
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      next ??= ask();
      const here: Come | undefined = come;
      if (here !== undefined) tellOf(feed, here);
      // What comes while the reader takes these does not hold up the event.
      for (let count = feed.size; count > 0 && !signal.aborted; count--) yield* feed.next();
      if (here === undefined) await (come === undefined && feed.size === 0 ? sleeping() : undefined);
      else if ("error" in here) throw here.error;
      else if (here.done === true) return;
      else {
        come = next = undefined;
        yield* wanted(here.value);
      }
    }
  } finally {
    left.abort();
    stop();
    await next;
  }
}
