import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { checkStoreAgainstModel } from "../../packages/throughline/src/testing/store/reference-model.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";

const first = Number(process.env["STORE_MODEL_SEED"] ?? 1);
const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => first + index);

describe("random commands leave a store and the reference model alike", () => {
  test.each(seeds(20))("on SQLite, seed %i", async (seed) => {
    await checkStoreAgainstModel(() => openSqliteStore(newSqliteFile(), { durability: "relaxed" }), { seed });
  });
  test.skipIf(noPostgres !== undefined).each(seeds(8))("on PostgreSQL, seed %i", async (seed) => {
    const url = await emptyPostgresDatabase();
    await checkStoreAgainstModel(() => openPostgresStore(url, { durability: "relaxed" }), { seed });
  });
});

describe("the check itself", () => {
  const wrongs: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
    "forgets a commit": (store) => ({
      commit: async (commit) => (commit.commit_id === "cmt_9" ? { outcome: "refused", reason: "owner_missing" } : store.commit(commit)),
    }),
    "keeps a lease that was given back": (store) => ({ release: async ({ session_id }) => (await store.open({ session_id })) !== undefined }),
    "renews a lease that is lost": (store) => ({
      claim: async (request) =>
        request.kind === "renew"
          ? store.claim({ ...request, epoch: (await store.open({ session_id: request.session_id }))?.epoch ?? 0 })
          : store.claim(request),
    }),
    "shows withdrawn events": (store) => ({ read: async (request) => store.read({ ...request, withdrawn: true }) }),
    "keeps no records": (store) => ({ commit: async ({ records: _records, ...commit }) => store.commit(commit) }),
    "shows records that have expired": (store) => ({
      commit: (commit) =>
        store.commit(commit.records === undefined ? commit : { ...commit, records: commit.records.map(({ expires_at: _end, ...record }) => record) }),
    }),
    "forgets whose records are": (store) => ({
      commit: (commit) =>
        store.commit(
          commit.records === undefined
            ? commit
            : { ...commit, records: commit.records.map(({ owner_id: _owner, session_id: _session, ...record }) => record) },
        ),
    }),
    "gives variables as they are now for the past": (store) => ({
      list: (query) => store.list(query.of === "variables" ? { ...query, version: undefined as never, at: undefined as never } : query),
    }),
    "counts no checks": (store) => ({
      commit: ({ owner, ...commit }) => {
        const { checked: _checked, ...change } = owner ?? {};
        return store.commit(owner === undefined ? commit : { ...commit, owner: { ...change, owner_id: owner.owner_id } });
      },
    }),
    "has one queue for all": (store) => ({
      list: (query) => store.list("by" in query ? { ...query, handover: "waiting" } : query),
    }),
    "loads the head for the past": (store) => ({ load: async ({ at: _at, ...request }) => store.load(request) }),
  };
  test.each(Object.entries(wrongs))("finds a store that %s", async (_what, wrong) => {
    const open = async (): Promise<Store> => {
      const store = openMemoryStore();
      return { ...store, ...wrong(store) };
    };
    const run = async (): Promise<void> => {
      for (const seed of seeds(10)) await checkStoreAgainstModel(open, { seed });
    };
    await expect(run()).rejects.toThrow("differs from the model");
  });
});
