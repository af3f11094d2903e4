/** Takes out of a PostgreSQL database what was removed from its tables but still lies in dead rows, in statistics and in the log of writes. */
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
 * The log of writes is a ring of files of 16 MB: a switch fills one with zeros, and a checkpoint puts it behind the others. Until each has had its
 * turn, one of them may hold what was removed. Of a server with more files than these, the rest is left to time.
 */
const mostSwitches = 200;

/**
 * Finishes erasures that are under way, writes the tables anew (`VACUUM FULL`, which locks each for as long as that takes) and switches the log of
 * writes, with a checkpoint each time, until none of its files is left as it was. What the role may not do is among the remarks; with nothing to do,
 * it fails with `store.not_allowed`.
 */
export async function purgePostgres(location: string, options: StoreOptions = {}): Promise<PurgeReport> {
  const store = await openPostgresStore(location, options);
  try {
    await erasuresFinished(store);
  } finally {
    await store.close();
  }
  const { url, shown } = parseLocation(location, { durability: "full" });
  // Writing a table anew takes as long as it takes: keep-alive alone tells whether the server is still there.
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
    // Changing a column's type, also to what it is, takes the samples of its values out of the statistics.
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

/** Lets go of the log of writes that still holds what was removed. It needs a role with that right; everything else is already done. */
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
