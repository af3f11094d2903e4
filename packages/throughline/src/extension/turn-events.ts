/** Reads a session's turns from its log. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { turnIdOf, turnNumberOf, type SessionId, type TurnId } from "../kernel/id.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/fold.ts";
import type { ReadRequest, Store, TurnRow } from "../store/port.ts";
import { eventsOf, itemsOf } from "./lists.ts";

/** Returns the error for an unknown turn. */
export const noTurn = (session_id: SessionId, turn_id: unknown): ThroughlineError =>
  new ThroughlineError("turn.not_found", `There is no turn ${seen(turn_id)} in session ${session_id}.`, { details: { session_id } });

/** Returns the number of a turn of the session. Throws `turn.not_found` for an id of another session or an unknown turn. */
export function numberIn({ session_id, last_turn }: { readonly session_id: SessionId; readonly last_turn: number }, turn_id: unknown): number {
  const number = typeof turn_id === "string" ? turnNumberOf(turn_id as TurnId) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 1 && number <= last_turn && turnIdOf(session_id, number) === turn_id) return number;
  throw noTurn(session_id, turn_id);
}

/** Returns the last started turn up to a number. */
export async function lastTurn(store: Store, session_id: SessionId, upto: number): Promise<TurnRow | undefined> {
  // A queued turn that was removed before its start has no events in the log.
  for await (const turn of itemsOf(store, { of: "turns", session_id, status: "ended", order: "desc", limit: 20 }))
    if (turn.number <= upto && turn.started_offset !== undefined) return turn;
  return undefined;
}

/** Returns a turn's own events in order, without withdrawn ones. */
export async function ownEvents(store: Store, row: TurnRow): Promise<readonly Event[]> {
  return (await eventsOfTurns(store, [row], { session_id: row.session_id, kinds: ["turn"] })).get(row.turn_id) ?? [];
}

/**
 * Returns the events of turns with one read from the first to the last. If a turn was open when its session was forked, its end follows the fork's
 * first event.
 */
export async function eventsOfTurns(store: Store, rows: readonly TurnRow[], request: ReadRequest): Promise<ReadonlyMap<TurnId, readonly Event[]>> {
  const own = new Map<TurnId, Event[]>(rows.map(({ turn_id }) => [turn_id, []]));
  const begun = rows.flatMap(({ started_offset }) => (started_offset === undefined ? [] : [started_offset]));
  if (begun.length === 0) return own;
  const last = Math.max(...rows.map((row) => (row.started_offset === undefined ? -1 : (row.ended_offset ?? Number.POSITIVE_INFINITY))));
  for await (const stored of eventsOf(store, { limit: 200, ...request, min_offset: Math.max(request.min_offset ?? 0, Math.min(...begun)) })) {
    const events = stored.turn_id === undefined ? undefined : own.get(stored.turn_id);
    if (events === undefined && stored.offset > last) break;
    events?.push(decodeEvent(stored));
  }
  return own;
}
