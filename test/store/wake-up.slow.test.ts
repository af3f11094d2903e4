import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { type Logger, silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { Pump, packNews, unpackNews } from "../../packages/throughline/src/store/postgres/listener.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import type { DraftPiece, Store } from "../../packages/throughline/src/store/port.ts";
import type { News } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { append, asked, message, newSession, queue } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { hangMs } from "../setup/limits.ts";

async function opened(location: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(location, options);
  onTestFinished(() => store.close());
  return store;
}

const engines = {
  SQLite: async () => newSqliteFile(),
  PostgreSQL: () => newPostgresDatabase(),
};

/** Milliseconds that `work` takes. */
async function took(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

const listenersOf = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throughline listen'`;

describe.each(Object.entries(engines))("waiting on %s", (name, create) => {
  describe.skipIf(name === "PostgreSQL" && noPostgres !== undefined)("for another process", () => {
    test("timing: ends soon after its commit, time after time", async () => {
      const location = await create();
      const [writer, reader] = [await opened(location), await opened(location)];
      const session_id = await newSession(writer);
      const samples: number[] = [];
      for (let head = 1; head <= 30; head++) {
        const heard = reader.watch(session_id, head - 1, AbortSignal.timeout(hangMs));
        await delay(head % 7);
        await append(writer, session_id, { events: [message(`m${head}`)] });
        samples.push(await took(heard));
        expect(await heard).toBe(head);
      }
      samples.sort((a, b) => a - b);
      expect(samples[15]).toBeLessThan(100);
      expect(samples[29]).toBeLessThan(750);
    });
    test("ends when the session is erased there", async () => {
      const location = await create();
      const [writer, reader] = [await opened(location), await opened(location)];
      const session_id = await newSession(writer);
      const heard = reader.watch(session_id, 0, AbortSignal.timeout(hangMs));
      await delay(50);
      await writer.erase({ session_id });
      expect(await heard).toBe(-1);
    });
    test("hears of a turn that was queued, and of one that was given back, until it stops", async () => {
      const location = await create();
      const [writer, reader] = [await opened(location), await opened(location)];
      const session_id = await newSession(writer);
      let calls = 0;
      const stop = await reader.watchTurns(() => (calls += 1));
      await append(writer, session_id, { events: [asked("a")], queue: queue() });
      await expect.poll(() => calls).toBeGreaterThan(0);
      const claim = await writer.claim({ kind: "next", worker: "w", lease_ms: 60_000 });
      await delay(60);
      calls = 0;
      await append(writer, session_id, { events: [message("b")] });
      await delay(60);
      expect(calls).toBe(0);
      await writer.release({ session_id, epoch: claim?.epoch ?? 0, counted: false });
      await expect.poll(() => calls).toBeGreaterThan(0);
      stop();
      stop();
      calls = 0;
      await append(writer, session_id, { events: [asked("c")], queue: queue() });
      await delay(100);
      expect(calls).toBe(0);
    });
    test("hears of a turn that was parked when it is woken, which a store that was opened since can claim", async () => {
      const location = await create();
      const [writer, reader] = [await opened(location), await opened(location)];
      const session_id = await newSession(writer);
      await append(writer, session_id, { events: [asked("a")], queue: queue() });
      await writer.claim({ kind: "session", session_id, worker: "w", lease_ms: 60_000 });
      await append(writer, session_id, { park: { turn: 1 }, depends: { epoch: 1 } });
      const third = await opened(location);
      expect(await third.claim({ kind: "next", worker: "v", lease_ms: 60_000 })).toBeUndefined();
      let calls = 0;
      const stop = await reader.watchTurns(() => (calls += 1));
      await delay(60);
      calls = 0;
      await append(third, session_id, { wake: true });
      await expect.poll(() => calls).toBeGreaterThan(0);
      stop();
      const claim = await reader.claim({ kind: "next", worker: "v", lease_ms: 60_000 });
      expect([claim?.session_id, claim?.epoch, claim?.turn.attempts]).toEqual([session_id, 2, 1]);
    });
    test("an abort ends it, also while it begins; a close ends it as closed; nothing is left of a thousand", async () => {
      const location = await create();
      const store = await opened(location);
      const session_id = await newSession(store);
      const left = new AbortController();
      const waits = Array.from({ length: 1000 }, () => store.watch(session_id, 5, left.signal));
      const settled = Promise.allSettled(waits);
      const early = store.watch(session_id, 5, AbortSignal.abort(new Error("gone")));
      await expect(early).rejects.toThrow("gone");
      left.abort(new Error("left"));
      expect((await settled).filter(({ status }) => status === "rejected")).toHaveLength(1000);
      const statements: string[] = [];
      const other = await openStore(location, { onStatement: (sql) => void statements.push(sql) });
      const closing = other.watch(session_id, 5, new AbortController().signal);
      closing.catch(() => {});
      await delay(20);
      await other.close();
      await expect(closing).rejects.toMatchObject({ code: "store.closed" });
      statements.length = 0;
      await append(store, session_id, { events: [message("a")] });
      await delay(50);
      expect(statements).toEqual([]);
    });
    test("costs nothing while nothing happens, and nobody waits for nothing", async () => {
      const location = await create();
      const statements: string[] = [];
      const [writer, store] = [await opened(location), await opened(location, { onStatement: (sql) => void statements.push(sql) })];
      const sessions: SessionId[] = [];
      for (let count = 0; count < 20; count++) sessions.push(await newSession(writer));
      const left = new AbortController();
      const waits = Promise.allSettled(sessions.map((session) => store.watch(session, 0, left.signal)));
      await delay(300);
      statements.length = 0;
      await delay(1000);
      expect(statements.length).toBeLessThan(1);
      left.abort();
      await waits;
      await append(writer, sessions[0]!, { events: [message("a")] });
      await delay(100);
      expect(statements).toEqual([]);
    });
  });
});

test("commits are heard of through a checkpoint that empties the log, and a log that comes anew", async () => {
  const path = newSqliteFile();
  const reader = await opened(path);
  let writer = await openStore(path);
  const session_id = await newSession(writer);
  for (let head = 1; head <= 6; head++) {
    const heard = reader.watch(session_id, head - 1, AbortSignal.timeout(hangMs));
    await delay(10);
    await append(writer, session_id, { events: [message(`m${head}`)] });
    expect(await heard).toBe(head);
    const database = new DatabaseSync(path, { timeout: 2000 });
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    if (head % 2 === 0) {
      await writer.close();
      writer = await openStore(path);
    }
  }
  await writer.close();
  expect(existsSync(path)).toBe(true);
});

describe.skipIf(noPostgres !== undefined)("on PostgreSQL", () => {
  test("a listening connection that is killed is made anew, and what was told meanwhile is found", async () => {
    const url = await newPostgresDatabase();
    const warned: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (what) => void warned.push(what) };
    const [writer, reader] = [await opened(url), await opened(url, { logger })];
    const session_id = await newSession(writer);
    for (let head = 1; head <= 3; head++) {
      const heard = reader.watch(session_id, head - 1, AbortSignal.timeout(hangMs));
      await expect.poll(async () => (await runSql(url, listenersOf)).length).toBe(1);
      await runSql(url, `SELECT pg_terminate_backend(pid) FROM (${listenersOf}) l`);
      await append(writer, session_id, { events: [message(`m${head}`)] });
      expect(await heard).toBe(head);
    }
    expect(warned).toContain("store.listen_lost");
    const heard = reader.watch(session_id, 3, AbortSignal.timeout(hangMs));
    await expect.poll(async () => (await runSql(url, listenersOf)).length).toBe(1);
    await append(writer, session_id, { events: [message("m4")] });
    expect(await heard).toBe(4);
  });
  test("one connection listens for all who wait, and none before somebody does", async () => {
    const url = await newPostgresDatabase();
    const store = await opened(url);
    const session_id = await newSession(store);
    expect(await runSql(url, listenersOf)).toHaveLength(0);
    const left = new AbortController();
    const waits = Promise.allSettled(Array.from({ length: 50 }, () => store.watch(session_id, 0, left.signal)));
    await expect.poll(() => runSql(url, listenersOf)).not.toHaveLength(0);
    await delay(100);
    expect(await runSql(url, listenersOf)).toHaveLength(1);
    left.abort();
    await waits;
  });
  test("what is notified names sessions and holds nothing that was said", async () => {
    const url = await newPostgresDatabase();
    const { Client } = await import("pg");
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const payloads: string[] = [];
    client.on("notification", ({ payload = "" }) => payloads.push(payload));
    await client.query("LISTEN throughline");
    const store = await openStore(url);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("canary")], queue: queue() });
    await store.writeDraft({ session_id, turn: 1, epoch: 1, message: 0, after: 0, at: 0, text: "canary" });
    await store.writeDraft({ session_id, turn: 1, epoch: 1, message: 0, after: 0, at: 6, text: "", ended: "end" });
    await store.close();
    await expect.poll(() => payloads.join(" ")).toContain(`e:${session_id}:1:1:0:6:end`);
    expect(payloads.join(" ")).toContain(`h:${session_id}:1`);
    expect(payloads.join(" ")).not.toContain("canary");
    expect(await runSql(url, "SELECT * FROM throughline.drafts")).toEqual([]);
  });
});

