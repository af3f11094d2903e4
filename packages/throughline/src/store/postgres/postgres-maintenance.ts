/** Backups of a PostgreSQL database through its own tool, and the removal of deleted data from dead rows, statistics and the write-ahead log. */
import { present } from "../../kernel/json.ts";
import { spawnSync } from "node:child_process";
import type { Client } from "pg";
import { ThroughlineError } from "../../kernel/error.ts";
import { writeBackup } from "../../kernel/process.ts";
import { erasuresFinished, type PurgeReport } from "../sql/erasure/erasure-job.ts";
import { places } from "../sql/erasure/places.ts";
import type { StoreOptions } from "../store-options.ts";
import { boundedClient, Hosts, postgresError, readOnlyError } from "./connections.ts";
import { forPrograms, parseLocation, quotedName, quotedText } from "./location.ts";
import { openPostgresStore } from "./postgres-store.ts";

function failure({ error, signal, stderr, status }: ReturnType<typeof spawnSync>): string {
  if (error !== undefined) return "code" in error && error.code === "ENOENT" ? "there is no `pg_dump` on the PATH" : error.message;
  if (signal !== null) return `pg_dump was ended by ${signal}`;
  const lines = String(stderr)
    .split("\n")
    .map((line) => line.replace(/^pg_dump: (?:error: |detail: )?/u, "").trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? `pg_dump ended with ${status}` : lines.slice(0, 3).join("; ").replace(/\.$/u, "");
}

/**
 * Runs `pg_dump` on the schema of the location, without the drafts of replies. Writes a new file in the custom format that only its owner can read. The
 * file gets its final name once it is complete.
 */
export function backupPostgres(location: string, file: string, environment: Readonly<Record<string, string | undefined>> = process.env): void {
  writeBackup(file, (fresh) => {
    const { shown, schema } = parseLocation(location, { durability: "full", environment });
    const { url, password } = forPrograms(location);
    const name = quotedName(schema);
    const words = ["--format=custom", `--schema=${name}`, `--exclude-table-data=${name}.drafts`, "--no-owner"];
    const done = spawnSync("pg_dump", [...words, `--file=${fresh}`, `--dbname=${url}`], {
      encoding: "utf8",
      env: { ...environment, ...present({ PGPASSWORD: password }) },
    });
    if (done.status !== 0)
      throw new ThroughlineError("backup.failed", `${shown} was not backed up: ${failure(done)}.`, {
        hint: "`pg_dump` must be there, of the server's version or a later one; nothing was changed.",
        cause: done.error,
      });
  });
}

const tables = [...new Set(places.filter(({ only }) => only !== "sqlite").map(({ table }) => table))];
const sampled = places.flatMap(({ table, columns }) =>
  Object.entries(columns).flatMap(([column, holds]) => (holds === "person" || holds === "name" ? [[table, column] as const] : [])),
);
const sizeIn = (
  schema: string,
): string => `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ${quotedText(schema)} AND c.relkind = 'r'`;

/**
 * Maximum number of switches of the write-ahead log. The log is a ring of files of 16 MB: a switch fills one with zeros, and a checkpoint moves it
 * behind the others. Until all have been switched, one of them may contain deleted data. On a server with more files, the rest is overwritten later.
 */
const mostSwitches = 200;

/**
 * Finishes running erasures and rewrites the tables (`VACUUM FULL`, which locks each table meanwhile). Then switches the write-ahead log with
 * checkpoints until all of its files are replaced. Operations that the role may not perform are listed in the remarks. If it may perform none, fails
 * with `store.not_allowed`.
 */
export async function purgePostgres(location: string, options: StoreOptions = {}): Promise<PurgeReport> {
  const store = await openPostgresStore(location, options);
  try {
    await erasuresFinished(store);
  } finally {
    await store.close();
  }
  const { urls, shown, schema } = parseLocation(location, { durability: "full", ...options });
  const client = await writableClient(urls, { shown, connectMs: options.timeouts?.interactiveMs ?? 5_000 });
  const remarks: string[] = [];
  client.on("notice", ({ message }) => {
    if (message !== undefined && /permission|only .* can vacuum|skipping/i.test(message)) remarks.push(message);
  });
  try {
    // Rewriting a table has no maximum duration. Only keep-alive checks that the server is still there.
    await client.query("SET statement_timeout = 0");
    await client.query("SET lock_timeout = 60000");
    const bytes = async (): Promise<number> => Number((await client.query<{ bytes: string }>(sizeIn(schema))).rows[0]?.bytes ?? 0);
    const before = await bytes();
    const inSchema = (table: string): string => `${quotedName(schema)}.${table}`;
    // Changing a column's type, even to the same type, removes the samples of its values from the statistics.
    for (const [table, column] of sampled) await client.query(`ALTER TABLE ${inSchema(table)} ALTER COLUMN ${column} TYPE text`);
    for (const table of tables) await client.query(`VACUUM (FULL, ANALYZE) ${inSchema(table)}`);
    await client.query(`VACUUM FULL pg_catalog.pg_statistic`);
    await emptyLog(client, remarks);
    return { before, after: await bytes(), remarks };
  } catch (error) {
    throw isForbidden(error)
      ? new ThroughlineError("store.not_allowed", `The role may not purge ${shown}: ${String(error)}`, { cause: error })
      : postgresError(error, shown);
  } finally {
    await client.end();
  }
}

/** Connects to the first host that accepts writes. */
async function writableClient(
  urls: readonly string[],
  { shown, connectMs }: { readonly shown: string; readonly connectMs: number },
): Promise<Client> {
  const hosts = new Hosts(urls, { connectMs });
  for (let tries = 1; ; tries++) {
    const client = boundedClient(hosts);
    try {
      await client.connect();
      const { rows } = await client.query<{ transaction_read_only: string }>("SHOW transaction_read_only");
      if (rows[0]?.transaction_read_only === "off") return client;
      hosts.failed(client);
      throw readOnlyError(shown);
    } catch (error) {
      await client.end();
      if (tries >= hosts.count) throw postgresError(error, shown);
    }
  }
}

const isForbidden = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "42501";

/** Replaces the write-ahead log that still contains deleted data. The role needs a special right. Everything else is already done. */
async function emptyLog(client: Client, remarks: string[]): Promise<void> {
  try {
    await client.query("CHECKPOINT");
    const files = Number(
      (await client.query<{ files: string }>(`SELECT count(*) AS files FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`)).rows[0]?.files,
    );
    for (let round = 0; round < Math.min(files + 3, mostSwitches); round++) {
      await client.query("SELECT pg_switch_wal()");
      await client.query("CHECKPOINT");
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    remarks.push(
      "The log of writes (pg_wal) was left to PostgreSQL, because the role may not run CHECKPOINT, pg_ls_waldir() and pg_switch_wal(): it holds what was removed until it is overwritten. " +
        "A superuser can run `throughline purge`, or `SELECT pg_switch_wal()` and `CHECKPOINT` in turn until no file of pg_wal is older.",
    );
  }
}
