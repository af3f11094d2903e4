/** Migrates the schema of a database, and creates the PostgreSQL functions of the procedures. */
import { createHash } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { MigrationReport } from "../port.ts";
import { claimProcedure, releaseProcedure, renewProcedure } from "./claim.ts";
import { orderAppends } from "./appends.ts";
import { commitProcedure } from "./commit/commit-procedure.ts";
import { markProcedure, namingProcedure, stepProcedure } from "./erasure/erasure-steps.ts";
import { plainHashKey, rewrapProcedure } from "./keys/keyring.ts";
import { ask, type Dialect, type SqlDriver, type SqlRow, type Steps } from "./sql-driver.ts";
import { checksumOf, type Migration, migrationsOf } from "./tables.ts";
import { draftsProcedure } from "./wake/shared-drafts.ts";

const createJournal = `CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)`;

/** Returns the schema version of the applied migrations. Throws for a newer schema and for a changed migration. */
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

const appliedMigrations = `SELECT version, checksum FROM schema_migrations ORDER BY version`;
const madeFunctions = `SELECT name FROM meta`;

const appliedOf = (rows: readonly SqlRow[]): readonly { readonly version: number; readonly checksum: string }[] =>
  rows.map((row) => ({ version: Number(row["version"]), checksum: String(row["checksum"]) }));

/** Returns the functions that the database lacks. */
function missingFunctions(dialect: Dialect, rows: readonly SqlRow[]): readonly DatabaseFunction[] {
  const names = new Set(rows.map((row) => row["name"]));
  return functionsOf(dialect).filter(({ name }) => !names.has(name));
}

/**
 * Migrates the schema under one lock. A current database is only read, so opening it does not wait. A second process waits for the first and finds
 * the work done. `newHashKey` creates the key of the look-up hashes, in its stored form.
 */
export async function migrate(driver: SqlDriver, clock: Clock, newHashKey: () => string = plainHashKey): Promise<MigrationReport> {
  const migrations = migrationsOf(driver.dialect);
  const to = migrations.length;
  if (await driver.hasJournal()) {
    const found = checkApplied(appliedOf((await driver.read({ rows: appliedMigrations }, [])).rows), migrations);
    if (found === to && missingFunctions(driver.dialect, (await driver.read({ rows: madeFunctions }, [])).rows).length === 0)
      return { from: found, to };
  }
  return driver.exclusive(function* (journalExists): Steps<MigrationReport> {
    if (!journalExists) yield* ask(createJournal);
    const from = checkApplied(appliedOf(yield* ask(appliedMigrations)), migrations);
    for (const migration of migrations.slice(from)) {
      for (const statement of migration.statements) yield* ask(statement);
      const insert = `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`;
      yield* ask(insert, [migration.version, migration.name, checksumOf(migration), clock.now()]);
    }
    for (const { name, statement } of missingFunctions(driver.dialect, yield* ask(madeFunctions))) {
      yield* ask(statement);
      yield* ask(`INSERT INTO meta (name, value) VALUES ($1, 'function')`, [name]);
    }
    yield* ask(`INSERT INTO meta (name, value) VALUES ('hash_key', $1) ON CONFLICT DO NOTHING`, [newHashKey()]);
    return { from, to };
  });
}

interface DatabaseFunction {
  readonly name: string;
  readonly statement: string;
}

const names = new WeakMap<object, string>();

/**
 * Returns the name of a procedure's function. It contains a hash of the body, so a version with another body creates its own function. Processes of
 * both versions can then run concurrently.
 */
export function functionName(procedure: { readonly name: string; readonly postgres: string }): string {
  const known = names.get(procedure);
  if (known !== undefined) return known;
  const name = `throughline_${procedure.name}_${createHash("sha256").update(procedure.postgres).digest("hex").slice(0, 12)}`;
  names.set(procedure, name);
  return name;
}

const functions: readonly DatabaseFunction[] = [
  commitProcedure,
  orderAppends,
  claimProcedure,
  renewProcedure,
  releaseProcedure,
  markProcedure,
  namingProcedure,
  stepProcedure,
  draftsProcedure,
  rewrapProcedure,
].map((procedure) => {
  const name = functionName(procedure);
  const body = `#variable_conflict use_column\n${procedure.postgres}`;
  return { name, statement: `CREATE FUNCTION ${name}(input jsonb) RETURNS jsonb LANGUAGE plpgsql AS $body$\n${body}\n$body$` };
});

/** Returns the functions that a database must have. */
const functionsOf = (dialect: Dialect): readonly DatabaseFunction[] => (dialect === "postgres" ? functions : []);