describe("notifications", () => {
  const session = (n: number): SessionId => `ses_${String(n).padStart(26, "0")}` as SessionId;
  const news: readonly News[] = [
    ...Array.from({ length: 1000 }, (_, n): News => ({ of: "head", session_id: session(n), head: n })),
    { of: "turns" },
    { of: "anything" },
    { of: "draft", session_id: session(1) },
    { of: "draft_end", piece: { session_id: session(1), epoch: 3, turn: 2, message: 0, after: 0, at: 17, text: "", ended: "fence" } },
  ];
  test("hold as many as fit, and are read as they were written", () => {
    const payloads = packNews("me", news);
    expect(payloads.length).toBeGreaterThan(4);
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8000);
    expect(payloads.flatMap((payload) => unpackNews("you", payload))).toEqual(news);
    expect(payloads.flatMap((payload) => unpackNews("me", payload))).toEqual([]);
    expect(unpackNews("you", "me x:later t")).toEqual([{ of: "turns" }]);
    expect(unpackNews("you", "x h:%zz:1 d:%zz e:%:1:2:0:4:end t")).toEqual([{ of: "turns" }]);
  });
  test("of one moment are one, with the last head; what failed is sent again; closing sends what waits", async () => {
    const sent: string[][] = [];
    let failures = 1;
    const pump = new Pump("me", async (payloads) => {
      if (failures-- > 0) throw new Error("unreachable");
      sent.push([...payloads]);
    });
    for (const head of [1, 3, 2]) pump.tell({ of: "head", session_id: session(1), head });
    await expect.poll(() => sent).toEqual([[`me h:${session(1)}:3`]]);
    pump.tell({ of: "turns" });
    await pump.close();
    expect(sent).toHaveLength(2);
    pump.tell({ of: "turns" });
    await delay(20);
    expect(sent).toHaveLength(2);
  });
});

