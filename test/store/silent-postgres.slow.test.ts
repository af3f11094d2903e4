/** A PostgreSQL that falls silent, at every step of its protocol: no call waits for ever, and what may have been written is not written twice. */
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { isOutcomeUnknown, ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { createIds, type SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger, type Logger } from "../../packages/throughline/src/kernel/log.ts";
import { commitOnce } from "../../packages/throughline/src/extension/commit.ts";
import { postgresDriver } from "../../packages/throughline/src/store/postgres/postgres-driver.ts";
import { parseLocation } from "../../packages/throughline/src/store/postgres/location.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { append, commitOf, message, newSession, offsetsOf } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";
import { connectionSteps, silentProxy, statementSteps, type SilentProxy } from "../setup/silent-proxy.ts";

/** Long enough for a busy machine to answer, short enough for a test to wait. */
const timeouts = { interactiveMs: 2_000, batchMs: 3_000 };

/** A store behind a proxy, a store of the same database without one, and a session that both know. */
interface Behind {
  readonly url: string;
  readonly proxy: SilentProxy;
  readonly store: Store;
  readonly direct: Store;
  readonly session_id: SessionId;
  /** What the store behind the proxy has logged. */
  readonly logged: readonly string[];
}

async function behindProxy(): Promise<Behind> {
  const url = await newPostgresDatabase();
  const proxy = await silentProxy(url);
  const direct = await openPostgresStore(url);
  onTestFinished(() => direct.close());
  const logged: string[] = [];
  const note = (what: string): void => void logged.push(what);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const store = await openPostgresStore(proxy.url, { timeouts, logger });
  onTestFinished(() => store.close());
  return { url, proxy, store, direct, session_id: await newSession(direct), logged };
}

/** What became of a call: it was answered, or the code it failed with and whether it says that its outcome is unknown. */
async function ending(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "answered";
  } catch (error) {
    return `${ThroughlineError.from(error).code}${isOutcomeUnknown(error) ? ", outcome unknown" : ""}`;
  }
}

/** A silent connection is closed from this side too: nothing of it keeps the process alive. */
const allClosed = (proxy: SilentProxy): Promise<void> => expect.poll(() => proxy.open, { timeout: 15_000 }).toBe(0);

/** Resolves when a store listens for notifications. */
const listening = (url: string): Promise<void> =>
  expect
    .poll(() => runSql(url, `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'`), {
      timeout: 10_000,
    })
    .toHaveLength(1);

/** Resolves when no statement runs. */
const idle = (url: string): Promise<void> =>
  expect
    .poll(() => runSql(url, `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`), {
      timeout: 10_000,
    })
    .toHaveLength(0);

