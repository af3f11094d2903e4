/** New events of a commit: typed, and not yet in the log. */
import type { TraceId } from "../kernel/id.ts";
import { type JsonObject, present } from "../kernel/json.ts";
import type { EventSource, NewEvent, SessionChange } from "../store/port.ts";
import type { EventDataByKind, ParentCall, TurnData } from "./event.ts";
import { newestVersion } from "./fold.ts";

/** The change that a decision commits, without the session's id. */
export type Decided = Omit<SessionChange, "session_id">;

/** Where a new event belongs, and its metadata. */
export interface EventPlace {
  /** Number of the event's turn. `queued`: the turn that the commit queues. */
  readonly turn?: number | "queued";
  /** For an event outside a turn. */
  readonly trace_id?: TraceId;
  readonly waiting?: boolean;
  readonly metadata?: JsonObject | undefined;
}

/** Creates an event of a kind, in the newest version of its data. */
export function newEvent<Kind extends keyof EventDataByKind>(
  kind: Kind,
  source: EventSource,
  data: EventDataByKind[Kind],
  place: EventPlace,
): NewEvent {
  const version = newestVersion(kind);
  const { metadata, ...rest } = place;
  // Event data is always JSON, because its types allow nothing else.
  const event = { kind, source, data: data as unknown as JsonObject, ...rest };
  return { ...event, ...(version === 1 ? {} : { version }), ...present({ metadata }) };
}

/** Creates an event of the kind `turn`, from the system, in a turn. */
export const turnEvent = (turn: number, data: TurnData): NewEvent => newEvent("turn", "system", data, { turn });

/** Creates the first event of a log. */
export const createdEvent = (
  first: { readonly agent: string; readonly definition: number; readonly state: JsonObject; readonly parent?: ParentCall },
  trace_id: TraceId,
): NewEvent => newEvent("session", "system", { type: "created", ...first, episode: 1 }, { trace_id });
