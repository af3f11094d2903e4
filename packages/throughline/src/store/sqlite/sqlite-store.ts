import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { silentLogger } from "../../kernel/log.ts";
import { syncFolderOf } from "../../kernel/process.ts";
import type { Store } from "../port.ts";
import { rotateSqlKeys, type Rotation } from "../sql/keys/rotate.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import type { StoreOptions } from "../store-options.ts";
import { SqliteDriver } from "./sqlite-driver.ts";

/** Creates the file and its parent folders, readable by their owner only. Existing ones stay unchanged. */
function prepareFile(path: string): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
    syncFolderOf(path);
  } catch (error) {
    throw new ThroughlineError("store.unreachable", `${path} cannot be created.`, { hint: "Check the folder's path and permissions.", cause: error });
  }
}

/**
 * Opens the SQLite database at `path`, or `:memory:`, and migrates its schema. A missing file is created with its folders, readable by their owner
 * only. Fails with `store.corrupt` for a file that is not a database or that another program wrote. Fails with `store.schema_newer`, with
 * `store.migration_changed`, with `store.busy` after five seconds of another process's lock, and with `store.unreachable` for a file that cannot be
 * opened.
 */
export async function openSqliteStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const { durability = "full", logger = silentLogger, onStatement } = options;
  if (typeof path !== "string" || path === "" || path.includes("\u0000"))
    throw new ThroughlineError("store.location_invalid", `${seen(path)} is not a file path.`);
  if (path !== ":memory:") prepareFile(path);
  const driver = new SqliteDriver(path, { durability, logger, onStatement });
  return openSqlStore(driver, options);
}

/** Rewraps the keys of the encrypted database at `path` with the first of the operator keys. Throws `store.not_found` if there is no such file. */
export async function rotateSqliteKeys(path: string, options: StoreOptions): Promise<Rotation> {
  if (!existsSync(path)) throw new ThroughlineError("store.not_found", `There is no database at ${path}.`);
  const { durability = "full", logger = silentLogger, onStatement } = options;
  return rotateSqlKeys(new SqliteDriver(path, { durability, logger, onStatement }), options);
}
