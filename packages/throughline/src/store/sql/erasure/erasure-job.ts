/** Erasure as a job. One commit starts it and small steps continue it. If the process dies, the next process that opens the store finishes it. */
import { type Clock, systemClock } from "../../../kernel/clock.ts";
import { ThroughlineError } from "../../../kernel/error.ts";
import { newErasureId, type OwnerId, type SessionId } from "../../../kernel/id.ts";
import type { Logger } from "../../../kernel/log.ts";
import type { Erased, Store } from "../../port.ts";
import { numberOf } from "../rows.ts";
import type { SqlDriver, SqlRow, SqlValue } from "../sql-driver.ts";
import type { Texts } from "../texts.ts";
import { isKept, markProcedure, namingProcedure, nextNames, stepProcedure } from "./erasure-steps.ts";

/** The database of the erasure. */
export interface ErasureContext {
  readonly driver: SqlDriver;
  readonly texts: Texts;
  readonly clock: Clock;
  /** Returns true when the store is closing. The next process that opens it does the rest. */
  readonly stopped: () => boolean;
}

export type Target = Parameters<Store["erase"]>[0];

/** Maximum and minimum rows of one step, and the target milliseconds for which a step blocks other writers. */
const most = 1_000;
const least = 16;
const stepMs = 10;

/** Maximum number of changes between the read and the first commit. */
const tries = 64;

const ownerThere = { owner: `SELECT id FROM owners WHERE owner_id = $1` };
const ownerOf = {
  owner: `SELECT o.owner_id, o.customer_hash, (SELECT count(*) FROM sessions l WHERE l.owner = o.id AND l.deleted IS NULL) AS living
    FROM sessions s JOIN owners o ON o.id = s.owner WHERE s.session_id = $1 AND s.deleted IS NULL`,
};
const byTombstone = {
  erasure: `SELECT e.erasure_id, e.finished_at FROM tombstones t JOIN erasures e ON e.id = t.erasure
    WHERE t.target_hash = $1 AND (e.finished_at IS NULL OR ${isKept("$2")})`,
};
/** The erasure of a session that still has its id. */
const bySession = {
  erasure: `SELECT e.erasure_id FROM sessions s JOIN erasures e ON e.owner = s.owner AND e.finished_at IS NULL WHERE s.session_id = $1 AND s.deleted IS NOT NULL`,
};
const receipt = { erasure: `SELECT erasure_id, requested_at, finished_at, sessions, events FROM erasures WHERE erasure_id = $1` };
const unfinishedCuts = { jobs: `SELECT erasure_id FROM erasures WHERE kind = 1 ORDER BY id` };
const unfinished = { jobs: `SELECT erasure_id FROM erasures WHERE finished_at IS NULL ORDER BY id` };

const nothing: Erased = { sessions: 0, events: 0 };

/** Returns the hash under which an erased object is remembered. */
export const targetHash = (texts: Texts, id: OwnerId | SessionId): string => texts.hash("erasure", id);

/** Returns the targets of an erasure. The last session of an anonymous owner takes the owner with it, because nothing could reach the owner any more. */
async function targetsOf(
  { driver }: ErasureContext,
  target: Target,
): Promise<{ readonly owner_id: OwnerId | null; readonly session_id: SessionId | null } | undefined> {
  if ("owner_id" in target) {
    const [row] = (await driver.read(ownerThere, [target.owner_id])).owner;
    return row && { owner_id: target.owner_id, session_id: null };
  }
  const { session_id } = target;
  const [row] = (await driver.read(ownerOf, [session_id])).owner;
  if (row === undefined) return undefined;
  const withOwner = row["customer_hash"] === null && numberOf(row, "living") === 1;
  return { owner_id: withOwner ? (String(row["owner_id"]) as OwnerId) : null, session_id };
}

/** Converts a row of an erasure to a receipt. */
export const erasedOf = (row: SqlRow): Erased => ({
  erasure_id: String(row["erasure_id"]),
  requested_at: numberOf(row, "requested_at"),
  ...(row["finished_at"] === null ? {} : { finished_at: numberOf(row, "finished_at") }),
  sessions: numberOf(row, "sessions"),
  events: numberOf(row, "events"),
});

/** Called with hidden sessions before their rows are deleted, and once first when something is hidden. */
type Hidden = (sessions: readonly SessionId[]) => void;

/** Erases the target. Erases nothing if the session has grown past `head`. */
export async function erase(database: ErasureContext, target: Target, hidden: Hidden): Promise<Erased> {
  const { driver, texts, clock } = database;
  for (let attempt = 1; ; attempt++) {
    const found = await targetsOf(database, target);
    if (found === undefined) return join(database, target, hidden);
    const erasure_id = newErasureId();
    const ids = [found.owner_id, found.session_id].filter((id) => id !== null);
    const now = clock.now();
    const { outcome } = await driver.call(markProcedure, {
      erasure_id,
      now,
      expires_at: target.keep_ms === undefined ? null : now + target.keep_ms,
      ...found,
      head: ("head" in target ? target.head : undefined) ?? null,
      hashes: ids.map((id) => targetHash(texts, id)),
    });
    if (outcome === "busy") return nothing;
    if (outcome === "marked") {
      hidden(found.session_id === null ? [] : [found.session_id]);
      return finish(database, erasure_id, hidden);
    }
    if (attempt === tries) throw new ThroughlineError("store.busy", "What is to be erased kept changing.");
  }
}

