/** Who reads events, of which session, and which of them. */
import type { SessionId, TraceId } from "../../kernel/id.ts";
import { type Event, eventDeclarations } from "../../session/event.ts";
import { eventKinds, type EventKind, type EventSource } from "../../store/port.ts";
import { audienceOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { isShownKind, toWireEvent } from "../wire/event.ts";

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
