import { invalidAt } from "../../extension/failure.ts";
import { seen } from "../../kernel/error.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import type { ListQuery, SessionRow, Store, TurnCause } from "../../store/port.ts";
import { refused } from "../../extension/commit.ts";
import { itemsOf } from "../../extension/lists.ts";

/** A point to which a session can return: the end of a turn. */
export interface HistoryPoint {
  /** The last offset of the turn: for `state({ at })`, `messages({ at })` and `fork({ at })`. */
  readonly offset: number;
  readonly turn_id: TurnId;
  readonly cause: TurnCause;
  /** Time when the turn was queued. */
  readonly created_at: number;
}

/** Returns the ends of the last turns, newest first, with one query. A turn that left the queue before it started has no place in the log and is skipped. */
export async function historyOfSession(
  store: Store,
  session_id: SessionId,
  { limit = 20, before }: { readonly limit?: number; readonly before?: number },
): Promise<readonly HistoryPoint[]> {
  if (before !== undefined && !(Number.isSafeInteger(before) && before >= 0))
    throw invalidAt("input.invalid", "before", `before is a whole number from 0, got ${seen(before)}.`);
  const query = { of: "turns", session_id, status: "ended", order: "desc", limit } as const satisfies ListQuery;
  const points: HistoryPoint[] = [];
  for await (const turn of itemsOf(store, before === undefined ? query : { ...query, ended_before: before })) {
    const { turn_id, cause, created_at, started_offset, ended_offset } = turn;
    if (started_offset === undefined || ended_offset === undefined) continue;
    points.push({ offset: ended_offset, turn_id, cause, created_at });
    if (points.length === limit) return points;
  }
  if (points.length === 0 && (await store.open({ session_id })) === undefined) throw refused({ reason: "session_missing" }, session_id);
  return points;
}

/** A session and its forks. */
export interface Lineage<Session> {
  readonly session: Session;
  readonly forks: readonly Lineage<Session>[];
}

/** Returns the tree of forks that contains a session, from the oldest session that still exists. Forks of one session are in order of creation. */
export async function lineageOf(store: Store, session_id: SessionId): Promise<Lineage<SessionRow>> {
  let row = await store.open({ session_id });
  if (row === undefined) throw refused({ reason: "session_missing" }, session_id);
  for (let origin = row.origin?.session_id; typeof origin === "string";) {
    const parent: SessionRow | undefined = await store.open({ session_id: origin });
    if (parent === undefined) break;
    row = parent;
    origin = parent.origin?.session_id;
  }
  return withForks(store, row);
}

async function withForks(store: Store, session: SessionRow): Promise<Lineage<SessionRow>> {
  const forks: Lineage<SessionRow>[] = [];
  for await (const row of itemsOf(store, { of: "sessions", origin: session.session_id })) forks.push(await withForks(store, row));
  return { session, forks };
}
