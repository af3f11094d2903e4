/** Backups of a SQLite database, restores without the data that was erased since, and the removal of deleted data from free pages and the write-ahead log. */
import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ThroughlineError } from "../../kernel/error.ts";
import { hasLeft, processId, syncFolderOf, writeBackup } from "../../kernel/process.ts";
import { erasuresFinished, type PurgeReport } from "../sql/erasure/erasure-job.ts";
import { replay, type Tombstones, tombstonesOf } from "../sql/erasure/tombstones.ts";
import type { StoreOptions } from "../store-options.ts";
import { sqliteError } from "./sqlite-connection.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Bytes of the file and of its write-ahead log. */
const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/**
 * Finishes running erasures, rewrites the file (`VACUUM`, which needs as much free space again) and empties the write-ahead log. Fails with
 * `store.in_use` while other connections read or write.
 */
export async function purgeSqlite(path: string, options: StoreOptions = {}): Promise<PurgeReport> {
  if (!existsSync(path)) throw missing(path);
  const before = bytesOf(path);
  const store = await openSqliteStore(path, options);
  try {
    await erasuresFinished(store);
  } finally {
    await store.close();
  }
  try {
    rewrite(path);
  } catch (error) {
    const known = sqliteError(error, path);
    if (ThroughlineError.is(known, "store.busy"))
      throw new ThroughlineError("store.in_use", `${path} is in use: nothing was purged.`, { cause: error });
    throw known;
  }
  return { before, after: bytesOf(path), remarks: [] };
}

function rewrite(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    database.exec("PRAGMA secure_delete = ON");
    database.exec("VACUUM");
    const result = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (result?.["busy"] !== 0) throw new ThroughlineError("store.in_use", `${path} is in use: its log of writes could not be emptied.`);
  } finally {
    database.close();
  }
}

/** The result of a restore. */
interface Restored {
  /** Number of customers, and owners of anonymous sessions, that were erased again. */
  readonly owners: number;
  readonly sessions: number;
}

interface RestoreOptions extends StoreOptions {
  /** Lists of erasures in addition to that of the replaced database. */
  readonly tombstones?: readonly Tombstones[];
  /** Restores even if the erasures since the backup are unknown. Defaults to false. */
  readonly withoutTombstones?: boolean;
}

const missing = (path: string): ThroughlineError => new ThroughlineError("store.not_found", `There is no database at ${path}.`);

/** Writes a consistent copy of the database, while others use it, into a new file that only its owner can read. */
export function backupSqlite(path: string, file: string): void {
  if (!existsSync(path)) throw missing(path);
  writeBackup(file, (fresh) => {
    try {
      const database = new DatabaseSync(path, { timeout: 5000 });
      try {
        database.prepare("VACUUM INTO ?").run(fresh);
      } finally {
        database.close();
      }
    } catch (error) {
      throw sqliteError(error, path);
    }
    flush(fresh);
  });
}

/** Flushes a file to the disk. */
function flush(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** Throws for an open database, because only the sole process can leave WAL mode. */
function assertUnused(path: string): void {
  const database = new DatabaseSync(path, { timeout: 200 });
  try {
    if (database.prepare("PRAGMA journal_mode = DELETE").get()?.["journal_mode"] === "delete") return;
    throw new ThroughlineError("store.in_use", `${path} is in use.`);
  } catch (error) {
    const known = sqliteError(error, path);
    throw ThroughlineError.is(known, "store.busy") ? new ThroughlineError("store.in_use", `${path} is in use.`, { cause: error }) : known;
  } finally {
    database.close();
  }
}

const removeBeside = (path: string): void => ["-wal", "-shm", "-journal"].forEach((end) => rmSync(`${path}${end}`, { force: true }));

/**
 * Replaces the database at `path` with a backup, after erasing in it the data that was erased since. The erasures come from the replaced database and
 * from `tombstones`. `path` stays unchanged until all of that is done.
 */
export async function restoreSqlite(backup: string, path: string, options: RestoreOptions = {}): Promise<Restored> {
  const { tombstones = [], withoutTombstones = false, ...opening } = options;
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new ThroughlineError("file.unreadable", `There is no backup at ${backup}.`, { details: { path: backup } });
  const known = [...tombstones];
  if (existsSync(path)) {
    assertUnused(path);
    if (!withoutTombstones) known.push(await read(path, opening));
  }
  if (known.length === 0 && !withoutTombstones) throw new ThroughlineError("backup.tombstones_missing");
  // Each restore has its own copy, so that concurrent ones do not take each other's.
  const fresh = `${path}${restoring}${processId()}`;
  const clear = (): void => [fresh, `${fresh}-wal`, `${fresh}-shm`].forEach((file) => rmSync(file, { force: true }));
  removeAbandoned(path);
  try {
    copy(backup, fresh);
    const restored = await replayInto(fresh, known, opening);
    if (existsSync(path)) assertUnused(path);
    removeBeside(path);
    renameSync(fresh, path);
    syncFolderOf(path);
    return restored;
  } catch (error) {
    if (!ThroughlineError.is(error, "store.corrupt")) throw error;
    throw new ThroughlineError("store.corrupt", `${backup} is no backup of Throughline, or is damaged.`, {
      hint: "Give a file that `throughline backup` wrote; the database is as it was.",
      cause: error,
    });
  } finally {
    clear();
  }
}

const restoring = ".restoring-";

/** A killed restore leaves its copy, which contains personal data. */
function removeAbandoned(path: string): void {
  const begin = `${basename(path)}${restoring}`;
  const folder = dirname(resolve(path));
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, id] = name.startsWith(begin) ? (/^(\d.*?)(?:-wal|-shm)?$/.exec(name.slice(begin.length)) ?? []) : [];
    if (id !== undefined && hasLeft(id)) rmSync(join(folder, name), { force: true });
  }
}

/** Copies a file, and flushes the copy before it gets its final name. */
function copy(from: string, to: string): void {
  try {
    mkdirSync(dirname(resolve(to)), { recursive: true, mode: 0o700 });
    copyFileSync(from, to);
    chmodSync(to, 0o600);
    flush(to);
  } catch (cause) {
    throw new ThroughlineError("backup.failed", `${from} cannot be copied to ${to}.`, {
      hint: "Check the paths, the permissions and the room on the disk.",
      cause,
    });
  }
}

async function read(path: string, options: StoreOptions): Promise<Tombstones> {
  const store = await openSqliteStore(path, options);
  try {
    return await tombstonesOf(store);
  } finally {
    await store.close();
  }
}

async function replayInto(path: string, known: readonly Tombstones[], options: StoreOptions): Promise<Restored> {
  const store = await openSqliteStore(path, options);
  let restored: Restored;
  try {
    restored = await replay(store, known);
  } finally {
    await store.close();
  }
  if (restored.owners + restored.sessions > 0) await purgeSqlite(path, options);
  return restored;
}
