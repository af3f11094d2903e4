/** A database of an earlier version is brought up to date with what it holds. */
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../packages/throughline/src/index.ts";
import type { OwnerId, SessionId } from "../../packages/throughline/src/kernel/id.ts";
import type { Dialect } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { checksumOf, migrationsOf } from "../../packages/throughline/src/store/sql/tables.ts";
import { append, message, variables, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";

const owner_id = "own_00000000000000000000000001" as OwnerId;
const session_id = "ses_00000000000000000000000001" as SessionId;

/** What makes a database of an earlier version, 2 at least, and puts a customer with three versions of variables and a session into it. */
function earlierVersion(dialect: Dialect, version = 2): string {
  const migrations = migrationsOf(dialect).slice(0, version);
  const key = dialect === "sqlite" ? ["id, ", "1, "] : ["", ""];
  return [
    `CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at bigint NOT NULL)`,
    ...migrations.flatMap(({ statements }) => statements),
    ...migrations.map((one) => `INSERT INTO schema_migrations VALUES (${one.version}, '${one.name}', '${checksumOf(one)}', 0)`),
    `INSERT INTO meta (name, value) VALUES ('hash_key', '${Buffer.alloc(32, 7).toString("base64url")}')`,
    `INSERT INTO owners (${key[0]}owner_id, customer_hash, customer_id, version, variables_version, entries_version, created_at)
      VALUES (${key[1]}'${owner_id}', 'hash', '"crm-1"', 3, 3, 0, 5)`,
    `INSERT INTO variables (owner, name, version, value) VALUES (1, 'a', 1, '1'), (1, 'b', 1, '"b"'), (1, 'a', 2, '2'), (1, 'b', 3, NULL), (1, 'c', 3, 'true')`,
    `INSERT INTO sessions (${key[0]}session_id, owner, agent, agent_version, mode, created_at, updated_at, head, first_offset, state_offset, epoch, version, episode, last_turn)
      VALUES (${key[1]}'${session_id}', 1, 'diary', 1, 0, 5, 5, 0, 0, 0, 0, 0, 1, 0)`,
    `INSERT INTO segments (session, upto, ancestor, first) VALUES (1, 2147483647, 1, 0)`,
    `INSERT INTO events (created_at, session, "offset", kind, source, data) VALUES (5, 1, 0, 6, 5, '{"type":"created","state":{}}')`,
    `INSERT INTO event_extras (session, "offset", version, trace_id) VALUES (1, 0, 1, '${Buffer.alloc(16, 1).toString("base64url")}')`,
  ].join(";\n");
}

/** Runs statements in the database as another process would. */
const execute: Readonly<Record<Dialect, (location: string, sql: string) => Promise<void>>> = {
  sqlite: async (location, sql) => {
    const database = new DatabaseSync(location);
    database.exec(sql);
    database.close();
  },
  postgres: async (location, sql) => void (await runSql(location, `CREATE SCHEMA IF NOT EXISTS throughline; SET search_path TO throughline; ${sql}`)),
};

/** A new database that holds what `statements` make. */
async function databaseOf(dialect: Dialect, statements: string): Promise<string> {
  const location = dialect === "sqlite" ? newSqliteFile() : await newPostgresDatabase();
  await execute[dialect](location, statements);
  return location;
}

test.each(["sqlite", "postgres"] as const)("a database of version 2 is opened with its variables, on %s", async (dialect) => {
  if (dialect === "postgres" && noPostgres !== undefined) return;
  const store = await openStore(await databaseOf(dialect, earlierVersion(dialect)));
  onTestFinished(() => store.close());
  const loaded = await store.load({ session_id });
  // When they were set nobody knows any more.
  expect(loaded?.variables).toEqual(variables(3, { a: 2, c: true }, 0));
  expect([loaded?.session.handover, loaded?.session_variables]).toEqual([undefined, variables(0)]);
  const then = async (version: number): Promise<unknown> => (await store.list({ of: "variables", owner_id, version })).items[0]?.values;
  expect([await then(0), await then(1), await then(2)]).toEqual([{}, { a: 1, b: "b" }, { a: 2, b: "b" }]);
  await write(store, { owner: { owner_id, variables: [{ name: "a", value: 3 }] } });
  await append(store, session_id, { events: [message("goes on")], header: { handover: { status: "waiting", since: 1 } } });
  expect((await store.list({ of: "customers" })).items[0]?.variables.values).toEqual({ a: 3, c: true });
  expect((await store.list({ of: "sessions", handover: "waiting" })).total).toBe(1);
});

test("what a process of the earlier version sets while it is still running is in force", async () => {
  const location = newSqliteFile();
  const store = await openStore(location);
  onTestFinished(() => store.close());
  await write(store, {
    owner: {
      owner_id,
      create: { customer_id: "crm-1" },
      variables: [
        { name: "a", value: 1 },
        { name: "b", value: 1 },
      ],
    },
  });
  const earlier = new DatabaseSync(location);
  earlier.exec(
    `UPDATE owners SET variables_version = 2, version = 2; INSERT INTO variables (owner, name, version, value) VALUES (1, 'a', 2, '2'), (1, 'b', 2, NULL)`,
  );
  earlier.close();
  const now = async (): Promise<unknown> => (await store.list({ of: "customers" })).items[0]?.variables.values;
  expect(await now()).toEqual({ a: 2 });
  expect((await store.list({ of: "variables", owner_id, version: 2 })).items[0]?.values).toEqual({ a: 2 });
  await write(store, { owner: { owner_id, variables: [{ name: "a", value: 3 }] } });
  expect(await now()).toEqual({ a: 3 });
});

/** How a process of version 5 queues a turn, and how it ends one. */
const queueTurn = (number: number, created_at: number): string => `INSERT INTO turns (session, number, trace_id, cause, status, attempts, created_at)
  VALUES (1, ${number}, '${Buffer.alloc(16, 1).toString("base64url")}', 0, 0, 0, ${created_at}); UPDATE sessions SET last_turn = ${number} WHERE id = 1`;
const endTurn = (number: number): string =>
  `UPDATE turns SET status = 2 WHERE session = 1 AND number = ${number}; UPDATE sessions SET lease_worker = NULL, lease_until = NULL WHERE id = 1`;

test.each(["sqlite", "postgres"] as const)(
  "open turns of version 5 are claimed, and what its processes do next to ours is seen, on %s",
  async (dialect) => {
    if (dialect === "postgres" && noPostgres !== undefined) return;
    const leased = `UPDATE sessions SET lease_worker = 'elsewhere/1/x', lease_until = 9000000000000 WHERE id = 1`;
    const location = await databaseOf(dialect, `${earlierVersion(dialect, 5)};\n${queueTurn(1, 5)};\n${leased}`);
    const store = await openStore(location);
    onTestFinished(() => store.close());
    const claimed = async (): Promise<unknown> => (await store.claim({ kind: "next", worker: "w", lease_ms: 60_000 }))?.turn.number;
    expect(await claimed()).toBe(undefined);
    await execute[dialect](location, `UPDATE sessions SET lease_until = 5 WHERE id = 1`);
    expect(await claimed()).toBe(1);
    await execute[dialect](location, queueTurn(2, 6));
    expect(await claimed()).toBe(undefined);
    await execute[dialect](location, endTurn(1));
    expect(await claimed()).toBe(2);
    await execute[dialect](location, endTurn(2));
    expect(await claimed()).toBe(undefined);
    await execute[dialect](location, queueTurn(3, 7));
    expect(await claimed()).toBe(3);
  },
);