/** A process of its own that writes drafts until it is killed. */
async function draftWriter(location: string, pieces: readonly DraftPiece[]): Promise<() => Promise<void>> {
  const script = `
    import { openStore } from ${JSON.stringify(new URL("../../packages/throughline/src/open-store.ts", import.meta.url).href)};
    const store = await openStore(${JSON.stringify(location)});
    for (const piece of ${JSON.stringify(pieces)}) { await store.writeDraft(piece); await new Promise((resolve) => setTimeout(resolve, 20)); }
    setTimeout(() => console.log("written"), 150);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
}

describe.skipIf(noPostgres !== undefined)("drafts on PostgreSQL", () => {
  const piece = (session_id: SessionId, epoch: number, at: number, text: string): DraftPiece => ({
    session_id,
    turn: 1,
    epoch,
    message: 0,
    after: 0,
    at,
    text,
  });

  test("reach readers in other processes: first what is open, then each piece once and in order, then the end", async () => {
    const url = await newPostgresDatabase();
    const [writer, reader] = [await opened(url), await opened(url)];
    const session_id = await newSession(writer);
    let at = 0;
    const write = async (text: string): Promise<void> => {
      await writer.writeDraft(piece(session_id, 1, at, text));
      at += text.length;
    };
    await write("zero ");
    await delay(80);
    const seen: DraftPiece[] = [];
    const stop = await reader.watchDrafts(session_id, (one) => seen.push(one));
    expect(seen.map(({ text }) => text)).toEqual(["zero "]);
    let whole = "zero ";
    for (let n = 1; n <= 100; n++) {
      await write(`${n} 😀\u0000 `);
      whole += `${n} 😀\u0000 `;
      if (n % 9 === 0) await delay(n % 40);
    }
    await writer.writeDraft({ ...piece(session_id, 1, at, ""), ended: "end" });
    await expect.poll(() => seen.at(-1)?.ended).toBe("end");
    expect(seen.map(({ text }) => text).join("")).toBe(whole);
    expect(seen.length).toBeLessThan(60);
    expect(seen.every((one, index) => index === 0 || one.at === (seen[index - 1]?.at ?? 0) + (seen[index - 1]?.text.length ?? 0))).toBe(true);
    await expect.poll(async () => (await runSql(url, "SELECT * FROM throughline.drafts")).length).toBe(0);
    stop();
  });
  test("of a writer that was killed are replaced by the next epoch's", async () => {
    const url = await newPostgresDatabase();
    const store = await opened(url);
    const session_id = await newSession(store);
    const kill = await draftWriter(url, [piece(session_id, 1, 0, "half "), piece(session_id, 1, 5, "of it")]);
    const seen: DraftPiece[] = [];
    const stop = await store.watchDrafts(session_id, (one) => seen.push(one));
    expect(seen.map(({ text }) => text).join("")).toBe("half of it");
    await kill();
    const other = await opened(url);
    await other.writeDraft(piece(session_id, 2, 0, ""));
    await expect.poll(() => seen.at(-1)?.epoch).toBe(2);
    expect(await runSql(url, "SELECT epoch FROM throughline.drafts")).toEqual([{ epoch: 2 }]);
    stop();
  });
  test("whose end nobody heard of are over after a reconnect", async () => {
    const url = await newPostgresDatabase();
    const [writer, reader] = [await opened(url), await opened(url)];
    const session_id = await newSession(writer);
    const seen: DraftPiece[] = [];
    const stop = await reader.watchDrafts(session_id, (one) => seen.push(one));
    await writer.writeDraft(piece(session_id, 1, 0, "half"));
    await expect.poll(() => seen.length).toBe(1);
    // As if the notice of the end had been lost with the connection.
    await runSql(url, "DELETE FROM throughline.drafts");
    await runSql(url, `SELECT pg_terminate_backend(pid) FROM (${listenersOf}) l`);
    await expect.poll(() => seen.at(-1)?.ended).toBe("fence");
    stop();
  });
  test("are encrypted in an encrypted database", async () => {
    const url = await newPostgresDatabase();
    const encryption = { keys: [{ id: "k1", key: Uint8Array.from({ length: 32 }, (_, byte) => byte) }] };
    const [writer, reader] = [await opened(url, { encryption }), await opened(url, { encryption })];
    const session_id = await newSession(writer);
    const seen: DraftPiece[] = [];
    const stop = await reader.watchDrafts(session_id, (one) => seen.push(one));
    await writer.writeDraft(piece(session_id, 1, 0, "canary"));
    await expect.poll(() => seen.map(({ text }) => text)).toEqual(["canary"]);
    const rows = await runSql(url, "SELECT text FROM throughline.drafts");
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain("canary");
    stop();
  });
  test("go with their session when it is erased", async () => {
    const url = await newPostgresDatabase();
    const store = await opened(url);
    const session_id = await newSession(store);
    const seen: DraftPiece[] = [];
    const stop = await store.watchDrafts(session_id, (one) => seen.push(one));
    await store.writeDraft(piece(session_id, 1, 0, "canary"));
    await expect.poll(async () => (await runSql(url, "SELECT 1 FROM throughline.drafts")).length).toBe(1);
    await store.erase({ session_id });
    expect(seen.at(-1)?.ended).toBe("fence");
    expect(await runSql(url, "SELECT 1 FROM throughline.drafts")).toEqual([]);
    // What is written late finds no session.
    await store.writeDraft(piece(session_id, 2, 0, "canary"));
    await delay(100);
    expect(await runSql(url, "SELECT 1 FROM throughline.drafts")).toEqual([]);
    stop();
  });
});
