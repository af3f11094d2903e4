/** Removes deleted data of a SQLite database from free pages and the write-ahead log. */
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ThroughlineError } from "../../kernel/error.ts";
import type { StoreOptions } from "../options.ts";
import { type PurgeReport, erasuresFinished } from "../sql/erasure/purge.ts";
import { sqliteError } from "./error.ts";
import { openSqliteStore } from "./store.ts";

/** Bytes of the file and of its write-ahead log. */
const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/**
 * Finishes running erasures, rewrites the file (`VACUUM`, which needs as much free space again) and empties the write-ahead log. Fails with
 * `store.in_use` while other connections read or write.
 */
export async function purgeSqlite(path: string, options: StoreOptions = {}): Promise<PurgeReport> {
  if (!existsSync(path)) throw new ThroughlineError("store.not_found", `There is no database at ${path}.`);
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
