/** A database that is taken away while people write and read: what was acknowledged is there, what was refused may be sent again, and readers catch up. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../packages/throughline/src/open-store.ts";
import { startCluster } from "../../setup/start-postgres.ts";
import { startFullPostgres } from "../../durability/full-postgres.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../../setup/database.ts";
import { opening, Trial } from "./trial.ts";

/** Waits until so many more messages were acknowledged. */
async function progress(trial: Trial, count = 5): Promise<void> {
  const goal = trial.acknowledged + count;
  await expect.poll(() => trial.acknowledged).toBeGreaterThan(goal);
}

/** Waits until somebody was refused with a code. */
const refusal = (trial: Trial, code: string): Promise<void> => expect.poll(() => trial.refusals(code)).toBeGreaterThan(0);

const ours = (call: string): string =>
  `SELECT ${call}(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'throughline%' AND pid <> pg_backend_pid()`;

/** A proxy in front of a database, which can be away: then it cuts all connections, and takes none. */
async function startGate(url: string): Promise<{ readonly url: string; away: boolean }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let away = false;
  const proxy = createServer((client) => {
    if (away) return void client.destroy();
    const server = connect({ host: target.hostname, port: Number(target.port || 5432) });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => void (sockets.delete(one), other.destroy()));
      one.pipe(other);
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as AddressInfo).port);
  return {
    url: through.href,
    get away() {
      return away;
    },
    set away(now) {
      away = now;
      if (now) for (const socket of sockets) socket.destroy();
    },
  };
}

describe("PostgreSQL", () => {
  test("whose connections are cut and whose statements are cancelled loses nothing", async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const url = await newPostgresDatabase();
    const trial = await Trial.start(opening(url));
    await progress(trial);
    const exported = trial.export();
    for (let round = 0; round < 6; round++) {
      await runSql(url, ours(round % 2 === 0 ? "pg_terminate_backend" : "pg_cancel_backend"));
      await delay(40);
    }
    await progress(trial);
    await exported;
    expect((await trial.end()).said.length).toBeGreaterThan(10);
  });

  test("that is away is answered with 503 and a time to come back, and everything goes on when it is there again", async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const gate = await startGate(await newPostgresDatabase());
    const trial = await Trial.start(opening(gate.url));
    await progress(trial);
    gate.away = true;
    await refusal(trial, "store.unreachable");
    await expect.poll(() => trial.unready).toBeGreaterThan(0);
    gate.away = false;
    await progress(trial);
    await trial.end();
  });

  test("whose disk takes nothing is answered with 503, is read all the same, and goes on when there is room", async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const disk = await startFullPostgres(await newPostgresDatabase());
    onTestFinished(() => disk.close());
    const trial = await Trial.start(opening(disk.url));
    await progress(trial);
    disk.full = true;
    await refusal(trial, "store.full");
    disk.full = false;
    await progress(trial);
    await trial.end();
  });

  test("that is killed and started again has all that it acknowledged", async ({ skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    const trial = await Trial.start(opening(cluster.url));
    await progress(trial);
    const exported = trial.export();
    await cluster.crash();
    await progress(trial);
    await exported;
    const { refused, unready } = await trial.end();
    expect([...refused.values()].reduce((sum, count) => sum + count, 0) + unready).toBeGreaterThan(0);
  });
});

describe("SQLite", () => {
  test("that another process keeps locked holds nobody up but those who write, and goes on when it is let go", async () => {
    const path = newSqliteFile();
    const trial = await Trial.start(opening(path));
    await progress(trial);
    const program = `const { DatabaseSync } = require("node:sqlite"); const database = new DatabaseSync(${JSON.stringify(path)}, { timeout: 5000 });
      database.exec("BEGIN IMMEDIATE"); console.log("locked"); process.stdin.once("data", () => { database.exec("COMMIT"); database.close(); process.exit(); });`;
    const other = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void other.kill());
    await once(other.stdout, "data");
    const before = trial.acknowledged;
    // Each is answered while the file is locked: it is let go only afterwards.
    for (let count = 0; count < 8; count++) expect((await fetch(`${trial.url}/readyz`)).status).toBe(200);
    // One that was under way may still have been acknowledged.
    expect(trial.acknowledged - before).toBeLessThan(4);
    other.stdin.write("go\n");
    await progress(trial);
    await trial.export();
    await trial.end();
  });

  test("whose disk is full refuses with 503, is read all the same, and goes on when there is room", async () => {
    const opened: DatabaseSync[] = [];
    const original: (this: DatabaseSync, sql: string) => void = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec")!.value as never;
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    exec.mockImplementation(function (this: DatabaseSync, sql: string) {
      if (!opened.includes(this)) opened.push(this);
      original.apply(this, [sql]);
    });
    const path = newSqliteFile();
    const trial = await Trial.start(async () => openStore(path));
    exec.mockRestore();
    // The limit on pages belongs to a connection, and these are the stores' own.
    const limit = (pages: number): void => opened.forEach((connection) => connection.exec(`PRAGMA max_page_count = ${pages}`));
    await progress(trial);
    limit(Number(opened[0]?.prepare("PRAGMA page_count").get()?.["page_count"]));
    await refusal(trial, "store.full");
    limit(1_000_000);
    await progress(trial);
    await trial.export();
    await trial.end();
  });
});
