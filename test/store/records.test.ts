/** What the port does not show of records: that expired ones go, whose words are encrypted, and that writers never wait for each other for ever. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { append, commitOf, message, newOwner, newSession, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { encryption, engines, rowsOf } from "../encryption/stores.ts";

interface Place {
  readonly open: () => Promise<Store>;
  readonly count: () => Promise<number>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const location = newSqliteFile();
    const count = async (): Promise<number> => {
      const database = new DatabaseSync(location, { readOnly: true });
      try {
        return Number(database.prepare("SELECT count(*) AS n FROM records").get()?.["n"]);
      } finally {
        database.close();
      }
    };
    return { open: () => openSqliteStore(location, { durability: "relaxed" }), count };
  },
  PostgreSQL: async () => {
    const location = await emptyPostgresDatabase();
    return {
      open: () => openPostgresStore(location, { durability: "relaxed" }),
      count: async () => Number((await runSql(location, "SELECT count(*)::int AS n FROM throughline.records"))[0]?.["n"]),
    };
  },
};

describe.each(Object.entries(places))("records on %s", (name, prepare) => {
  const on = (what: string, body: (place: Place) => Promise<void>): void =>
    test(what, async ({ skip }) => {
      if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
      await body(await prepare());
    });

  on("that have expired are removed a few at a time, by writes of their kind", async ({ open, count }) => {
    const store = await open();
    onTestFinished(() => store.close());
    const soon = systemClock.now() + 300;
    const many = Array.from({ length: 30 }, (_, n) => ({ kind: "job", key: `old-${n}`, data: {}, expires_at: soon }));
    await write(store, { records: [...many, { kind: "other", key: "stays", data: {} }] });
    expect(await count()).toBe(31);
    while (systemClock.now() <= soon) await systemClock.sleep(20);
    await write(store, { records: [{ kind: "other", key: "stays", data: {} }] });
    expect(await count()).toBe(31);
    const left: number[] = [];
    for (let n = 0; n < 9; n++) {
      await write(store, { records: [{ kind: "job", key: "new", data: { n } }] });
      left.push(await count());
    }
    expect(left).toEqual([28, 24, 20, 16, 12, 8, 4, 2, 2]);
  });

  on("are written by many at once, in any order and for any owner, while others erase", async ({ open }) => {
    const stores = await Promise.all([open(), open(), open()]);
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const [store] = stores;
    const owners = [await newOwner(store, "crm-1"), await newOwner(store, "crm-2"), await newOwner(store, "crm-3")];
    const sessions = await Promise.all(owners.map((owner_id) => newSession(store, { owner_id })));
    const outcomes = new Set<string>();
    const results = await Promise.all(
      Array.from({ length: 120 }, async (_, n) => {
        if (n === 60) return void (await store.erase({ owner_id: owners[2]! }));
        const keys = [n % 5, (n * 3 + 1) % 5].filter((key, index, all) => all.indexOf(key) === index);
        const result = await stores[n % 3]!.commit(
          commitOf({
            ...(n % 4 === 0 ? { owner: { owner_id: owners[(n + 1) % 3]!, name: `n ${n}` } } : {}),
            ...(n % 4 === 1 ? { session: { session_id: sessions[(n + 2) % 3]!, events: [message("hello")] } } : {}),
            records: keys.map((key, index) => ({
              ...{ kind: "job", key: String(key), data: { n }, expires_at: n % 2 === 0 ? 1 : 4_000_000_000_000 },
              ...(index === 0 ? { owner_id: owners[n % 3]! } : { session_id: sessions[(n + 1) % 3]! }),
            })),
          }),
        );
        outcomes.add(result.outcome === "committed" ? "committed" : result.reason);
      }),
    );
    expect(results).toHaveLength(120);
    for (const outcome of outcomes) expect(["committed", "owner_missing", "session_missing"]).toContain(outcome);
    expect(outcomes.has("committed")).toBe(true);
  });
});

describe.each(Object.entries(engines))("records of an encrypted database on %s", (_name, prepare) => {
  test("are encrypted as their owner's, and those of nobody are not", async () => {
    const place = await prepare();
    const store = await place.open(encryption);
    const anonymous = await newOwner(store);
    const session_id = await newSession(store, { owner_id: anonymous });
    const customer = await newOwner(store, "crm-1");
    const put = (key: string, rest: object = {}): object => ({ kind: "answer", key, data: { word: "zebrafinch" }, ...rest });
    const records = [put("customer", { owner_id: customer }), put("nobody"), put("owner", { owner_id: anonymous }), put("session", { session_id })];
    await write(store, { records: records as never });
    // Each in the way that its owner is stored by then.
    await append(store, session_id, { owner_id: customer });
    await write(store, { records: [put("later", { session_id })] as never });
    const all = (await store.list({ of: "records", kind: "answer" })).items;
    expect(all.map(({ key, data }) => [key, data])).toEqual(
      ["customer", "later", "nobody", "owner", "session"].map((key) => [key, { word: "zebrafinch" }]),
    );
    await store.close();
    const again = await openStore(place.location, { encryption });
    onTestFinished(() => again.close());
    expect((await again.list({ of: "records", kind: "answer" })).items).toEqual(all);
    const stored = (await rowsOf(place, "records", "key, data")).map((row) => [row["key"], String(row["data"]).includes("zebrafinch")]);
    expect(Object.fromEntries(stored)).toEqual({ customer: false, later: false, nobody: true, owner: false, session: false });
    await again.erase({ owner_id: customer });
    expect((await rowsOf(place, "records", "key, data")).map((row) => row["key"])).toEqual(["nobody"]);
  });
});
