import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { MigrationReport } from "../port.ts";
import type { Dialect, Run, SqlDriver } from "./driver.ts";
import { type DatabaseFunction, functionsOf } from "./functions.ts";
import { plainHashKey } from "./keys/hash-key.ts";
import { type Migration, checksumOf, migrationsOf } from "./schema.ts";

const createJournal = `CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)`;

/** Schema version that the applied migrations stand for; refuses a newer schema and a changed migration. */
function checkApplied(applied: readonly { readonly version: number; readonly checksum: string }[], migrations: readonly Migration[]): number {
  const latest = migrations.length;
  const found = applied.length;
  if (found > latest) {
    throw new ThroughlineError("store.schema_newer", `The database has schema version ${found}; this version of Throughline knows ${latest}.`, {
      details: { found, known: latest },
    });
  }
  for (const [index, { version, checksum }] of applied.entries()) {
    const migration = migrations[index];
    if (migration?.version === version && checksumOf(migration) === checksum) continue;
    throw new ThroughlineError(
      "store.migration_changed",
      `Migration ${version} was applied with another text than this version of Throughline has.`,
      { details: { version } },
    );
  }
  return found;
}

async function readApplied(run: Run): Promise<readonly { readonly version: number; readonly checksum: string }[]> {
  const rows = await run(`SELECT version, checksum FROM schema_migrations ORDER BY version`);
  return rows.map((row) => ({ version: Number(row["version"]), checksum: String(row["checksum"]) }));
}

/** Functions that the database does not have yet. */
async function missingFunctions(run: Run, dialect: Dialect): Promise<readonly DatabaseFunction[]> {
  const wanted = functionsOf(dialect);
  if (wanted.length === 0) return wanted;
  const made = new Set((await run(`SELECT name FROM meta`)).map((row) => row["name"]));
  return wanted.filter(({ name }) => !made.has(name));
}

/**
 * Brings the schema up to date under one lock. A database that is up to date is only read, so opening it waits for nobody; who comes second
 * waits for who came first and finds the work done. `newHashKey` makes the key that look-ups are hashed with, as a new database keeps it.
 */
export async function migrate(driver: SqlDriver, clock: Clock, newHashKey: () => string = plainHashKey): Promise<MigrationReport> {
  const migrations = migrationsOf(driver.dialect);
  const to = migrations.length;
  if (await driver.hasJournal()) {
    const run: Run = async (sql) => (await driver.read({ rows: sql }, [])).rows;
    const found = checkApplied(await readApplied(run), migrations);
    if (found === to && (await missingFunctions(run, driver.dialect)).length === 0) return { from: found, to };
  }
  return driver.exclusive(async (run, journalExists) => {
    if (!journalExists) await run(createJournal);
    const from = checkApplied(await readApplied(run), migrations);
    for (const migration of migrations.slice(from)) {
      for (const statement of migration.statements) await run(statement);
      const insert = `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`;
      await run(insert, [migration.version, migration.name, checksumOf(migration), clock.now()]);
    }
    for (const { name, statement } of await missingFunctions(run, driver.dialect)) {
      await run(statement);
      await run(`INSERT INTO meta (name, value) VALUES ($1, 'function')`, [name]);
    }
    await run(`INSERT INTO meta (name, value) VALUES ('hash_key', $1) ON CONFLICT DO NOTHING`, [newHashKey()]);
    return { from, to };
  });
}
