/** The PostgreSQL store. Needs the package `pg`. @module */
export { openPostgresStore } from "./store/postgres/postgres-store.ts";
export type { StoreOptions, Timeouts } from "./store/store-options.ts";
export { purgePostgres } from "./store/postgres/postgres-maintenance.ts";
export { backupPostgres } from "./store/postgres/postgres-maintenance.ts";
export type { PurgeReport } from "./store/sql/erasure/erasure-job.ts";
