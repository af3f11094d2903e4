/** The SQLite store: one file, one process. @module */
export { openSqliteStore } from "./store/sqlite/store.ts";
export type { StoreOptions, Timeouts } from "./store/options.ts";
