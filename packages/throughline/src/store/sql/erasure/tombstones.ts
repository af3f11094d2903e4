/** Tombstones: keyed hashes of what was erased. They name nobody, and let a backup that is older be brought up to date before anybody opens it. */
import { ThroughlineError, seen } from "../../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { isPlainObject } from "../../../kernel/json.ts";
import type { Store } from "../../port.ts";
import { ask } from "../driver.ts";
import { type ErasureContext, targetHash } from "./job.ts";
import { erasureContextOf } from "../sql-store.ts";
import { erasuresFinished } from "./purge.ts";

const format = "throughline-tombstones/1";

/** What a database has erased, as of a moment. */
export interface Tombstones {
  /** Tells databases apart: hashes of one mean nothing in another. */
  readonly database: string;
  readonly hashes: ReadonlySet<string>;
}

const all = { hashes: `SELECT target_hash FROM tombstones ORDER BY target_hash` };
const owners = { rows: `SELECT owner_id FROM owners` };
const sessions = { rows: `SELECT session_id FROM sessions WHERE deleted IS NULL` };

const databaseOf = ({ texts }: ErasureContext): string => texts.hash("erasure", "this database");

/** What an open store has erased; one in memory keeps no list. */
export async function tombstonesOf(store: Store): Promise<Tombstones> {
  const context = erasureContextOf(store);
  // An erasure that has not come to all sessions yet would leave some of them out.
  await erasuresFinished(store);
  const { hashes } = await context.driver.read(all, [], "batch");
  return { database: databaseOf(context), hashes: new Set(hashes.map((row) => String(row["target_hash"]))) };
}

/** Tombstones as lines of text. */
export const tombstoneLines = ({ database, hashes }: Tombstones): readonly string[] => [
  JSON.stringify({ type: "tombstones", format, database, count: hashes.size }),
  ...[...hashes].toSorted(),
];

/** Reads what {@link tombstoneLines} wrote; `bundle.invalid` if it is not whole. */
export function parseTombstones(text: string): Tombstones {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  const refuse = (why: string): never => {
    throw new ThroughlineError("bundle.invalid", `The list of erasures ${why}.`);
  };
  let header: unknown;
  try {
    header = JSON.parse(first);
  } catch {
    return refuse("does not begin with its header");
  }
  if (!isPlainObject(header) || header["format"] !== format)
    return refuse(`has the format ${seen(isPlainObject(header) ? header["format"] : header)}; this version reads ${format}`);
  if (header["count"] !== rest.length || typeof header["database"] !== "string")
    return refuse(`holds ${rest.length} hashes and says ${seen(header["count"])}`);
  return { database: header["database"], hashes: new Set(rest) };
}

/** Erases again what the tombstones name and the store holds; how many sessions and owners that were. */
export async function replay(store: Store, tombstones: readonly Tombstones[]): Promise<{ readonly owners: number; readonly sessions: number }> {
  const context = erasureContextOf(store);
  if (tombstones.some(({ database }) => database !== databaseOf(context))) throw new ThroughlineError("backup.foreign");
  const erased = (id: string): boolean => tombstones.some(({ hashes }) => hashes.has(targetHash(context.texts, id as OwnerId | SessionId)));
  const doomedOwners = (await context.driver.read(owners, [], "batch")).rows.map((row) => String(row["owner_id"])).filter(erased);
  for (const owner_id of doomedOwners) await store.erase({ owner_id: owner_id as OwnerId });
  const doomedSessions = (await context.driver.read(sessions, [], "batch")).rows.map((row) => String(row["session_id"])).filter(erased);
  for (const session_id of doomedSessions) await store.erase({ session_id: session_id as SessionId });
  await keep(
    context,
    tombstones.flatMap(({ hashes }) => [...hashes]),
  );
  return { owners: doomedOwners.length, sessions: doomedSessions.length };
}

/** What is not in this database may be in an older backup: every tombstone is kept. */
async function keep({ driver }: ErasureContext, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await driver.exclusive(function* () {
    for (const hash of hashes) yield* ask(`INSERT INTO tombstones (target_hash, erasure) VALUES ($1, 0) ON CONFLICT DO NOTHING`, [hash]);
  });
}
