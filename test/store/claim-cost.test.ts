/** Claiming reads as much with many open turns as with few: counted in rows on PostgreSQL, shown by the plans on SQLite. */
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { ClaimRequest, Store } from "../../packages/throughline/src/store/port.ts";
import { parseLocation } from "../../packages/throughline/src/store/postgres/location.ts";
import { settingsOf } from "../../packages/throughline/src/store/postgres/statement.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { claimProcedure } from "../../packages/throughline/src/store/sql/claim.ts";
import { functionName } from "../../packages/throughline/src/store/sql/migrate.ts";
import { toSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-connection.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { type Backlog, backlogOwner, backlogStatements } from "../setup/open-turns.ts";

const far = 9_000_000_000_000_000;
const many = 3000;

/** Whatever cannot be claimed, many times, with a few turns that can. */
const crowd: readonly Backlog[] = [
  { count: many, lease_until: Number.MAX_SAFE_INTEGER },
  { count: many, lease_until: far, worker: "elsewhere/1/x" },
  { count: many, agent: "shop" },
  { count: many, version: 9 },
  { count: many, urgent: true, agent: "shop" },
  { count: many },
];
const few: readonly Backlog[] = crowd.map((backlog) => ({ ...backlog, count: 3 }));

const requests: Readonly<Record<string, Omit<Extract<ClaimRequest, { kind: "next" }>, "kind" | "worker" | "lease_ms">>> = {
  "the next turn": { agents: { diary: 1 } },
  "any turn": {},
  "an urgent turn of an agent that has none": { urgent: true, agents: { diary: 1 } },
  "a turn of an agent that has none": { agents: { lamp: 1 } },
};

async function postgresReads(backlogs: readonly Backlog[]): Promise<Readonly<Record<string, number>>> {
  const url = await newPostgresDatabase();
  const store = await openPostgresStore(url);
  await store.close();
  const location = parseLocation(url, { durability: "full" });
  const client = new Client({ connectionString: location.urls[0] });
  await client.connect();
  // The settings of every transaction, for all of this connection.
  await client.query(settingsOf(location, { statementMs: 0, lockMs: 0 }).text.replaceAll(", true)", ", false)"));
  try {
    await client.query(backlogOwner.postgres);
    // Rows of tables that were scanned, and entries of indexes.
    const read = async (): Promise<number> => {
      const sum = `SELECT sum(pg_stat_get_xact_tuples_returned(c.oid)) AS rows FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'throughline'`;
      return Number((await client.query<{ rows: string }>(sum)).rows[0]?.rows);
    };
    const claim = async (request: object): Promise<number> => {
      await client.query("BEGIN");
      const before = await read();
      const input = JSON.stringify({ session_id: null, worker: "w", lease_ms: 1000, now: 0, agents: null, urgent: false, ...request });
      await client.query(`SELECT ${functionName(claimProcedure)}($1)`, [input]);
      const rows = (await read()) - before;
      await client.query("ROLLBACK");
      return rows;
    };
    // The plans of this connection are made here, of a queue that is empty.
    for (let round = 0; round < 6; round++) await claim({});
    let from = 1;
    for (const backlog of backlogs) {
      await client.query(backlogStatements("postgres", from, backlog));
      from += backlog.count;
    }
    const reads: Record<string, number> = {};
    for (const [name, request] of Object.entries(requests))
      reads[name] = await claim({ ...request, agents: request.agents === undefined ? null : JSON.stringify(request.agents) });
    return reads;
  } finally {
    await client.end();
  }
}

test("on PostgreSQL a claim reads as many rows with thousands of open turns as with a few", async ({ skip }) => {
  if (noPostgres !== undefined) skip(noPostgres);
  const [small, large] = [await postgresReads(few), await postgresReads(crowd)];
  // Of each agent and version, the first eight turns are looked at.
  for (const [name, rows] of Object.entries(small)) expect(large[name], name).toBeLessThanOrEqual(rows + 40);
});

interface Watched {
  readonly store: Store;
  readonly path: string;
  /** The statements since the last call. */
  readonly taken: () => readonly string[];
}

async function sqliteStore(backlogs: readonly Backlog[]): Promise<Watched> {
  const path = newSqliteFile();
  const statements: string[] = [];
  const store = await openSqliteStore(path, { onStatement: (sql) => void statements.push(sql) });
  onTestFinished(() => store.close());
  const database = new DatabaseSync(path);
  database.exec(backlogOwner.sqlite);
  let from = 1;
  for (const backlog of backlogs) {
    database.exec(backlogStatements("sqlite", from, backlog));
    from += backlog.count;
  }
  database.close();
  return { store, path, taken: () => statements.splice(0) };
}

const plansOf = (database: DatabaseSync, statements: readonly string[]): readonly string[] =>
  statements
    .filter((sql) => /^\s*(SELECT|UPDATE)/u.test(sql))
    .flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${toSqlite(sql)}`).all())
    .map(({ detail }) => String(detail));

test("on SQLite a claim asks as many statements with thousands of open turns as with a few, and each finds its rows by an index", async () => {
  const counts: number[][] = [];
  const plans = new Set<string>();
  for (const backlogs of [few, crowd]) {
    const { store, path, taken } = await sqliteStore(backlogs);
    const database = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => database.close());
    database.function("is_gone", (worker) => (worker === null ? 1 : 0));
    taken();
    const asked: number[] = [];
    for (const request of Object.values(requests)) {
      await store.claim({ kind: "next", worker: "w", lease_ms: 1000, ...request });
      const statements = taken();
      asked.push(statements.length);
      for (const plan of plansOf(database, statements)) plans.add(plan);
    }
    counts.push(asked);
  }
  expect(counts[1]).toEqual(counts[0]);
  // After a row value, `((a,b)>(?,?))`, SQLite reads all rows that equal it.
  expect([...plans].filter((plan) => /SCAN|TEMP B-TREE|\(\(/u.test(plan))).toEqual([]);
});
