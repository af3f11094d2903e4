/** Pending approvals and questions of a turn, and their decisions, read from the turn's events. Pure. */
import type { StepId } from "../kernel/id.ts";
import type { Decision, Event, PendingCall } from "./event.ts";

/** A question that a turn waits with, or has waited with last. */
export interface Asked {
  readonly call: PendingCall;
  /** When it was asked for the first time. */
  readonly asked_at: number;
  /** The word on it; undefined as long as there is none. */
  readonly decision: Decision | undefined;
  /** Offset of the event that holds the decision; undefined if it is not on record yet. */
  readonly offset: number | undefined;
  /** Who decided, as they are on record. */
  readonly by: string | undefined;
}

/** What a turn paused with last. */
export interface Pause {
  readonly step_id: StepId;
  readonly asked: readonly Asked[];
}

const isSameCall = (left: Pick<PendingCall, "call_id" | "index" | "arguments_hash">, right: typeof left): boolean =>
  left.call_id === right.call_id && left.index === right.index && left.arguments_hash === right.arguments_hash;

/**
 * The last pause of a turn, given its events in order, with what is to be done about each question: the decision on record; else a rejection if its
 * time is over at `now`, or if the customer has written instead (`interrupted`); else nothing yet. Undefined if the turn has never paused.
 */
export function decisionsOf(
  entries: readonly Event[],
  { now, interrupted = false }: { readonly now: number; readonly interrupted?: boolean },
): Pause | undefined {
  const pauses = entries.flatMap((event) => (event.kind === "turn" && event.data.type === "paused" ? [{ ...event, data: event.data }] : []));
  const last = pauses.at(-1);
  if (last === undefined) return undefined;
  const asked = last.data.pending.map((call): Asked => {
    const first = pauses.find(({ data }) => data.pending.some((other) => isSameCall(other, call)));
    const word = entries.findLast((event) => event.kind === "turn" && event.data.type === "decided" && isSameCall(event.data, call));
    const recorded = word?.kind === "turn" && word.data.type === "decided" ? word.data : undefined;
    return {
      call,
      asked_at: first?.created_at ?? last.created_at,
      decision: recorded?.decision ?? unasked(call, { now, interrupted }),
      offset: recorded === undefined ? undefined : word?.offset,
      by: recorded?.by,
    };
  });
  return { step_id: last.data.step_id, asked };
}

/** What counts as decided without anybody's word. */
function unasked({ expires_at }: PendingCall, { now, interrupted }: { readonly now: number; readonly interrupted: boolean }): Decision | undefined {
  if (expires_at !== undefined && expires_at <= now) return { type: "reject", cause: "expiry" };
  return interrupted ? { type: "reject", cause: "message" } : undefined;
}

/** The questions that still wait for a decision. */
export const undecided = (pause: Pause | undefined): readonly Asked[] => (pause?.asked ?? []).filter(({ decision }) => decision === undefined);