describe.skipIf(noPostgres !== undefined)("a PostgreSQL that falls silent", { timeout: 60_000 }, () => {
  const calls: Readonly<Record<string, (behind: Behind) => Promise<unknown>>> = {
    open: ({ store, session_id }) => store.open({ session_id }),
    read: ({ store, session_id }) => store.read({ session_id }),
    load: ({ store, session_id }) => store.load({ session_id }),
    list: ({ store }) => store.list({ of: "sessions" }),
    erase: ({ store, session_id }) => store.erase({ session_id }),
  };
  const writes: typeof calls = {
    commit: ({ store, session_id }) => store.commit(commitOf({ session: { session_id, events: [message("b")] } })),
    claim: ({ store }) => store.claim({ kind: "next", worker: "w2", lease_ms: 1_000 }),
    heartbeat: ({ store, session_id }) => store.claim({ kind: "renew", session_id, epoch: 1, lease_ms: 60_000 }),
    release: ({ store, session_id }) => store.release({ session_id, epoch: 1, counted: true }),
  };

  test.each([...connectionSteps, ...statementSteps])("at %s: every call fails in time and says whether it may have written", async (step) => {
    const behind = await behindProxy();
    const { proxy, store, session_id, logged } = behind;
    const isNew = connectionSteps.includes(step);
    proxy.fallSilent(step);
    if (isNew) {
      // The next call has to connect.
      const open = proxy.open;
      proxy.cut();
      await expect.poll(() => logged.filter((what) => what === "store.connection_lost").length).toBe(open);
    }
    const endings = async (of: typeof calls): Promise<ReadonlySet<string>> =>
      new Set(await Promise.all(Object.values(of).map((call) => ending(call(behind)))));
    const [read, written] = await Promise.all([endings(calls), endings(writes)]);
    expect({ read, written }).toEqual({
      read: new Set(["store.unreachable"]),
      written: new Set([isNew ? "store.unreachable" : "store.unreachable, outcome unknown"]),
    });
    proxy.recover();
    expect((await store.open({ session_id }))?.session_id).toBe(session_id);
    await store.close();
    await allClosed(proxy);
  });

  test.each(connectionSteps)("at %s: opening a store fails in time, also with TLS, and leaves no connection", async (step) => {
    const proxy = await silentProxy(await newPostgresDatabase());
    proxy.fallSilent(step);
    const secure = new URL(proxy.url);
    secure.searchParams.set("sslmode", "verify-full");
    for (const url of [proxy.url, secure.href]) expect(await ending(openPostgresStore(url, { timeouts }))).toBe("store.unreachable");
    await allClosed(proxy);
  });

  test.each(statementSteps)("at %s: opening a store fails in time at its first statement", async (step) => {
    const proxy = await silentProxy(await newPostgresDatabase());
    proxy.fallSilent(step);
    expect(await ending(openPostgresStore(proxy.url, { timeouts }))).toBe("store.unreachable");
    await allClosed(proxy);
  });

  test("ten silent connections hold up nobody who comes after them", async () => {
    const { proxy, store, session_id } = await behindProxy();
    proxy.fallSilent("parse");
    await Promise.all(Array.from({ length: 30 }, () => ending(store.open({ session_id }))));
    proxy.recover();
    expect(await Promise.all(Array.from({ length: 30 }, () => ending(store.open({ session_id }))))).toEqual(Array<string>(30).fill("answered"));
  });

  test("a step of background work has a limit of its own, and connections of its own", async () => {
    const url = await newPostgresDatabase();
    const proxy = await silentProxy(url);
    const driver = await postgresDriver(parseLocation(proxy.url, { durability: "full" }), { logger: silentLogger, timeouts });
    onTestFinished(() => driver.close());
    const parts = { one: "SELECT 1 AS one" };
    await Promise.all([driver.read(parts, []), driver.read(parts, [], "batch")]);
    proxy.fallSilent("parse");
    await expect(driver.read(parts, [])).rejects.toThrow(/within [12]\d{3} ms/u);
    await expect(driver.read(parts, [], "batch")).rejects.toThrow(/within (?:2[5-9]\d\d|3000) ms/u);
  });

  test("a slow statement of a server that answers is given up by the server", async () => {
    const proxy = await silentProxy(await newPostgresDatabase());
    const driver = await postgresDriver(parseLocation(proxy.url, { durability: "full" }), { logger: silentLogger, timeouts });
    onTestFinished(() => driver.close());
    expect(await ending(driver.read({ slow: "SELECT 1 AS one FROM pg_sleep(60)" }, []))).toBe("store.busy");
  });

  test("a commit whose answer was swallowed is asked for by its id, and is written once", async () => {
    const { proxy, store, direct, session_id } = await behindProxy();
    await store.open({ session_id });
    proxy.fallSilent("answer", { once: true });
    const writer = { store, clock: systemClock, ids: createIds({ clock: systemClock }), logger: silentLogger };
    expect(await commitOnce(writer, { session: { session_id, events: [message("a")] } })).toMatchObject({ outcome: "committed", replayed: true });
    expect(proxy.silenced).toBe(1);
    expect(await offsetsOf(direct, session_id)).toEqual([0, 1]);
  });

  test("a commit that no try confirms says that it may be written, also if the last try could not even connect", async () => {
    const { proxy, store, direct, session_id } = await behindProxy();
    await store.open({ session_id });
    proxy.fallSilent("answer", { once: true });
    const writer = { store, clock: systemClock, ids: createIds({ clock: systemClock }), logger: silentLogger };
    const committing = ending(commitOnce(writer, { session: { session_id, events: [message("a")] } }));
    await expect.poll(() => proxy.silenced, { timeout: 10_000 }).toBe(1);
    proxy.fallSilent("connect");
    expect(await committing).toBe("store.unreachable, outcome unknown");
    expect(await offsetsOf(direct, session_id)).toEqual([0, 1]);
  });

  test("a connection that listens is replaced, and whoever waits hears of what was missed", async () => {
    const { url, proxy, store, direct, session_id, logged } = await behindProxy();
    const first = store.watch(session_id, 0, AbortSignal.timeout(50_000));
    await listening(url);
    await append(direct, session_id, { events: [message("a")] });
    expect(await first).toBe(1);
    const waiting = store.watch(session_id, 1, AbortSignal.timeout(50_000));
    await idle(url);
    proxy.fallSilent("all");
    await append(direct, session_id, { events: [message("b")] });
    await expect.poll(() => logged.includes("store.listen_lost"), { timeout: 30_000 }).toBe(true);
    proxy.recover();
    expect(await waiting).toBe(2);
    await expect.poll(() => logged.includes("store.listening"), { timeout: 30_000 }).toBe(true);
    const next = store.watch(session_id, 2, AbortSignal.timeout(5_000));
    await append(direct, session_id, { events: [message("c")] });
    expect(await next).toBe(3);
  });

  test("a connection that falls silent before it has heard anything is replaced, and is not taken for a deaf one", async () => {
    const { proxy, store, direct, session_id, logged } = await behindProxy();
    proxy.fallSilent("notification", { once: true });
    const waiting = store.watch(session_id, 0, AbortSignal.timeout(50_000));
    await expect.poll(() => logged.includes("store.listening"), { timeout: 30_000 }).toBe(true);
    expect(logged).not.toContain("store.listen_deaf");
    expect(logged.filter((what) => what === "store.listen_lost")).toHaveLength(1);
    await append(direct, session_id, { events: [message("a")] });
    expect(await waiting).toBe(1);
  });

  test("a notification that was swallowed is sent again", async () => {
    const { proxy, store, direct, session_id } = await behindProxy();
    // Shorter than the poll of whoever waits: what ends the wait is the notification.
    const heard = direct.watch(session_id, 0, AbortSignal.timeout(12_000));
    await append(store, session_id, { events: [message("a")] });
    proxy.fallSilent("parse", { once: true });
    expect(await heard).toBe(1);
    expect(await offsetsOf(direct, session_id)).toEqual([0, 1]);
  });

  test("a store is closed in time while a connection is silent", async () => {
    const { url, proxy, store, session_id } = await behindProxy();
    const waiting = ending(store.watch(session_id, 0, AbortSignal.timeout(50_000)));
    await listening(url);
    proxy.fallSilent("all");
    const reading = ending(store.read({ session_id }));
    await store.close();
    expect(await reading).toBe("store.unreachable");
    await waiting;
    await allClosed(proxy);
  });
});
