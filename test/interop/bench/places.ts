/** Where contestants keep their data: a new file or database each, and how large it is. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../../setup/start-postgres.ts";
import type { Engine } from "./contestant.ts";
import { sqliteBytes } from "./sqlite-file.ts";

export interface Place {
  readonly location: string;
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

export interface Places {
  create(engine: Engine): Promise<Place>;
  /** Why there is no PostgreSQL; undefined if there is one. */
  readonly noPostgres: string | undefined;
  /** The server's version. */
  readonly postgresVersion: string | undefined;
  close(): Promise<void>;
}

const tablesBytes = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`;

/** Runs a statement on a connection of its own. */
export async function postgresQuery(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function file(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "throughline-peers-"));
  const location = join(folder, "bench.db");
  return { location, bytes: async () => sqliteBytes(location), remove: () => rm(folder, { recursive: true, force: true }) };
}

const nowhere: Place = { location: ":memory:", bytes: async () => 0, remove: async () => {} };

/** Files, and a PostgreSQL that `DATABASE_URL` names or that is started. */
export async function openPlaces(): Promise<Places> {
  const server = await startPostgres().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const database = async (): Promise<Place> => {
    if (typeof server === "string") throw new Error(server);
    const name = `peers_${randomBytes(6).toString("hex")}`;
    await postgresQuery(server.url, `CREATE DATABASE ${name}`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const bytes = async (): Promise<number> => Number((await postgresQuery(url.href, tablesBytes))[0]?.["bytes"]);
    return { location: url.href, bytes, remove: async () => void (await postgresQuery(server.url, `DROP DATABASE ${name} WITH (FORCE)`)) };
  };
  const version = typeof server === "string" ? undefined : (await postgresQuery(server.url, "SHOW server_version"))[0]?.["server_version"];
  return {
    create: async (engine) => (engine === "sqlite" ? file() : engine === "postgres" ? database() : nowhere),
    noPostgres: typeof server === "string" ? server : undefined,
    postgresVersion: typeof version === "string" ? version : undefined,
    close: async () => (typeof server === "string" ? undefined : server.stop()),
  };
}
