/** The kits for whoever writes a store: our stores pass them, and stores with a defect do not. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import {
  type MortalStore,
  checkStoreGrowth,
  checkStorePairs,
  storeChecks,
  storeConcurrencyChecks,
  storeCrashChecks,
  storeProcess,
} from "../../packages/throughline/src/testing.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { brokenByCrashes, brokenByRaces, mortal, openBroken, wrongReason } from "./broken-stores.ts";

const library = new URL("../../packages/throughline/src/index.ts", import.meta.url);
const inProcess = (location: string) => (): Promise<MortalStore> => storeProcess({ module: library, with: [location] });
const openPostgres = (url: string) => (): Promise<Store> => openPostgresStore(url, { durability: "relaxed" });

/** Every way in which a pair can end. */
const losses = [
  ...["cut_out_of_range", "fenced", "key_used", "none", "not_anonymous", "not_claimed", "not_released", "owner_exists", "replayed"],
  ...["session_exists", "stale_base", "stale_episode", "stale_head", "stale_record", "stale_version", "too_many_waiting"],
];

describe("writers at the same time", () => {
  test.each(storeConcurrencyChecks({ stores: 1 }))("in memory: $name", ({ run }) => run(async () => openMemoryStore()));
  test.each(storeConcurrencyChecks())("on SQLite: $name", ({ run }) => {
    const path = newSqliteFile();
    return run(() => openSqliteStore(path, { durability: "relaxed" }));
  });
  test.skipIf(noPostgres !== undefined).each(storeConcurrencyChecks())("on PostgreSQL: $name", async ({ run }) =>
    run(openPostgres(await emptyPostgresDatabase())),
  );

  test("500 pairs in four processes on one SQLite file lose nothing", async () => {
    const report = await checkStorePairs(inProcess(newSqliteFile()), { stores: 4, pairs: 500 });
    expect(Object.keys(report.losses).toSorted()).toEqual(losses);
  });
  test.skipIf(noPostgres !== undefined)("500 pairs of four stores on PostgreSQL lose nothing", async () => {
    const report = await checkStorePairs(openPostgres(await emptyPostgresDatabase()), { stores: 4, pairs: 500 });
    expect(Object.values(report.losses).reduce((sum, count) => sum + count, 0)).toBe(500);
    expect(Object.keys(report.losses).toSorted()).toEqual(losses);
  });

  test.each(Object.entries(brokenByRaces))("%s: finds a store that %s", async (name, [, flaw]) => {
    const check = storeConcurrencyChecks({ stores: 1 }).find((candidate) => candidate.name === name)!;
    await expect(check.run(openBroken(flaw))).rejects.toThrow();
  });
  test("every check of them is shown to find something", () => {
    const mixed = "two writers race for everything on one session";
    expect([...Object.keys(brokenByRaces), mixed].toSorted()).toEqual(
      storeConcurrencyChecks()
        .map(({ name }) => name)
        .toSorted(),
    );
  });
  test.each(Object.entries(brokenByRaces).filter(([name]) => name.startsWith("two")))(
    "pairs on one session: %s finds a store that %s",
    async (_name, [, flaw]) => {
      await expect(checkStorePairs(openBroken(flaw), { stores: 1, pairs: 60 })).rejects.toThrow();
    },
  );
  test("pairs find a store that gives another reason", async () => {
    await expect(checkStorePairs(async () => wrongReason(), { stores: 1, pairs: 60 })).rejects.toThrow("The loser must be told why");
  });
});

