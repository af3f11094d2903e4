import { silentLogger } from "../../kernel/log.ts";
import type { Store } from "../port.ts";
import { rotateSqlKeys, type Rotation } from "../sql/keys/rotate.ts";
import type { SqlDriver } from "../sql/sql-driver.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import type { StoreOptions } from "../store-options.ts";
import { parseLocation } from "./location.ts";
import { postgresDriver } from "./postgres-driver.ts";

/**
 * Opens a PostgreSQL database (15 or later) by its URL and migrates its schema `throughline`. Fails with `store.location_invalid`, which names the
 * invalid part of the URL, `store.schema_newer` or `store.migration_changed`. Fails with `store.unreachable` if the server does not respond within
 * `timeouts.interactiveMs` (five seconds by default). No message contains the password.
 */
export async function openPostgresStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return openSqlStore(await driverOf(url, options), options);
}

/** Rewraps the keys of the encrypted database at `url` with the first of the operator keys. */
export async function rotatePostgresKeys(url: string, options: StoreOptions): Promise<Rotation> {
  return rotateSqlKeys(await driverOf(url, options), options);
}

function driverOf(url: string, { durability = "full", logger = silentLogger, onStatement, timeouts, ...options }: StoreOptions): Promise<SqlDriver> {
  return postgresDriver(parseLocation(url, { durability, ...options }), { logger, onStatement, timeouts });
}
