/** Turns of a session: which there are, and what each has come to. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { turnIdOf, turnNumberOf, type SessionId, type TraceId, type TurnId } from "../kernel/id.ts";
import type { Event, Outcome, UsageData } from "../session/event.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { Page, SessionRow, Store, TurnCause, TurnRow, TurnStatus } from "../store/port.ts";
import { headerOf, type Handle } from "./handle.ts";
import { eventsOf, itemsOf } from "./lists.ts";
import { spentOf } from "./spent.ts";

/** A turn: where it is, and what it has come to. */
export interface SessionTurn {
  readonly turn_id: TurnId;
  /** Counts from 1 within the session. */
  readonly number: number;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  readonly status: TurnStatus;
  /** How often it was claimed since it last got further. */
  readonly attempts: number;
  readonly created_at: number;
  /** Offset of its first event of its own; absent until it has begun. */
  readonly started_offset?: number;
  /** Offset of the last event of the commit that ended it. */
  readonly ended_offset?: number;
  /** Offsets of the messages that it answers. */
  readonly answers?: readonly number[];
  /** Those of them that an earlier turn had answered, and that this one was asked to answer again. */
  readonly retries?: readonly number[];
  /** How it ended; absent if that was removed by retention. */
  readonly outcome?: Outcome;
  /** Tokens by kind, those of child agents among them. */
  readonly usage: UsageData;
  /** In the unit of the price table; 0 without prices. */
  readonly cost: number;
}

/** Which turns to list. */
export interface TurnFilter {
  readonly status?: TurnStatus;
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Newest first by default. */
  readonly order?: "asc" | "desc";
}

/** There is no such turn. */
export const noTurn = (session_id: SessionId, turn_id: unknown): ThroughlineError =>
  new ThroughlineError("turn.not_found", `There is no turn ${seen(turn_id)} in session ${session_id}.`, { details: { session_id } });

/** The number of a turn of the session; `turn.not_found` for an id that is none of its. */
export function numberIn({ session_id, last_turn }: { readonly session_id: SessionId; readonly last_turn: number }, turn_id: unknown): number {
  const number = typeof turn_id === "string" ? turnNumberOf(turn_id as TurnId) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 1 && number <= last_turn && turnIdOf(session_id, number) === turn_id) return number;
  throw noTurn(session_id, turn_id);
}

/** The last turn that has begun, up to a number. */
export async function lastTurn(store: Store, session_id: SessionId, upto: number): Promise<TurnRow | undefined> {
  // One that was queued and went again before it began has no place in the log.
  for await (const turn of itemsOf(store, { of: "turns", session_id, status: "ended", order: "desc", limit: 20 }))
    if (turn.number <= upto && turn.started_offset !== undefined) return turn;
  return undefined;
}

/** The events of a turn's own that are not taken back, in order. */
export async function ownEvents(store: Store, { session_id, turn_id, started_offset, ended_offset }: TurnRow): Promise<readonly Event[]> {
  const events: Event[] = [];
  if (started_offset === undefined) return events;
  const to = ended_offset === undefined ? {} : { max_offset: ended_offset };
  for await (const stored of eventsOf(store, { session_id, min_offset: started_offset, kinds: ["turn"], ...to }))
    if (stored.turn_id === turn_id) events.push(decodeEvent(stored));
  return events;
}

/** Turns of a session, page by page; their events are one read. */
export async function listTurns({ runtime, id }: Handle, filter: TurnFilter): Promise<Page<SessionTurn>> {
  const { status, limit = 20, cursor, order = "desc" } = filter;
  const session = await headerOf(runtime, id);
  const page = await runtime.store.list({
    ...{ of: "turns", session_id: id, limit, order },
    ...(status === undefined ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const items = await withEvents(runtime.store, page.items, session);
  return { ...page, items };
}

/** One turn; `turn.not_found` if the session has none of that id. */
export async function turnOf({ runtime: { store }, id }: Pick<Handle, "runtime" | "id">, turn_id: string): Promise<SessionTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [turn] = await withEvents(store, items, session);
  if (turn === undefined) throw noTurn(id, turn_id);
  return turn;
}

/** Turns with what the log says of them: one read from the first to the last, however many there are. */
async function withEvents(store: Store, rows: readonly TurnRow[], { session_id, first_offset }: SessionRow): Promise<readonly SessionTurn[]> {
  const begun = rows.flatMap(({ started_offset }) => (started_offset === undefined ? [] : [started_offset]));
  const own = new Map<TurnId, Event[]>(rows.map(({ turn_id }) => [turn_id, []]));
  if (begun.length > 0) {
    const ends = rows.map(({ started_offset, ended_offset }) => (started_offset === undefined ? -1 : (ended_offset ?? Number.MAX_SAFE_INTEGER)));
    const range = { min_offset: Math.max(first_offset, Math.min(...begun)), max_offset: Math.max(...ends) };
    for await (const stored of eventsOf(store, { session_id, ...range, kinds: ["turn", "tool"], withdrawn: true }))
      if (stored.turn_id !== undefined) own.get(stored.turn_id)?.push(decodeEvent(stored));
  }
  return rows.map((row) => toTurn(row, own.get(row.turn_id) ?? []));
}

function toTurn({ session_id: _session, ...row }: TurnRow, events: readonly Event[]): SessionTurn {
  const data = events.flatMap((event) => (event.kind === "turn" ? [event.data] : []));
  const started = data.find((one) => one.type === "started");
  const ended = data.findLast((one) => one.type === "ended");
  const { tokens = {}, cost = 0 } = spentOf(events);
  return {
    ...row,
    ...(started?.type === "started" ? { answers: started.answers, ...(started.retries === undefined ? {} : { retries: started.retries }) } : {}),
    ...(ended?.type === "ended" ? { outcome: ended.outcome } : {}),
    usage: tokens,
    cost,
  };
}
