import { ThroughlineError, seen } from "./kernel/error.ts";
import { assertNodeVersion } from "./kernel/process.ts";
import type { StoreOptions } from "./store/options.ts";
import type { Store } from "./store/port.ts";
import type { Rotation } from "./store/sql/keys/rotate.ts";

/**
 * Opens a store by its location and brings its schema up to date: a file path for SQLite, `:memory:` for a store that forgets, or a
 * `postgres://` URL for PostgreSQL, which needs the package `pg`. The driver is loaded only now. Fails with `node.too_old` on an older Node than package.json
 * declares, and with `package.missing` without `pg`.
 */
export async function openStore(location: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof location !== "string" || location.trim() === "") {
    throw new ThroughlineError(
      "store.location_invalid",
      `A database location is a file path, ":memory:" or a postgres:// URL, got ${seen(location)}.`,
    );
  }
  assertNodeVersion();
  if (location === ":memory:") return (await import("./store/in-memory/store.ts")).openMemoryStore(options);
  if (/^postgres(ql)?:\/\//.test(location)) return (await import("./store/postgres/store.ts")).openPostgresStore(location, options);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1];
  if (scheme !== undefined) throw new ThroughlineError("store.location_invalid", `"${scheme}://" is not a database that Throughline can open.`);
  return (await import("./store/sqlite/store.ts")).openSqliteStore(location, options);
}

/**
 * Wraps the keys of an encrypted database anew with the first of `encryption.keys`, which must hold the former one too. Messages and all else stay as
 * they are, and processes that know both keys go on meanwhile. What was cut short is finished by calling it again. Afterwards the former key can go.
 */
export async function rotateKeys(location: string, options: StoreOptions): Promise<Rotation> {
  if (typeof location === "string" && /^postgres(ql)?:\/\//.test(location))
    return (await import("./store/postgres/store.ts")).rotatePostgresKeys(location, options);
  if (typeof location !== "string" || location.trim() === "" || location === ":memory:" || /^[a-z][a-z0-9+.-]+:\/\//i.test(location))
    throw new ThroughlineError("store.location_invalid", "Keys are rotated in a database file or behind a postgres:// URL.");
  return (await import("./store/sqlite/store.ts")).rotateSqliteKeys(location, options);
}
