/** Tombstones: keyed hashes of erased objects. They contain no ids. An older backup is brought up to date with them before it is used. */
import { ThroughlineError, seen } from "../../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../../kernel/id.ts";
import { isPlainObject } from "../../../kernel/json.ts";
import type { Store } from "../../port.ts";
import { ask } from "../sql-driver.ts";
import { type ErasureContext, erasuresFinished, targetHash } from "./erasure-job.ts";
import { erasureContextOf } from "../sql-store.ts";

const format = "throughline-tombstones/1";

/** The erasures of a database at one moment. */
export interface Tombstones {
  /** Identifies the database, because hashes are specific to it. */
  readonly database: string;
  readonly hashes: ReadonlySet<string>;
}

const all = { hashes: `SELECT target_hash FROM tombstones ORDER BY target_hash` };
const owners = { rows: `SELECT owner_id FROM owners` };
const sessions = { rows: `SELECT session_id FROM sessions WHERE deleted IS NULL` };

const databaseOf = ({ texts }: ErasureContext): string => texts.hash("erasure", "this database");

/** Returns the erasures of an open store. The in-memory store keeps none. */
export async function tombstonesOf(store: Store): Promise<Tombstones> {
  const context = erasureContextOf(store);
  // An unfinished erasure has not hashed all of its sessions yet.
  await erasuresFinished(store);
  const { hashes } = await context.driver.read(all, [], "batch");
  return { database: databaseOf(context), hashes: new Set(hashes.map((row) => String(row["target_hash"]))) };
}

/** Returns tombstones as lines of text. */
export const tombstoneLines = ({ database, hashes }: Tombstones): readonly string[] => [
  JSON.stringify({ type: "tombstones", format, database, count: hashes.size }),
  ...[...hashes].toSorted(),
];

/** Parses the output of {@link tombstoneLines}. Throws `bundle.invalid` if it is incomplete. */
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

/** Erases again the objects in the store that the tombstones name. Returns the numbers of sessions and owners. */
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

/** An object that is not in this database may be in an older backup, so every tombstone is kept. */
async function keep({ driver }: ErasureContext, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await driver.exclusive(function* () {
    for (const hash of hashes) yield* ask(`INSERT INTO tombstones (target_hash, erasure) VALUES ($1, 0) ON CONFLICT DO NOTHING`, [hash]);
  });
}
