import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { openStore } from "../packages/throughline/src/index.ts";
import { eventKinds, eventSources, type NewEvent } from "../packages/throughline/src/store/port.ts";
import { startPostgres } from "../test/setup/start-postgres.ts";
import type { Database, Durability, Engine, Floor } from "./engine.ts";
import { createBareSession } from "./session.ts";

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const tablesBytes = `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'throughline' AND c.relkind = 'r'`;

/** Everything in one statement, which is one round trip and one transaction. */
const floorText = `WITH head AS (UPDATE throughline.sessions SET head = head + jsonb_array_length($1::jsonb), updated_at = $2 WHERE id = 1 RETURNING head),
  added AS (INSERT INTO throughline.events (created_at, session, "offset", turn, kind, source, data)
    SELECT $2, 1, head.head - jsonb_array_length($1::jsonb) + e.n, 1, e.kind, e.source, e.data
    FROM head, ROWS FROM (jsonb_to_recordset($1::jsonb) AS (kind smallint, source smallint, data text)) WITH ORDINALITY AS e(kind, source, data, n))
  INSERT INTO throughline.commits (scope, first_offset, head, commit_id) SELECT 1, head.head, head.head, $3::bigint FROM head`;

async function createFloor(url: string, durability: Durability): Promise<Floor> {
  const store = await openStore(url);
  await createBareSession(store, { turn: true });
  await store.close();
  const client = await connect(url);
  if (durability === "relaxed") await client.query("SET synchronous_commit = off");
  return {
    write(events: readonly NewEvent[], round: number) {
      const rows = events.map(({ kind, source, data }) => ({
        kind: eventKinds.indexOf(kind),
        source: eventSources.indexOf(source),
        data: JSON.stringify(data),
      }));
      return client.query({ name: "floor", text: floorText, values: [JSON.stringify(rows), round, round] });
    },
    close: () => client.end(),
  };
}

/** The server's count of fsyncs of its log; it tells from version 18 on. */
async function fsyncsOf(url: string): Promise<number | undefined> {
  // A connection hands in its count when it ends, which takes the server a moment.
  await delay(300);
  return withClient(url, async (client) => {
    const { rows: version } = await client.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    if (Number(version[0]?.version) < 180_000) return undefined;
    const { rows } = await client.query<{ fsyncs: string }>("SELECT sum(fsyncs) AS fsyncs FROM pg_stat_io WHERE object = 'wal'");
    return Number(rows[0]?.fsyncs);
  });
}

/** The server that `DATABASE_URL` names, or one that is started for the run; fails where there is neither. */
export async function postgres(): Promise<Engine> {
  const server = await startPostgres();
  const create = async (): Promise<string> => {
    const name = `bench_${randomBytes(6).toString("hex")}`;
    await withClient(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const drop = (url: string): Promise<unknown> =>
    withClient(server.url, (client) => client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`));
  return {
    name: "postgres",
    limits: { bytesRatio: 4, commitRatio: { full: 2.5 }, loadMs: 2, httpRatio: 8 },
    async create(): Promise<Database> {
      const location = await create();
      const others: string[] = [];
      return {
        location,
        tidy: () => withClient(location, async (client) => void (await client.query("VACUUM (ANALYZE)"))),
        bytes: () =>
          withClient(location, async (client) => {
            await client.query("VACUUM");
            return Number((await client.query<{ bytes: string }>(tablesBytes)).rows[0]?.bytes);
          }),
        run: (sql) => withClient(location, async (client) => void (await client.query(`SET search_path TO throughline; ${sql}`))),
        async floor(durability) {
          const url = await create();
          others.push(url);
          return createFloor(url, durability);
        },
        fsyncs: () => fsyncsOf(location),
        async remove() {
          for (const url of [location, ...others]) await drop(url);
        },
      };
    },
    close: () => server.stop(),
  };
}
