/** The SQLite store: one database file, shared by the processes of one machine. @module */
export { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
export type { StoreOptions, Timeouts } from "./store/store-options.ts";
export { purgeSqlite } from "./store/sqlite/sqlite-maintenance.ts";
export { backupSqlite, restoreSqlite } from "./store/sqlite/sqlite-maintenance.ts";
export type { PurgeReport } from "./store/sql/erasure/erasure-job.ts";
