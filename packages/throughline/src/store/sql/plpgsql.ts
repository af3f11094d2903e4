/** Pieces of the functions that PostgreSQL runs. */

/** The database's clock, in milliseconds. */
export const databaseNow = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Statements one after the other. Names of indexes, which stand in comments for SQLite, are left out. */
export const block = (statements: readonly string[]): string =>
  statements.map((statement) => `    ${statement.replaceAll(/\/\*.*?\*\//g, "")};`).join("\n");
