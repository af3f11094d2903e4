import { ThroughlineError, seen } from "./kernel/error.ts";
import type { StoreOptions } from "./store/options.ts";
import type { Store } from "./store/port.ts";

/**
 * Opens a store by its location and brings its schema up to date: a file path for SQLite, `:memory:` for a store that forgets, or a
 * `postgres://` URL for PostgreSQL (which needs the package `pg`). The driver is loaded only now.
 */
export async function openStore(location: string, options: StoreOptions = {}): Promise<Store> {
  if (typeof location !== "string" || location.trim() === "") {
    throw new ThroughlineError(
      "store.location_invalid",
      `A database location is a file path, ":memory:" or a postgres:// URL, got ${seen(location)}.`,
    );
  }
  if (location === ":memory:") return (await import("./store/in-memory.ts")).openMemoryStore(options);
  if (/^postgres(ql)?:\/\//.test(location)) return (await import("./store/postgres/store.ts")).openPostgresStore(location, options);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1];
  if (scheme !== undefined) throw new ThroughlineError("store.location_invalid", `"${scheme}://" is not a database that Throughline can open.`);
  return (await import("./store/sqlite/store.ts")).openSqliteStore(location, options);
}
