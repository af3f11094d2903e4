/** ErasureContext as a job: begun by one commit, finished by whoever opens the store, harmless to everybody else. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { places } from "../../packages/throughline/src/store/sql/erasure/places.ts";
import {
  append,
  asked,
  commitOf,
  created,
  event,
  ids,
  message,
  newOwner,
  newSession,
  queue,
  trace,
  write,
} from "../../packages/throughline/src/testing/store/fixtures.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { fillOwner } from "./canary.ts";

interface Place {
  readonly location: string;
  /** All rows of a table as one text. */
  readonly dump: (table: string) => Promise<string>;
}

const engines: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const location = newSqliteFile();
    const dump = async (table: string): Promise<string> => {
      const database = new DatabaseSync(location, { readOnly: true });
      try {
        const all = database.prepare(`SELECT * FROM ${table}`);
        all.setReadBigInts(true);
        return JSON.stringify(all.all(), (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      } finally {
        database.close();
      }
    };
    return { location, dump };
  },
  PostgreSQL: async () => {
    const location = await emptyPostgresDatabase();
    return { location, dump: async (table) => JSON.stringify(await runSql(location, `SELECT * FROM throughline.${table}`)) };
  },
};

async function opened(location: string): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}

/** What is left of a word in the tables, by table. */
async function tablesWith(place: Place, isSqlite: boolean, word: string): Promise<readonly string[]> {
  const tables = [...new Set(places.filter(({ only }) => only === undefined || (only === "sqlite") === isSqlite).map(({ table }) => table))];
  const found: string[] = [];
  for (const table of tables) if ((await place.dump(table)).includes(word)) found.push(table);
  return found;
}

const fork = async (store: Store, owner_id: Awaited<ReturnType<typeof newOwner>>, session_id: SessionId, at: number): Promise<SessionId> => {
  const child = ids.next("session");
  const forked = event("session", { type: "forked", at }, { trace_id: trace });
  await write(store, {
    session: { session_id: child, create: { owner_id, agent: "diary", agent_version: 1, fork: { session_id, at } }, events: [forked] },
  });
  return child;
};

const texts = async (store: Store, session_id: SessionId): Promise<readonly string[]> =>
  ((await store.read({ session_id, kinds: ["message"] }))?.events ?? []).map(({ data }) => JSON.stringify(data["parts"]));

