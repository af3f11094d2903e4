/** Parts of the PostgreSQL functions. */

/** The database's clock, in milliseconds. */
export const databaseNow = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Joins statements. Index names, which are comments for SQLite, are removed. */
export const block = (statements: readonly string[]): string =>
  statements.map((statement) => `    ${statement.replaceAll(/\/\*.*?\*\//g, "")};`).join("\n");
