/** The PostgreSQL store; needs the package `pg`. @module */
export { openPostgresStore } from "./store/postgres/store.ts";
export type { StoreOptions, Timeouts } from "./store/options.ts";
