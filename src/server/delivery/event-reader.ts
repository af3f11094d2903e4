/** Who reads events, of which session, and which of them; and a page of them. */
import type { SessionId, TraceId } from "../../kernel/id.ts";
import { followPages } from "../../runtime/reading/follow.ts";
import { PageSize } from "../../runtime/reading/page-size.ts";
import { type Event, eventDeclarations } from "../../session/event.ts";
import { type EventKind, eventKinds, type EventSource } from "../../store/port.ts";
import { audienceOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { isShownKind, toWireEvent } from "../to-wire.ts";

/** One session, as one caller reads it. */
export interface Reader {
  readonly session_id: SessionId;
  readonly agent: string;
  readonly principal: Principal;
  readonly kinds: readonly EventKind[];
  readonly source?: EventSource;
  readonly traceId?: TraceId;
  readonly withdrawn?: boolean;
  /** Of the agent's messages only its replies: no text on the way to one, and no message that only calls tools. */
  readonly replies?: boolean;
}

/** The kinds to read for a caller who asked for these; those that nobody of theirs is shown are not read. */
export function kindsFor(principal: Principal, asked: readonly EventKind[] | undefined): readonly EventKind[] {
  const isCustomer = audienceOf(principal) === "customer";
  return eventKinds.filter(
    (kind) => isShownKind(principal, kind) && (asked?.includes(kind) ?? (isCustomer || !("onRequest" in eventDeclarations[kind]))),
  );
}

/** An event as JSON for its reader; undefined if they are not shown it. One text for every way that it leaves by. */
export function textOf(service: Pick<Service, "agents">, { principal, agent, replies = false }: Reader, event: Event): string | undefined {
  if (replies && event.kind === "message" && event.data.origin?.is_trace === true && event.data.origin.stands_in !== true) return undefined;
  const wire = toWireEvent(service, principal, agent, event);
  return wire === undefined ? undefined : JSON.stringify(wire);
}

/** Bytes of the events on one page, but for the first of them. */
const pageBytes = 4 * 1024 * 1024;
/** Reads of the log for one page that does not wait: where a reader is shown little it ends before the log does. */
const mostReads = 10;

/** A page: its events as JSON, and where to go on. */
export interface Page {
  readonly texts: readonly string[];
  readonly next_offset: number;
  readonly head: number;
}

/**
 * Events from `minOffset` on, as many as `limit` and the bytes of a page allow. With `wait` it is not empty, unless that signal aborts first: it answers
 * as soon as the first event is committed, by whatever process.
 */
export async function readPage(
  service: Pick<Service, "agents" | "store">,
  reader: Reader,
  options: { readonly minOffset: number | undefined; readonly limit: number; readonly wait?: AbortSignal },
): Promise<Page> {
  const { minOffset, limit, wait } = options;
  const { session_id, ...filter } = reader;
  const texts: string[] = [];
  let bytes = 0;
  let reads = 0;
  let page = { next_offset: minOffset ?? 0, head: 0 };
  const pages = followPages(
    service,
    session_id,
    { ...filter, ...(minOffset === undefined ? {} : { minOffset }), follow: wait !== undefined, ...(wait === undefined ? {} : { signal: wait }) },
    new PageSize(Math.min(limit, 100)),
  );
  for await (const { events, next_offset, head } of pages) {
    for (const event of events) {
      const text = textOf(service, reader, event);
      if (text === undefined) continue;
      bytes += Buffer.byteLength(text);
      if (texts.length === limit || (texts.length > 0 && bytes > pageBytes)) return { texts, next_offset: event.offset, head };
      texts.push(text);
    }
    page = { next_offset, head };
    reads += 1;
    const isFull = texts.length === limit || bytes > pageBytes;
    const isEnd = next_offset > head && texts.length > 0;
    if (isFull || isEnd || (wait === undefined && reads === mostReads)) break;
  }
  return { texts, ...page };
}
