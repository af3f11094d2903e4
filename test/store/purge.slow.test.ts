/** After erasing and purging, no byte of what was said is left in any file of the database. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { purgePostgres } from "../../packages/throughline/src/store/postgres/postgres-maintenance.ts";
import { purgeSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-maintenance.ts";
import { type Cluster, startCluster } from "../setup/start-postgres.ts";
import { append, message, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { fillOwner } from "./canary.ts";

/** All files below a folder whose raw bytes hold a word. */
function filesWith(folder: string, word: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return files.filter((file) => existsSync(file) && statSync(file).isFile() && readFileSync(file).includes(word));
}

/** Erases in a process that is killed in the middle. */
function killErasing(location: string, owner: string, statement: number): void {
  const { signal } = spawnSync(process.execPath, [join(root, "test/store/erase-child.ts"), location, owner, String(statement)], { timeout: 20_000 });
  expect(signal).toBe("SIGKILL");
}

async function erasedTwice(location: string, store: Store): Promise<readonly string[]> {
  const doomed = await fillOwner(store, "zebrafinch");
  const killed = await fillOwner(store, "kingfisher");
  const partly = await fillOwner(store, "nightjar");
  const kept = await fillOwner(store, "woodpecker");
  await store.erase({ owner_id: doomed.owner_id });
  await store.erase({ session_id: partly.sessions[0] });
  await store.erase({ session_id: partly.sessions[1] });
  killErasing(location, killed.owner_id, location.startsWith("postgres") ? 3 : 30);
  expect((await store.load({ session_id: kept.sessions[0] }))?.session.title).toBe("woodpecker-title");
  return ["zebrafinch", "kingfisher", "nightjar-asked", "nightjar-title", "nightjar-draft", "nightjar-event-metadata"];
}

describe("the raw bytes", () => {
  test("of a SQLite file and its log hold nothing of who was erased, and all of the others", async () => {
    const location = newSqliteFile();
    const store = await openStore(location);
    const words = await erasedTwice(location, store);
    await store.close();
    const { before, after } = await purgeSqlite(location);
    expect(after).toBeLessThan(before);
    for (const word of words) expect(filesWith(dirname(location), word), word).toEqual([]);
    for (const word of ["woodpecker-asked", "nightjar-entry"]) expect(filesWith(dirname(location), word)).not.toEqual([]);
    const again = await openStore(location);
    expect((await again.list({ of: "sessions" })).total).toBe(2);
    await again.close();
  });

  test("of a SQLite file lose removed rows without a purge too, once its log is emptied", async () => {
    const location = newSqliteFile();
    const store = await openStore(location);
    const { owner_id } = await fillOwner(store, "zebrafinch");
    await store.erase({ owner_id });
    await store.close();
    expect(filesWith(dirname(location), "zebrafinch")).toEqual([]);
  });

  test("of a SQLite file hold nothing of an entry that was removed, nor of what it was before", async () => {
    const location = newSqliteFile();
    const store = await openStore(location);
    const { owner_id } = await fillOwner(store, "zebrafinch");
    const written = (text: string) => ({ entry_id: "e", kind: "fact", data: { text } });
    await write(store, { owner: { owner_id, entries: [written("kingfisher-first"), written("kingfisher-then")] } });
    await write(store, { owner: { owner_id, entries: [{ ...written(""), data: null }] } });
    await store.close();
    expect(filesWith(dirname(location), "kingfisher")).toEqual([]);
    await purgeSqlite(location);
    expect(filesWith(dirname(location), "kingfisher")).toEqual([]);
    expect(filesWith(dirname(location), "zebrafinch-entry")).not.toEqual([]);
  });

  test("of a SQLite file hold nothing of a message that was redacted", async () => {
    const location = newSqliteFile();
    const store = await openStore(location);
    const { sessions } = await fillOwner(store, "zebrafinch");
    const said = Array.from({ length: 400 }, () => "kingfisher").join(" ");
    const { head } = await append(store, sessions[0], { events: [message(said, { metadata: { note: said } }), message("nightjar")] });
    await append(store, sessions[0], { redact: [{ offset: head - 1, data: { role: "user", parts: [], redacted: true } }] });
    await store.close();
    expect(filesWith(dirname(location), "kingfisher")).toEqual([]);
    expect(filesWith(dirname(location), "nightjar")).not.toEqual([]);
  });

  describe("of a PostgreSQL cluster", () => {
    let cluster: Cluster | undefined;
    afterAll(async () => cluster?.stop());

    test("hold nothing of who was erased, in tables, statistics and pg_wal, also after a crash", { timeout: 120_000 }, async ({ skip }) => {
      if (noPostgres !== undefined) skip(noPostgres);
      cluster = await startCluster();
      const store = await openStore(cluster.url);
      const words = await erasedTwice(cluster.url, store);
      await runSql(cluster.url, "ANALYZE");
      await store.close();
      const folder = String((await runSql(cluster.url, "SHOW data_directory"))[0]?.["data_directory"]);
      for (const word of words.slice(0, 3)) expect(filesWith(folder, word), `${word} is to be found before`).not.toEqual([]);
      await cluster.crash();
      expect((await purgePostgres(cluster.url)).remarks).toEqual([]);
      for (const word of words) expect(filesWith(folder, word), word).toEqual([]);
      expect(filesWith(folder, "woodpecker-asked")).not.toEqual([]);
    });

    test("is left to its administrator where the role may not do it, and the purge says so", async ({ skip }) => {
      if (cluster === undefined) return skip("needs the cluster");
      const admin = new Client({ connectionString: cluster.url });
      await admin.connect();
      await admin.query(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
      await admin.query(`CREATE DATABASE plain OWNER plain`);
      await admin.end();
      const url = new URL(cluster.url);
      [url.username, url.password, url.pathname] = ["plain", "plain", "/plain"];
      const store = await openStore(url.href);
      await store.close();
      expect((await purgePostgres(url.href)).remarks).toEqual([expect.stringContaining("The log of writes (pg_wal) was left to PostgreSQL")]);
    });
  });
});
