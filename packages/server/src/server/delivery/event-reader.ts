/** Reads pages of events: which caller reads which events of which session. */
import type { SessionId, TraceId } from "throughline/kernel";
import { PageSize, present } from "throughline/internal";
import { followPages } from "throughline/internal/runtime";
import type { Event } from "throughline";
import { eventDeclarations } from "throughline/session";
import { type EventKind, eventKinds, type EventSource } from "throughline/store";
import { audienceOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { isShownKind, toWireEvent } from "../to-wire.ts";

/** A session as one caller reads it. */
export interface Reader {
  readonly session_id: SessionId;
  readonly agent: string;
  readonly principal: Principal;
  readonly kinds: readonly EventKind[];
  readonly source?: EventSource;
  readonly traceId?: TraceId;
  readonly withdrawn?: boolean;
  /** Excludes intermediate text and messages that only call tools. Only the agent's replies remain. */
  readonly replies?: boolean;
}

/** The event kinds to read for a caller. Excludes kinds that the caller may not see. Integrations must request kinds marked `onRequest`. */
export function kindsFor(principal: Principal, wanted: readonly EventKind[] | undefined): readonly EventKind[] {
  const isCustomer = audienceOf(principal) === "customer";
  return eventKinds.filter(
    (kind) => isShownKind(principal, kind) && (wanted?.includes(kind) ?? (isCustomer || !("onRequest" in eventDeclarations[kind]))),
  );
}

/** Serializes an event for its reader; undefined if the reader may not see it. Pages and streams send the same text. */
export function textOf(service: Pick<Service, "agents">, { principal, agent, replies = false }: Reader, event: Event): string | undefined {
  if (replies && event.kind === "message" && event.data.origin?.is_trace === true && event.data.origin.stands_in !== true) return undefined;
  const wire = toWireEvent(service, principal, agent, event);
  return wire === undefined ? undefined : JSON.stringify(wire);
}

/** Maximum bytes of events per page. The first event is exempt. */
const pageBytes = 4 * 1024 * 1024;
/** Maximum reads of the log for a page without `wait`. If the reader sees few events, the page may end before the log does. */
const mostReads = 10;

/** A page: its events as JSON, and the offset of the next page. */
export interface Page {
  readonly texts: readonly string[];
  readonly next_offset: number;
  readonly head: number;
}

/**
 * Reads events from `minOffset` on, up to `limit` events and the byte limit of a page. With `wait`, it responds when the first event is committed by
 * any process. That page is empty only if the signal aborts first.
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
    { ...filter, ...present({ minOffset }), follow: wait !== undefined, ...present({ signal: wait }) },
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