describe("a crash", () => {
  test.each(storeCrashChecks({ kills: 2, leaseMs: 800 }))("on SQLite: $name", ({ run }) => run(inProcess(newSqliteFile())));
  test.skipIf(noPostgres !== undefined).each(storeCrashChecks({ kills: 2 }).slice(0, 2))("on PostgreSQL: $name", async ({ run }) =>
    run(inProcess(await emptyPostgresDatabase())),
  );
  test.each(storeCrashChecks({ survives: false }))("in memory: $name", ({ run }) => run(inProcess(":memory:")));

  test.each(storeCrashChecks({ kills: 20, leaseMs: 100 }))("leaves a sound store whole: $name", ({ run }) => run(mortal(systemClock)));
  test.each(brokenByCrashes)("finds a store that %s: %s", async (_what, name, flaw) => {
    const check = storeCrashChecks({ kills: 20, leaseMs: 100 }).find((candidate) => candidate.name === name)!;
    await expect(check.run(mortal(systemClock, flaw))).rejects.toThrow();
  });
  test("finds a store that is said to forget, and remembers", async () => {
    for (const { run } of storeCrashChecks({ survives: false })) await expect(run(mortal(systemClock))).rejects.toThrow("must forget");
  });
});

describe("growth", () => {
  const sizeOf = (path: string) => async (): Promise<number> => {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    return statSync(path).size;
  };
  /** Above what other work on the machine does to a ratio, and below 13: the long sessions are 13 and 16 times as long as the short one. */
  const loose = { commit: 10, load: 10, read: 10 };
  test("on SQLite a turn costs as much at the end as at the beginning", async () => {
    const path = newSqliteFile();
    const report = await checkStoreGrowth(() => openSqliteStore(path, { durability: "relaxed" }), {
      turns: 500,
      measure: sizeOf(path),
      limits: loose,
    });
    expect(report.bytes?.last).toBeGreaterThan(1000);
  });
  test.skipIf(noPostgres !== undefined)("on PostgreSQL too", async () => {
    const url = await emptyPostgresDatabase();
    const measure = async (): Promise<number> => {
      const [row] = await runSql(
        url,
        "SELECT sum(pg_total_relation_size(oid))::int AS size FROM pg_class WHERE relnamespace = 'throughline'::regnamespace AND relkind = 'r'",
      );
      return Number(row?.["size"]);
    };
    await checkStoreGrowth(openPostgres(url), { turns: 400, measure, limits: { ...loose, bytes: 1.6 } });
  });

  /** All that a session's log holds, as text: work that grows with it. */
  const whole = async (store: Store, session_id: Parameters<Store["watch"]>[0]): Promise<number> => {
    let text = "";
    for (let next = 0; ;) {
      const page = await store.read({ session_id, min_offset: next, limit: 1000 });
      text += JSON.stringify(page);
      next = page?.next_offset ?? 0;
      if (page === undefined || next > page.head) return text.length;
    }
  };
  test.each([
    [
      "commit",
      (store: Store) => ({ commit: async (commit) => (commit.session && (await whole(store, commit.session.session_id)), store.commit(commit)) }),
    ],
    ["load", (store: Store) => ({ load: async (request) => (await whole(store, request.session_id), store.load(request)) })],
    ["read", (store: Store) => ({ read: async (request) => (await whole(store, request.session_id), store.read(request)) })],
  ] satisfies readonly (readonly [string, (store: Store) => Partial<Store>])[])(
    "finds a store that reads all of a log at each %s",
    async (name, flaw) => {
      await expect(checkStoreGrowth(openBroken(flaw), { turns: 400 })).rejects.toThrow(new RegExp(`^The cost of a session grows[^]*  ${name}: `));
    },
  );
  test("finds a store that writes its state whole each time", async () => {
    let [size, commits] = [0, 0];
    const flaw = (store: Store): Partial<Store> => ({
      commit: (commit) => {
        commits += 1;
        size += 500 + commits;
        return store.commit(commit);
      },
    });
    await expect(checkStoreGrowth(openBroken(flaw), { turns: 400, measure: async () => size })).rejects.toThrow("bytes: ");
  });
});

test("a store in a process of its own keeps the contract as if it were here", async () => {
  for (const { run } of storeChecks()
    .filter(({ name }) => /watch|closed|reads back|damaged|errors?|draft/.test(name))
    .slice(0, 3)) {
    const path = newSqliteFile();
    await run(inProcess(path));
  }
});
