/** ErasureContext as a job: begun by one commit, gone on with in small steps, finished by whoever opens the store if its process died. */
import { type Clock, systemClock } from "../../../kernel/clock.ts";
import { ThroughlineError } from "../../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import type { Logger } from "../../../kernel/log.ts";
import { systemRandom } from "../../../kernel/random.ts";
import type { Erased } from "../../port.ts";
import type { SqlDriver, SqlRow } from "../driver.ts";
import { markProcedure, stepProcedure } from "./steps.ts";
import { numberOf } from "../rows.ts";
import type { Texts } from "../texts.ts";

/** The database that is erased from. */
export interface ErasureContext {
  readonly driver: SqlDriver;
  readonly texts: Texts;
  readonly clock: Clock;
  /** True when the store is being closed: the rest is left to whoever opens it next. */
  readonly stopped: () => boolean;
}

export type Target = { readonly session_id: SessionId } | { readonly owner_id: OwnerId };

/** Rows of one step: at most, at least, and how long a step should hold up other writers, in milliseconds. */
const most = 1_000;
const least = 16;
const stepMs = 10;

/** How often what there is may change between the look and the first commit. */
const tries = 64;

const sessionsOf = {
  owner: `SELECT id, customer_hash FROM owners WHERE owner_id = $1`,
  sessions: `SELECT s.session_id FROM sessions s JOIN owners o ON o.id = s.owner WHERE o.owner_id = $1 AND s.deleted IS NULL`,
};
const ownerOf = {
  owner: `SELECT o.owner_id, o.customer_hash FROM sessions s JOIN owners o ON o.id = s.owner WHERE s.session_id = $1`,
  sessions: `SELECT s.session_id FROM sessions s WHERE s.deleted IS NULL AND s.owner = (SELECT owner FROM sessions WHERE session_id = $1)`,
};
const byTombstone = {
  erasure: `SELECT e.erasure_id, e.finished_at FROM tombstones t JOIN erasures e ON e.id = t.erasure WHERE t.target_hash = $1 AND e.finished_at IS NULL`,
};
const receipt = { erasure: `SELECT erasure_id, requested_at, finished_at, sessions, events FROM erasures WHERE erasure_id = $1` };
const unfinishedCuts = { jobs: `SELECT erasure_id FROM erasures WHERE kind = 1 ORDER BY id` };
const unfinished = { jobs: `SELECT erasure_id FROM erasures WHERE finished_at IS NULL ORDER BY id` };

const nothing: Erased = { sessions: 0, events: 0 };

/** The name that what is erased is remembered under. */
export const targetHash = (texts: Texts, id: OwnerId | SessionId): string => texts.hash("erasure", id);

const sessionIds = (rows: readonly SqlRow[]): readonly SessionId[] => rows.map((row) => String(row["session_id"]) as SessionId);

/** What a session's erasure takes: with the last session of an anonymous owner goes the owner, whom nothing could reach any more. */
async function look(
  { driver }: ErasureContext,
  target: Target,
): Promise<{ readonly owner: OwnerId | null; readonly sessions: readonly SessionId[] } | undefined> {
  if ("owner_id" in target) {
    const { owner, sessions } = await driver.read(sessionsOf, [target.owner_id]);
    return owner.length === 0 ? undefined : { owner: target.owner_id, sessions: sessionIds(sessions) };
  }
  const { owner, sessions } = await driver.read(ownerOf, [target.session_id]);
  const [row] = owner;
  if (row === undefined) return undefined;
  const withOwner = row["customer_hash"] === null && sessions.length === 1;
  return { owner: withOwner ? (String(row["owner_id"]) as OwnerId) : null, sessions: [target.session_id] };
}

/** A row of an erasure as a receipt. */
export const erasedOf = (row: SqlRow): Erased => ({
  erasure_id: String(row["erasure_id"]),
  requested_at: numberOf(row, "requested_at"),
  ...(row["finished_at"] === null ? {} : { finished_at: numberOf(row, "finished_at") }),
  sessions: numberOf(row, "sessions"),
  events: numberOf(row, "events"),
});

/** Erases; `hidden` is told which sessions nobody sees any more, before their rows are removed. */
export async function erase(database: ErasureContext, target: Target, hidden: (sessions: readonly SessionId[]) => void): Promise<Erased> {
  const { driver, texts, clock } = database;
  for (let attempt = 1; ; attempt++) {
    const found = await look(database, target);
    if (found === undefined) return join(database, target);
    const erasure_id = `era_${Buffer.from(systemRandom.bytes(12)).toString("base64url")}`;
    const ids = [...(found.owner === null ? [] : [found.owner]), ...found.sessions];
    const { outcome } = await driver.call(markProcedure, {
      erasure_id,
      now: clock.now(),
      owner_id: found.owner,
      anonymous: "session_id" in target,
      sessions: found.sessions,
      hashes: ids.map((id) => targetHash(texts, id)),
    });
    if (outcome === "marked") {
      hidden(found.sessions);
      return finish(database, erasure_id);
    }
    if (attempt === tries) throw new ThroughlineError("store.busy", "What is to be erased kept changing.");
  }
}

/** What another process is erasing already is erased together with it. */
async function join(database: ErasureContext, target: Target): Promise<Erased> {
  const id = "owner_id" in target ? target.owner_id : target.session_id;
  const [job] = (await database.driver.read(byTombstone, [targetHash(database.texts, id)])).erasure;
  return job === undefined ? nothing : finish(database, String(job["erasure_id"]));
}

/** Goes on with a job until it is done, in steps that become smaller when they take long. */
async function finish({ driver, clock, stopped }: ErasureContext, erasure_id: string): Promise<Erased> {
  for (let rows = most / 4; ;) {
    if (stopped()) throw new ThroughlineError("store.closed", "The store was closed; whoever opens it next finishes the erasure.");
    const begun = clock.monotonic();
    const { finished } = await driver.call(stepProcedure, { erasure_id, now: clock.now(), rows });
    if (finished) break;
    rows = clock.monotonic() - begun > stepMs ? Math.max(least, Math.floor(rows / 2)) : Math.min(most, rows * 2);
  }
  const [row] = (await driver.read(receipt, [erasure_id])).erasure;
  return row === undefined ? nothing : erasedOf(row);
}

/** Removes what commits have cut off. */
export async function finishCuts(database: ErasureContext): Promise<void> {
  await finishAll(database, (await database.driver.read(unfinishedCuts, [])).jobs);
}

async function finishAll(database: ErasureContext, jobs: readonly SqlRow[]): Promise<void> {
  for (const job of jobs) await finish(database, String(job["erasure_id"]));
}

/** How long the opening of a store waits for what it finishes. */
const patienceMs = 2_000;

/** Finishes what a process that died had begun. What takes long goes on in the background. */
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
