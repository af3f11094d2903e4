/** Events as a commit takes them: typed, and not in the log yet. */
import type { TraceId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { EventSource, NewEvent, SessionChange } from "../store/port.ts";
import type { EventDataByKind, ParentCall, TurnData } from "./event.ts";
import { newestVersion } from "./upcast.ts";

/** What a decision commits: everything but the session's id. */
export type Decided = Omit<SessionChange, "session_id">;

/** Where a new event belongs, and what comes with it. */
export interface EventPlace {
  /** Number of its turn, or the one that the commit queues. */
  readonly turn?: number | "queued";
  /** For an event outside a turn. */
  readonly trace_id?: TraceId;
  readonly waiting?: boolean;
  readonly metadata?: JsonObject | undefined;
}

/** A new event of a kind, typed. */
export function newEvent<Kind extends keyof EventDataByKind>(
  kind: Kind,
  source: EventSource,
  data: EventDataByKind[Kind],
  place: EventPlace,
): NewEvent {
  const version = newestVersion(kind);
  const { metadata, ...rest } = place;
  // Event data is JSON by construction: its types hold nothing else.
  const event = { kind, source, data: data as unknown as JsonObject, ...rest };
  return { ...event, ...(version === 1 ? {} : { version }), ...(metadata === undefined ? {} : { metadata }) };
}

/** A new event of a turn's own. */
export const turnEvent = (turn: number, data: TurnData): NewEvent => newEvent("turn", "system", data, { turn });

/** The first event of a log. */
export const createdEvent = (
  first: { readonly agent: string; readonly definition: number; readonly state: JsonObject; readonly parent?: ParentCall },
  trace_id: TraceId,
): NewEvent => newEvent("session", "system", { type: "created", ...first, episode: 1 }, { trace_id });
