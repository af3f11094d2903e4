/** The SQLite store: one file, one process. @module */
export { openSqliteStore } from "./store/sqlite/store.ts";
export type { StoreOptions } from "./store/options.ts";
