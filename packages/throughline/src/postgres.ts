/** The PostgreSQL store. Needs the package `pg`. @module */
export { openPostgresStore } from "./store/postgres/store.ts";
export type { StoreOptions, Timeouts } from "./store/options.ts";
export { purgePostgres } from "./store/postgres/purge.ts";
export { backupPostgres } from "./store/postgres/backup.ts";
export type { PurgeReport } from "./store/sql/erasure/purge.ts";
