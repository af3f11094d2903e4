import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SqlValue } from "../sql/driver.ts";

/**
 * Converts a statement for SQLite. `node:sqlite` binds by position only to `?1`, not to `$1`. Without statistics SQLite prefers a primary key to a
 * partial index, so a statement names the index in a comment, which other engines ignore.
 */
export const toSqlite = (sql: string): string => sql.replaceAll(/\$(\d+)/g, "?$1").replaceAll(/\/\* (INDEXED BY \w+) \*\//g, "$1");

/** Returns the number of the last placeholder. */
export const countPlaceholders = (sql: string): number => Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));

/** Throws `store.value_invalid` for values that `node:sqlite` would silently bind as NULL or as another value. */
export function checkValues(values: readonly SqlValue[], placeholders: number, sql: string): void {
  if (values.length !== placeholders) {
    throw new ThroughlineError("store.value_invalid", `${values.length} values for ${placeholders} placeholders of: ${sql.slice(0, 80)}`);
  }
  for (const [index, value] of values.entries()) {
    if (value === null || typeof value === "string" || Number.isSafeInteger(value)) continue;
    throw new ThroughlineError("store.value_invalid", `Value $${index + 1} is ${seen(value)}, which cannot be bound to: ${sql.slice(0, 80)}`);
  }
}
