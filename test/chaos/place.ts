/** Where a storm takes place: a database file, or a PostgreSQL that can be harmed. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { type Cluster, startCluster } from "../setup/start-postgres.ts";

export interface Harm {
  terminated: number;
  crashes: number;
}

export interface Place {
  readonly location: string;
  readonly harm: Harm;
  readonly disturb?: (dice: Chooser) => Promise<void>;
  remove(): Promise<void>;
}

/** A database file in a folder of its own. */
export async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "throughline-chaos-"));
  return { location: join(folder, "chaos.db"), harm: { terminated: 0, crashes: 0 }, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function onServer<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const terminateOne = `SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'throughline' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`;

/**
 * A new database on the server at `url`, or on a server started for it. Backends are terminated at random; a server that was started for it is
 * also killed with all its processes, `crashes` times at most, and started again.
 */
export async function postgresPlace(options: { readonly url?: string; readonly crashes: number }): Promise<Place> {
  const cluster: Cluster | undefined = options.url === undefined ? await startCluster() : undefined;
  const server = options.url ?? cluster?.url ?? "";
  const name = `chaos_${randomBytes(6).toString("hex")}`;
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const harm: Harm = { terminated: 0, crashes: 0 };
  let calls = 0;
  return {
    location: url.href,
    harm,
    async disturb(dice) {
      calls += 1;
      // The third time for certain, so that even a short storm has a crash.
      if (cluster !== undefined && harm.crashes < options.crashes && (calls === 3 || dice.chance(0.1))) {
        harm.crashes += 1;
        return cluster.crash();
      }
      const { rows } = await onServer(url.href, (client) => client.query<{ done: boolean }>(terminateOne));
      harm.terminated += rows.length;
    },
    async remove() {
      if (cluster === undefined) await onServer(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
      else await cluster.stop();
    },
  };
}
