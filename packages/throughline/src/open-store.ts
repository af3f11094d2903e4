import { ThroughlineError, seen } from "./kernel/error.ts";
import { assertNodeVersion } from "./kernel/process.ts";
import type { StoreOptions } from "./store/store-options.ts";
import type { Store } from "./store/port.ts";
import type { Rotation } from "./store/sql/keys/rotate.ts";

/**
 * Opens a store by its location and migrates its schema: a file path for SQLite, `:memory:` for a store in memory, or a `postgres://` URL for
 * PostgreSQL, which needs the package `pg`. Loads the driver on demand. Fails with `node.too_old` on an older Node than package.json declares, and
 * with `package.missing` without `pg`.
 */
export async function openStore(location: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof location !== "string" || location.trim() === "") {
    throw new ThroughlineError(
      "store.location_invalid",
      `A database location is a file path, ":memory:" or a postgres:// URL, got ${seen(location)}.`,
    );
  }
  assertNodeVersion();
  if (location === ":memory:") return (await import("./store/in-memory/in-memory-store.ts")).openMemoryStore(options);
  if (/^postgres(ql)?:\/\//.test(location)) return (await import("./store/postgres/postgres-store.ts")).openPostgresStore(location, options);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1];
  if (scheme !== undefined) throw new ThroughlineError("store.location_invalid", `"${scheme}://" is not a database that Throughline can open.`);
  return (await import("./store/sqlite/sqlite-store.ts")).openSqliteStore(location, options);
}

/**
 * Rewraps the keys of an encrypted database with the first of `encryption.keys`, which must include the former one too. Messages and other data stay
 * unchanged, and processes with both keys continue meanwhile. Call it again to finish an interrupted rotation. Afterwards the former key can be
 * removed.
 */
export async function rotateKeys(location: string, options: StoreOptions): Promise<Rotation> {
  if (typeof location === "string" && /^postgres(ql)?:\/\//.test(location))
    return (await import("./store/postgres/postgres-store.ts")).rotatePostgresKeys(location, options);
  if (typeof location !== "string" || location.trim() === "" || location === ":memory:" || /^[a-z][a-z0-9+.-]+:\/\//i.test(location))
    throw new ThroughlineError("store.location_invalid", "Keys are rotated in a database file or behind a postgres:// URL.");
  return (await import("./store/sqlite/sqlite-store.ts")).rotateSqliteKeys(location, options);
}
