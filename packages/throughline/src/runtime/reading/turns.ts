/** Turns of a session, with their outcomes. */
import type { SessionId } from "../../kernel/id.ts";
import type { Event, Outcome, UsageData } from "../../session/event.ts";
import type { Page, SessionRow, Store, TurnRow, TurnStatus } from "../../store/port.ts";
import { headerOf } from "../../extension/commit.ts";
import { eventsOfTurns, noTurn, numberIn } from "../../extension/turn-events.ts";
import { spentOf } from "../turn/spent.ts";

/** A turn: its status and outcome. */
export interface SessionTurn extends Omit<TurnRow, "session_id"> {
  /** Offsets of the messages that it answers. */
  readonly answers?: readonly number[];
  /** The offsets among them that an earlier turn had answered and this one answers again. */
  readonly retries?: readonly number[];
  /** How it ended. Absent if retention has deleted the event. */
  readonly outcome?: Outcome;
  /** Tokens by kind, including those of child agents. */
  readonly usage: UsageData;
  /** In the unit of the price table. 0 without prices. */
  readonly cost: number;
}

/** Which turns to list. */
export interface TurnFilter {
  readonly status?: TurnStatus;
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Defaults to newest first. */
  readonly order?: "asc" | "desc";
}

/** Lists turns of a session by page. Their events take one read. */
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

/** Returns one turn. Throws `turn.not_found` if the session has no turn with that id. */
export async function turnOf(store: Store, id: SessionId, turn_id: string): Promise<SessionTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [turn] = await withEvents(store, items, session);
  if (turn === undefined) throw noTurn(id, turn_id);
  return turn;
}

/** A turn with its own events. */
export interface LoggedTurn {
  readonly session: SessionRow;
  readonly row: TurnRow;
  /** Its messages, calls and journal entries in order, including withdrawn ones. */
  readonly events: readonly Event[];
}

/** Returns a turn with its own events. Throws `turn.not_found` if the session has no turn with that id. */
export async function eventsOfTurn(store: Store, id: SessionId, turn_id: string): Promise<LoggedTurn> {
  const session = await headerOf({ store }, id);
  const { items } = await store.list({ of: "turns", session_id: id, number: numberIn(session, turn_id) });
  const [row] = items;
  if (row === undefined) throw noTurn(id, turn_id);
  const request = { session_id: id, min_offset: session.first_offset, kinds: ["message", "tool", "turn"], withdrawn: true } as const;
  return { session, row, events: (await eventsOfTurns(store, [row], request)).get(row.turn_id) ?? [] };
}

/** Adds the data of the log to turns, including withdrawn ones. */
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
