/** The PostgreSQL store; needs the package `pg`. @module */
export { openPostgresStore } from "./store/postgres/store.ts";
export type { StoreOptions } from "./store/options.ts";