/** Joins an erasure of the same target by another process. An erasure of an owner that is finished gives its receipt again. */
async function join(database: ErasureContext, target: Target, hidden: Hidden): Promise<Erased> {
  const id = "owner_id" in target ? target.owner_id : target.session_id;
  const [job] = (await database.driver.read(byTombstone, [targetHash(database.texts, id), database.clock.now()])).erasure;
  const [doomed] = (await database.driver.read(bySession, [id])).erasure;
  const found = job !== undefined && ("owner_id" in target || job["finished_at"] === null) ? job : doomed;
  return found === undefined ? nothing : finish(database, String(found["erasure_id"]), hidden);
}

/** Removes the ids of hidden sessions, and reports them. */
async function takeNames({ driver, texts, clock, stopped }: ErasureContext, erasure_id: string, hidden: Hidden): Promise<void> {
  let after: SqlValue = 0;
  for (let rows = most / 4; !stopped();) {
    const begun = clock.monotonic();
    const page: readonly SqlRow[] = (await driver.read(nextNames, [erasure_id, after, rows])).sessions;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last["id"] ?? null;
    const ids = page.map((row) => String(row["session_id"]) as SessionId);
    await driver.call(namingProcedure, { erasure_id, sessions: ids.map((session_id) => ({ session_id, hash: targetHash(texts, session_id) })) });
    hidden(ids);
    rows = nextSlice(rows, clock.monotonic() - begun);
  }
}

const nextSlice = (rows: number, ms: number): number => (ms > stepMs ? Math.max(least, Math.floor(rows / 2)) : Math.min(most, rows * 2));

const closed = (): ThroughlineError => new ThroughlineError("store.closed", "The store was closed; whoever opens it next finishes the erasure.");

/** Continues a job until it is done. Steps become smaller when they take long. */
async function finish(database: ErasureContext, erasure_id: string, hidden: Hidden = () => {}): Promise<Erased> {
  const { driver, stopped } = database;
  try {
    await takeNames(database, erasure_id, hidden);
    await takeRows(database, erasure_id);
  } catch (error) {
    // A statement in progress fails in its own way when the connections are closed.
    throw stopped() ? closed() : error;
  }
  const [row] = (await driver.read(receipt, [erasure_id])).erasure;
  return row === undefined ? nothing : erasedOf(row);
}

async function takeRows({ driver, clock, stopped }: ErasureContext, erasure_id: string): Promise<void> {
  for (let rows = most / 4; ;) {
    if (stopped()) throw closed();
    const begun = clock.monotonic();
    const { finished } = await driver.call(stepProcedure, { erasure_id, now: clock.now(), rows });
    if (finished) return;
    rows = nextSlice(rows, clock.monotonic() - begun);
  }
}

/** Deletes the rows that commits have cut off. */
export async function finishCuts(database: ErasureContext): Promise<void> {
  await finishAll(database, (await database.driver.read(unfinishedCuts, [])).jobs);
}

async function finishAll(database: ErasureContext, jobs: readonly SqlRow[]): Promise<void> {
  for (const job of jobs) await finish(database, String(job["erasure_id"]));
}

/** Maximum milliseconds that opening a store waits for unfinished jobs. */
const patienceMs = 2_000;

/** Finishes jobs of dead processes. Long work continues in the background. */
export async function resume(database: ErasureContext, logger: Logger): Promise<void> {
  const { jobs } = await database.driver.read(unfinished, []);
  if (jobs.length === 0) return;
  const done = new AbortController();
  const settled = finishAll(database, jobs)
    .catch((error: unknown) => {
      if (!database.stopped()) logger.warn("store.erasure_unfinished", { reason: error instanceof Error ? error.message : String(error) });
    })
    .finally(() => done.abort());
  await Promise.race([settled, systemClock.sleep(patienceMs, done.signal).catch(() => {})]);
}

/** The result of a purge. */
export interface PurgeReport {
  /** Bytes of the database before and after. */
  readonly before: number;
  readonly after: number;
  /** Operations that could not be performed, and who can perform them. */
  readonly remarks: readonly string[];
}

/** Waits at most five minutes until no erasure is running. An open store finishes unfinished ones. */
export async function erasuresFinished(store: Store): Promise<void> {
  for (let waited = 0; ; waited++) {
    const page = await store.list({ of: "erasures", order: "desc", limit: 100 });
    if (page.items.every(({ finished_at }) => finished_at !== undefined)) return;
    if (waited === 3_000) throw new ThroughlineError("timeout", "An erasure is still under way after five minutes.");
    await systemClock.sleep(100);
  }
}
