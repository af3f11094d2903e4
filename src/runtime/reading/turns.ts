/** Turns of a session: which there are, and what each has come to. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { turnIdOf, turnNumberOf, type SessionId, type TurnId } from "../../kernel/id.ts";
import type { Event, Outcome, UsageData } from "../../session/event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Page, ReadRequest, SessionRow, Store, TurnRow, TurnStatus } from "../../store/port.ts";
import { headerOf } from "../../extension/commit.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { spentOf } from "../turn/spent.ts";

/** A turn: its status and outcome. */
export interface SessionTurn extends Omit<TurnRow, "session_id"> {
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
const noTurn = (session_id: SessionId, turn_id: unknown): ThroughlineError =>
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
export async function ownEvents(store: Store, row: TurnRow): Promise<readonly Event[]> {
  return (await eventsOfTurns(store, [row], { session_id: row.session_id, kinds: ["turn"] })).get(row.turn_id) ?? [];
}

/**
 * What the log says of turns: one read from the first to the last, however many there are. Where a turn was open when its session was forked, its end
 * follows the fork's first event.
 */
async function eventsOfTurns(store: Store, rows: readonly TurnRow[], request: ReadRequest): Promise<ReadonlyMap<TurnId, readonly Event[]>> {
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

/** Turns of a session, page by page; their events are one read. */
export async function listTurns(store: Store, id: SessionId, filter: TurnFilter): Promise<Page<SessionTurn>> {
  const { status, limit = 20, cursor, order = "desc" } = filter;
  const session = await headerOf({ store }, id);
  const page = await store.list({
    ...{ of: "turns", session_id: id, limit, order },
    ...(status === undefined ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const items = await withEvents(store, page.items, session);
  return { ...page, items };
}

/** One turn; `turn.not_found` if the session has none of that id. */
export async function turnOf(store: Store, id: SessionId, turn_id: string): Promise<SessionTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [turn] = await withEvents(store, items, session);
  if (turn === undefined) throw noTurn(id, turn_id);
  return turn;
}

/** Turns with what the log says of them, also of what was taken back since. */
async function withEvents(store: Store, rows: readonly TurnRow[], { session_id, first_offset }: SessionRow): Promise<readonly SessionTurn[]> {
  const own = await eventsOfTurns(store, rows, { session_id, min_offset: first_offset, kinds: ["turn", "tool"], withdrawn: true });
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
