/** Databases for tests. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, inject, onTestFinished } from "vitest";

const postgres = inject("postgres");

/** Why tests on PostgreSQL are skipped; undefined if they run. */
export const noPostgres: string | undefined = "reason" in postgres ? postgres.reason : undefined;

/** URL of the server's own database. */
export function serverUrl(): string {
  if ("reason" in postgres) throw new Error(postgres.reason);
  return postgres.url;
}

/** Runs one statement as the owner of the database at `url`. */
export async function runSql(url: string, sql: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runSql(serverUrl(), `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

const dropDatabase = (url: string): Promise<unknown> => runSql(serverUrl(), `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);

/** A new PostgreSQL database, dropped when the test ends. */
export async function newPostgresDatabase(): Promise<string> {
  const url = await createDatabase();
  onTestFinished(async () => void (await dropDatabase(url)));
  return url;
}

let shared: Promise<string> | undefined;

afterAll(async () => {
  if (shared !== undefined) await dropDatabase(await shared);
});

/** A PostgreSQL database without rows: the same for all tests of a file, which saves them most of their time. */
export async function emptyPostgresDatabase(): Promise<string> {
  shared ??= createDatabase();
  const url = await shared;
  await runSql(
    url,
    `DO $$ DECLARE tables text; BEGIN
      SELECT string_agg(format('throughline.%I', tablename), ', ') INTO tables FROM pg_tables
        WHERE schemaname = 'throughline' AND tablename NOT IN ('meta', 'feed', 'schema_migrations');
      IF tables IS NOT NULL THEN
        EXECUTE 'TRUNCATE ' || tables;
        EXECUTE 'UPDATE throughline.feed SET position = 0';
      END IF;
    END $$`,
  );
  return url;
}

/** The path of a database file in a new folder, removed when the test ends. */
export function newSqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "throughline-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "store.db");
}
