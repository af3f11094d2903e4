/** Removes deleted data of a PostgreSQL database from dead rows, statistics and the write-ahead log. */
import type { Client } from "pg";
import { ThroughlineError } from "../../kernel/error.ts";
import { places } from "../sql/erasure/places.ts";
import type { StoreOptions } from "../options.ts";
import { type PurgeReport, erasuresFinished } from "../sql/erasure/purge.ts";
import { boundedClient, boundedConfig } from "./connections.ts";
import { postgresError } from "./error.ts";
import { parseLocation } from "./location.ts";
import { openPostgresStore } from "./store.ts";

const tables = [...new Set(places.filter(({ only }) => only !== "sqlite").map(({ table }) => table))];
const sampled = places.flatMap(({ table, columns }) =>
  Object.entries(columns).flatMap(([column, holds]) => (holds === "person" || holds === "name" ? [[table, column] as const] : [])),
);
const size = `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'throughline' AND c.relkind = 'r'`;

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
  const { url, shown } = parseLocation(location, { durability: "full" });
  // Rewriting a table has no maximum duration. Only keep-alive checks that the server is still there.
  const { interactiveMs = 5_000 } = options.timeouts ?? {};
  const client = boundedClient({
    ...boundedConfig(url, { limitMs: interactiveMs, connectMs: interactiveMs }),
    statement_timeout: 0,
    lock_timeout: 60_000,
  });
  const remarks: string[] = [];
  client.on("notice", ({ message }) => {
    if (message !== undefined && /permission|only .* can vacuum|skipping/i.test(message)) remarks.push(message);
  });
  try {
    await client.connect();
    const before = await bytesOf(client);
    // Changing a column's type, even to the same type, removes the samples of its values from the statistics.
    for (const [table, column] of sampled) await client.query(`ALTER TABLE throughline.${table} ALTER COLUMN ${column} TYPE text`);
    for (const table of tables) await client.query(`VACUUM (FULL, ANALYZE) throughline.${table}`);
    await client.query(`VACUUM FULL pg_catalog.pg_statistic`);
    await emptyLog(client, remarks);
    return { before, after: await bytesOf(client), remarks };
  } catch (error) {
    throw isForbidden(error)
      ? new ThroughlineError("store.not_allowed", `The role may not purge ${shown}: ${String(error)}`, { cause: error })
      : postgresError(error, shown);
  } finally {
    await client.end();
  }
}

const bytesOf = async (client: Client): Promise<number> => Number((await client.query<{ bytes: string }>(size)).rows[0]?.bytes ?? 0);

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