describe.each(Object.entries(engines))("erasing on %s", (name, prepare) => {
  const on = (requirement: string, body: (place: Place) => Promise<void>): void =>
    test(requirement, async ({ skip }) => {
      if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
      await body(await prepare());
    });

  on("every field of every table is emptied, and another customer keeps all", async (place) => {
    const store = await opened(place.location);
    const doomed = await fillOwner(store, "zebrafinch");
    const kept = await fillOwner(store, "woodpecker");
    const before = await Promise.all(kept.sessions.map((session_id) => store.load({ session_id, messages: 100 })));
    expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual(
      expect.arrayContaining(["events", "event_extras", "checkpoints", "sessions", "variables", "entries", "owners", "records"]),
    );
    const { erasure_id, requested_at, finished_at, ...counts } = await store.erase({ owner_id: doomed.owner_id });
    expect(counts).toEqual({ sessions: 2, events: 22 });
    expect(erasure_id).toMatch(/^era_/);
    expect(finished_at).toBeGreaterThanOrEqual(requested_at ?? Infinity);
    expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual([]);
    for (const id of [doomed.owner_id, ...doomed.sessions]) expect(await tablesWith(place, name === "SQLite", id)).toEqual([]);
    expect(await Promise.all(kept.sessions.map((session_id) => store.load({ session_id, messages: 100 })))).toEqual(before);
    expect((await store.list({ of: "erasures" })).items).toEqual([{ erasure_id, requested_at, finished_at, ...counts }]);
    expect((await store.list({ of: "records", kind: "answer" })).total).toBe(6);
  });

  on("whoever is killed while erasing, the next to open the store finishes it", async (place) => {
    const child = (owner: string, last: number): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [join(root, "test/store/erase-child.ts"), place.location, owner, String(last)], {
        encoding: "utf8",
        timeout: 20_000,
      });
    const first = await openStore(place.location);
    const kept = await fillOwner(first, "woodpecker");
    const whole = child((await fillOwner(first, "zebrafinch")).owner_id, 0);
    const statements = Number(/after (\d+)/.exec(String(whole.stdout))?.[1]);
    expect(statements).toBeGreaterThan(3);
    const steps = name === "SQLite" ? [0.1, 0.3, 0.5, 0.7, 0.9, 1].map((part) => Math.ceil(part * statements)) : [1, 2, 3, statements];
    for (const last of new Set(steps)) {
      const { owner_id, sessions } = await fillOwner(first, "zebrafinch");
      expect(child(owner_id, last).signal, `killed before statement ${last}`).toBe("SIGKILL");
      const second = await openStore(place.location);
      const isThere = (await second.open({ session_id: sessions[0] })) !== undefined;
      // Before its first commit nothing has happened; from there on nobody sees it, and whoever opens the store removes it.
      if (isThere) await second.erase({ owner_id });
      expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual([]);
      expect((await second.list({ of: "erasures" })).items.every(({ finished_at }) => finished_at !== undefined)).toBe(true);
      await second.close();
    }
    expect((await first.load({ session_id: kept.sessions[0] }))?.session.head).toBe(11);
    await first.close();
  });

  on("two that erase the same owner at once get the same receipt or none", async (place) => {
    const [one, two] = [await opened(place.location), await opened(place.location)];
    const { owner_id } = await fillOwner(one, "zebrafinch");
    const erased = await Promise.all([one.erase({ owner_id }), two.erase({ owner_id })]);
    const receipts = erased.filter(({ erasure_id }) => erasure_id !== undefined);
    expect(new Set(receipts.map(({ erasure_id }) => erasure_id)).size).toBe(1);
    expect((await one.list({ of: "erasures" })).total).toBe(1);
    expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual([]);
  });

  on("a turn at work cannot commit, claim or renew any more, and whoever waits is told", async (place) => {
    const store = await opened(place.location);
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id });
    await append(store, session_id, { events: [asked("hello")], queue: queue() });
    const claim = await store.claim({ kind: "session", session_id, worker: "w", lease_ms: 60_000 });
    const told = store.watch(session_id, 5, new AbortController().signal);
    await store.erase({ owner_id });
    expect(await told).toBe(-1);
    const late = { session_id, depends: { epoch: claim?.epoch ?? 0 }, events: [event("message", {}, { turn: 1 })], end_turns: [1] };
    expect(await store.commit(commitOf({ session: late }))).toEqual({ outcome: "refused", reason: "session_missing" });
    expect(await store.claim({ kind: "renew", session_id, epoch: claim?.epoch ?? 0, lease_ms: 1000 })).toBeUndefined();
    expect(await store.claim({ kind: "next", worker: "w", lease_ms: 1000 })).toBeUndefined();
    expect(await store.release({ session_id, epoch: claim?.epoch ?? 0, counted: true })).toBe(false);
  });

  on("sessions that are made and forked while their owner is erased do not outlive it", async (place) => {
    const [one, two] = [await opened(place.location), await opened(place.location)];
    for (let round = 0; round < 6; round++) {
      const { owner_id, sessions } = await fillOwner(one, "zebrafinch");
      const make = (): ReturnType<Store["commit"]> =>
        two.commit(
          commitOf({
            session: { session_id: ids.next("session"), create: { owner_id, agent: "a", agent_version: 1 }, events: [created({ n: "zebrafinch" })] },
          }),
        );
      const made = [make(), make(), fork(two, owner_id, sessions[0], 3).catch(() => {}), make()];
      await Promise.all([one.erase({ owner_id }), ...made]);
      expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual([]);
      expect((await one.list({ of: "sessions", owner_id })).total).toBe(0);
    }
  });

  on("a deleted session keeps what its forks share, without its ids, until the last of them goes", async (place) => {
    const store = await opened(place.location);
    const owner_id = await newOwner(store, "crm-1");
    const parent = await newSession(store, { owner_id, header: { title: "zebrafinch title" } });
    await append(store, parent, {
      events: [asked("one"), event("state", { patch: [] }), message("two"), message("zebrafinch three")],
      queue: queue(),
    });
    const child = await fork(store, owner_id, parent, 3);
    await append(store, child, { events: [message("child")] });
    const grandchild = await fork(store, owner_id, child, 5);
    const seen = await Promise.all([texts(store, child), texts(store, grandchild)]);
    expect(await store.erase({ session_id: parent })).toMatchObject({ sessions: 1, events: 1 });
    expect(await tablesWith(place, name === "SQLite", "zebrafinch")).toEqual([]);
    expect(await tablesWith(place, name === "SQLite", parent)).toEqual([]);
    expect(await Promise.all([texts(store, child), texts(store, grandchild)])).toEqual(seen);
    expect((await store.open({ session_id: child }))?.origin?.session_id).toBeNull();
    expect((await store.read({ session_id: child }))?.events[1]?.origin).toBeNull();
    expect((await store.list({ of: "sessions", owner_id })).total).toBe(2);
    expect(await store.erase({ session_id: child })).toMatchObject({ sessions: 1, events: 0 });
    expect(await texts(store, grandchild)).toEqual(seen[1]);
    expect(await store.erase({ session_id: grandchild })).toMatchObject({ sessions: 1, events: 7 });
    for (const table of ["events", "event_extras", "turns", "segments", "sessions", "checkpoints"]) expect(await place.dump(table)).toBe("[]");
    expect((await store.list({ of: "customers" })).total).toBe(1);
  });

  test("of a customer with very many sessions nothing is seen from the first commit on, and whoever opens the store next takes their ids, too", async ({
    skip,
  }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    const { location, dump } = await prepare();
    const store = await openStore(location);
    const owner_id = await newOwner(store, "crm-many");
    const open_key = "the key of one";
    const keyed = await newSession(store, { owner_id, create: { open_key } });
    await Promise.all(Array.from({ length: 600 }, () => newSession(store, { owner_id, header: { labels: ["many"] } })));
    const erasing = store.erase({ owner_id }).catch((error: unknown) => error);
    // The first commit is under way; the store is closed before the rest.
    while ((await store.open({ session_id: keyed })) !== undefined) await new Promise((resolve) => setImmediate(resolve));
    const { total } = await store.list({ of: "sessions" });
    await store.close();
    expect(total).toBe(0);
    expect(await erasing).toMatchObject({ code: "store.closed" });
    const left = JSON.parse(await dump("sessions")) as readonly {
      readonly session_id: string;
      readonly deleted: unknown;
      readonly open_hash: unknown;
    }[];
    expect(left.filter(({ deleted, open_hash }) => Number(deleted) !== 1 || open_hash !== null).length).toBe(0);
    expect(left.filter(({ session_id }) => session_id.startsWith("ses_")).length).toBeGreaterThan(0);
    const next = await opened(location);
    await expect
      .poll(async () => (await next.list({ of: "erasures" })).items[0], { timeout: 20_000 })
      .toMatchObject({ sessions: 601, events: 601, finished_at: expect.any(Number) as number });
    for (const table of ["sessions", "session_labels", "events", "segments", "owners"]) expect(JSON.parse(await dump(table)), table).toHaveLength(0);
    await newSession(next, { create: { open_key } });
    expect((JSON.parse(await dump("tombstones")) as readonly unknown[]).length).toBe(602);
  });
});
