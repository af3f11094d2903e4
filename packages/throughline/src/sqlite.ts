/** The SQLite store: one database file, shared by the processes of one machine. @module */
export { openSqliteStore } from "./store/sqlite/store.ts";
export type { StoreOptions, Timeouts } from "./store/options.ts";
export { purgeSqlite } from "./store/sqlite/purge.ts";
export { backupSqlite, restoreSqlite } from "./store/sqlite/backup.ts";
export type { PurgeReport } from "./store/sql/erasure/purge.ts";
