/** A full disk: a clear error, nothing half-written, and everything works again afterwards. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  type Runtime,
  type Store,
  ThroughlineError,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { startFullPostgres } from "./full-postgres.ts";

interface Disk {
  readonly store: Store;
  /** Opens the same database once more. */
  readonly again: () => Promise<Store>;
  /** From now on there is no room left. */
  fill(): void;
  /** From now on there is room. */
  free(): void;
}

/** A database file that may not grow. */
async function sqliteDisk(): Promise<Disk> {
  const opened: DatabaseSync[] = [];
  // The method as it is, to be called on whichever connection the store opens.
  const original: (this: DatabaseSync, sql: string) => void = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec")!.value as never;
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  exec.mockImplementation(function (this: DatabaseSync, sql: string) {
    if (!opened.includes(this)) opened.push(this);
    original.apply(this, [sql]);
  });
  const path = newSqliteFile();
  const store = await openStore(path);
  exec.mockRestore();
  // The limit on pages belongs to the connection, and this is the store's own.
  const connection = opened[0]!;
  const limit = (pages: number): void => connection.exec(`PRAGMA max_page_count = ${pages}`);
  return {
    store,
    again: () => openStore(path),
    fill: () => limit(Number(connection.prepare("PRAGMA page_count").get()!["page_count"])),
    free: () => limit(1_000_000),
  };
}

async function postgresDisk(): Promise<Disk> {
  const url = await newPostgresDatabase();
  const proxy = await startFullPostgres(url);
  onTestFinished(() => proxy.close());
  return {
    store: await openStore(proxy.url),
    again: () => openStore(url),
    fill: () => void (proxy.full = true),
    free: () => void (proxy.full = false),
  };
}

const state = defineState({ message: input(z.string()), seen: reduced(z.array(z.string())) });

async function runtimeOn(store: Store, options: { readonly reply?: () => string; readonly work?: boolean } = {}): Promise<Runtime> {
  const { reply = () => "ok", work = true } = options;
  const note = stage("note", { state, writes: ["seen"] }, ({ state: { message } }) => ({ seen: [message.slice(0, 20)] }));
  const agent = defineAgent({ name: "a", version: 1, state, stages: [note], reply: loop({ model: scripted(reply) }) });
  const runtime = await createRuntime({ store, agents: [agent], leaseMs: 500, heartbeatMs: 100, pollMs: 50, work });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    await store.close();
  });
  return runtime;
}

/** The whole log of the only session of a store, from a connection of its own. */
async function logOf(again: () => Promise<Store>): Promise<readonly { readonly offset: number; readonly kind: string; readonly data: unknown }[]> {
  const store = await again();
  try {
    const [row] = (await store.list({ of: "sessions" })).items;
    const page = await store.read({ session_id: row!.session_id, withdrawn: true, limit: 1000 });
    expect(page!.events.map((event) => event.offset)).toEqual(Array.from({ length: row!.head + 1 }, (_, offset) => offset));
    return page!.events;
  } finally {
    await store.close();
  }
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (error: unknown) => error,
  );

describe.each([
  ["SQLite", sqliteDisk, undefined],
  ["PostgreSQL", postgresDisk, noPostgres],
] as const)("%s with a full disk", (_name, openDisk, missing) => {
  test("refuses a message with store.full, keeps the log as it was, and takes the same message afterwards", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const disk = await openDisk();
    const { sessions } = await runtimeOn(disk.store, { work: false });
    const session = await sessions.create({ agent: "a" });
    await session.post("first", { idempotencyKey: "k-1" });
    const before = await logOf(disk.again);

    disk.fill();
    const message = ["x".repeat(60_000), { idempotencyKey: "k-2" }] as const;
    const refusal = await failure(session.post(...message));
    expect(ThroughlineError.is(refusal, "store.full"), String(refusal)).toBe(true);
    expect((refusal as ThroughlineError).hint).toContain("Free disk space");
    expect(await logOf(disk.again)).toEqual(before);
    expect((await session.pending()).waiting).toEqual([1]);

    disk.free();
    expect((await session.post(...message)).offset).toBe(2);
    expect((await session.post(...message)).offset).toBe(2);
    expect((await session.post("third")).offset).toBe(3);
    expect(await logOf(disk.again)).toHaveLength(before.length + 2);
  });

  test("of several messages at once, takes those that fit and refuses the rest whole", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const disk = await openDisk();
    const { sessions } = await runtimeOn(disk.store, { work: false });
    const session = await sessions.create({ agent: "a" });
    await session.post("first");
    disk.fill();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => session.post(`${index}${"x".repeat(20_000)}`, { idempotencyKey: `k-${index}` })),
    );
    const taken = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.offset] : []));
    for (const result of results)
      if (result.status === "rejected") expect(ThroughlineError.is(result.reason, "store.full"), String(result.reason)).toBe(true);
    expect(taken.length).toBeLessThan(10);
    const messages = (await logOf(disk.again)).filter((event) => event.kind === "message");
    expect(messages.map((event) => event.offset)).toEqual([1, ...taken]);
    disk.free();
    await Promise.all(Array.from({ length: 10 }, (_, index) => session.post(`${index}${"x".repeat(20_000)}`, { idempotencyKey: `k-${index}` })));
    expect((await logOf(disk.again)).filter((event) => event.kind === "message")).toHaveLength(11);
  });

  test("cannot finish a turn, keeps its message, and finishes it once there is room", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const disk = await openDisk();
    let calls = 0;
    const reply = (): string => {
      if (calls++ === 0) disk.fill();
      return `long ${"y".repeat(60_000)}`;
    };
    const { sessions } = await runtimeOn(disk.store, { reply });
    const session = await sessions.create({ agent: "a" });
    const offset = 1;
    const refusal = await failure(session.send("hello", { idempotencyKey: "k-1" }));
    expect(ThroughlineError.is(refusal, "store.full"), String(refusal)).toBe(true);
    expect((await session.pending()).waiting).toEqual([offset]);
    expect((await logOf(disk.again)).filter((event) => event.kind === "message")).toHaveLength(1);

    disk.free();
    const outcome = await session.outcome(offset);
    expect(outcome).toMatchObject({ status: "completed", offset });
    expect(calls).toBeGreaterThan(1);
    expect((await session.state()).document).toEqual({ seen: ["hello"] });
    const events = await logOf(disk.again);
    expect(events.filter((event) => event.kind === "message")).toHaveLength(2);
    expect(events.filter((event) => event.kind === "state")).toHaveLength(1);
    expect(await session.pending()).toEqual({ turns: [], waiting: [], calls: [] });
  });
});
