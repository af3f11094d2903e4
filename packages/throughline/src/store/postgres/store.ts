import { silentLogger } from "../../kernel/log.ts";
import type { StoreOptions } from "../options.ts";
import type { Store } from "../port.ts";
import { type Rotation, rotateSqlKeys } from "../sql/keys/rotate.ts";
import type { SqlDriver } from "../sql/driver.ts";
import { openSqlStore } from "../sql/sql-store.ts";
import { postgresDriver } from "./driver.ts";
import { parseLocation } from "./location.ts";

/**
 * Opens a PostgreSQL database (15 or later) by its URL and brings the schema `throughline` in it up to date. Fails with
 * `store.location_invalid`, naming the part of the URL, `store.unreachable` when the server does not answer within `timeouts.interactiveMs` (five seconds), `store.schema_newer`,
 * `store.migration_changed`. No message holds the password.
 */
export async function openPostgresStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return openSqlStore(await driverOf(url, options), options);
}

/** Wraps the keys of the encrypted database at `url` anew with the first of the operator keys. */
export async function rotatePostgresKeys(url: string, options: StoreOptions): Promise<Rotation> {
  return rotateSqlKeys(await driverOf(url, options), options);
}

function driverOf(url: string, { durability = "full", logger = silentLogger, onStatement, timeouts }: StoreOptions): Promise<SqlDriver> {
  return postgresDriver(parseLocation(url, { durability }), { logger, onStatement, timeouts });
}
