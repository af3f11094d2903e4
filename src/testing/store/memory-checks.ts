/** Checks of memory entries: reading them, and removing one with all that it was. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type EntriesRequest, type EntryRow, type Store, sessionOwnerId } from "../../store/port.ts";
import type { OwnerId } from "../../kernel/id.ts";
import { type StoreCheck, check, expectError, expectRefusal, ids, message, newOwner, newSession, someTime, write } from "./fixtures.ts";

/** An entry as a commit takes it, with the number of its write as its data; removed if that is null. */
const put = (entry_id: string, number: number | null, kind = "fact") => ({ entry_id, kind, data: number === null ? null : { number } });

/** What is read of an owner's memory: version, id and number of each row. */
const numbers = (rows: readonly EntryRow[]): readonly unknown[] =>
  rows.map(({ version, entry_id, data }) => [version, entry_id, data && data["number"]]);

const remembered = async (store: Store, owner_id: OwnerId): Promise<readonly unknown[]> => numbers(await store.entries({ owner_id }));

/** Entries: every version of what is there, in order, and nothing of what was removed but that it was. */
export const memoryChecks: readonly StoreCheck[] = [
  check("memory entries are read by version, kind and id, in pages from either end", async (store) => {
    const [owner_id, other] = [await newOwner(store), await newOwner(store)];
    await write(store, {
      at: 5,
      owner: {
        owner_id,
        entries: [
          { entry_id: "a", kind: "fact", data: { text: "x" } },
          { entry_id: "b", kind: "arc", data: {} },
        ],
      },
    });
    await write(store, { at: 6, owner: { owner_id, entries: [{ entry_id: "a", kind: "fact", data: { text: "y" } }] } });
    await write(store, { owner: { owner_id: other, entries: [{ entry_id: "c", kind: "fact", data: {} }] } });
    const all = await store.entries({ owner_id });
    deepStrictEqual(all, [
      { version: 1, entry_id: "a", kind: "fact", data: { text: "x" }, created_at: 5 },
      { version: 2, entry_id: "b", kind: "arc", data: {}, created_at: 5 },
      { version: 3, entry_id: "a", kind: "fact", data: { text: "y" }, created_at: 6 },
    ]);
    const read = async (request: Omit<EntriesRequest, "owner_id">): Promise<readonly number[]> =>
      (await store.entries({ owner_id, ...request })).map(({ version }) => version);
    await write(store, { at: 7, owner: { owner_id, entries: [{ entry_id: "d", kind: "profile", data: {} }] } });
    const kinds = ["fact", "profile"];
    for (const [request, versions] of [
      [{ min_version: 3 }, [3, 4]],
      [{ min_version: 2, max_version: 3 }, [2, 3]],
      [{ min_version: 99 }, []],
      [{ limit: 2 }, [1, 2]],
      [{ limit: 2, newest: true }, [3, 4]],
      [{ limit: 2, newest: true, max_version: 2 }, [1, 2]],
      [{ kinds: ["fact"] }, [1, 3]],
      [{ kinds, limit: 2 }, [1, 3]],
      [{ kinds: ["fact", "fact", "arc"], min_version: 2 }, [2, 3]],
      [{ kinds, limit: 2, newest: true }, [3, 4]],
      [{ kinds: ["other"] }, []],
      [{ kinds: [] }, []],
      [{ entry_id: "a" }, [1, 3]],
      [{ entry_id: "a", kinds: ["arc", "fact"], limit: 1 }, [1]],
      [{ entry_id: "a", kinds: ["arc"] }, []],
      [{ entry_id: "c" }, []],
    ] as const)
      deepStrictEqual(await read(request), versions, JSON.stringify(request));
    for (const request of [{}, { kinds: ["fact"] }, { entry_id: "a" }])
      deepStrictEqual(await store.entries({ owner_id: ids.next("owner"), ...request }), []);
    for (const request of [{ limit: 0 }, { limit: 10_001 }, { min_version: -1 }, { kinds: [1 as never] }])
      await expectError(store.entries({ owner_id, ...request }), "input.invalid");
  }),
  check("an entry keeps all that it was, and one that is removed nothing", async (store) => {
    const [owner_id, other] = [await newOwner(store), await newOwner(store)];
    const entries = [put("a", 1), put("b", 2), put("a", 3)];
    await write(store, { owner: { owner_id, entries } });
    await write(store, { owner: { owner_id: other, entries } });
    deepStrictEqual(numbers(await store.entries({ owner_id, entry_id: "a" })), [
      [1, "a", 1],
      [3, "a", 3],
    ]);
    await write(store, { at: someTime + 1, owner: { owner_id, entries: [put("a", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [4, "a", null],
    ]);
    deepStrictEqual(await store.entries({ owner_id, entry_id: "a", kinds: ["fact"] }), [
      { version: 4, entry_id: "a", kind: "fact", data: null, created_at: someTime + 1 },
    ]);
    deepStrictEqual(
      await remembered(store, other),
      [
        [1, "a", 1],
        [2, "b", 2],
        [3, "a", 3],
      ],
      "another owner's memory is another one's",
    );
    await write(store, { owner: { owner_id, entries: [put("a", null), put("c", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [5, "a", null],
      [6, "c", null],
    ]);
    await write(store, { owner: { owner_id, entries: [put("a", 7)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [5, "a", null],
      [6, "c", null],
      [7, "a", 7],
    ]);
  }),
  check("the entries of one commit are written one after the other", async (store) => {
    const owner_id = await newOwner(store);
    await write(store, { owner: { owner_id, entries: [put("a", 1), put("b", 2), put("a", null), put("a", 4), put("b", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [3, "a", null],
      [4, "a", 4],
      [5, "b", null],
    ]);
    await write(store, { owner: { owner_id, entries: [put("d", 6)] } });
    deepStrictEqual((await remembered(store, owner_id)).at(-1), [6, "d", 6]);
  }),
  check("entries are written with a session and records, or none of it is", async (store) => {
    const owner_id = await newOwner(store);
    const session_id = await newSession(store, { owner_id });
    const parts = (number: number, version: number) => ({
      owner: { owner_id, depends: { version }, entries: [put("a", number)] },
      session: { session_id, events: [message(`m${number}`)] },
      records: [{ kind: "answer", key: "k", data: { number }, depends: { version: number - 1 }, owner_id }],
    });
    await write(store, parts(1, 0));
    await expectRefusal(store, parts(2, 0), { reason: "stale_version", version: 1 });
    await expectRefusal(store, parts(5, 1), { reason: "stale_record", kind: "answer", key: "k", version: 1 });
    deepStrictEqual(await remembered(store, owner_id), [[1, "a", 1]]);
    await write(store, parts(2, 1));
    deepStrictEqual(await remembered(store, owner_id), [
      [1, "a", 1],
      [2, "a", 2],
    ]);
    deepStrictEqual(
      (await store.list({ of: "records", kind: "answer" })).items.map(({ data }) => data),
      [{ number: 2 }],
    );
    strictEqual((await store.open({ session_id }))?.head, 2);
    strictEqual((await store.open({ session_id }))?.owner_version, 2);
  }),
  check("of many who rest on one version of a memory one writes to it", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const commits = Array.from({ length: 5 }, (_, number) => ({
      ...{ commit_id: ids.next("commit"), at: someTime },
      owner: { owner_id, depends: { version: 0 }, entries: [put("a", number)] },
    }));
    const results = await Promise.all(commits.map((commit) => store.commit(commit)));
    deepStrictEqual(results.map(({ outcome }) => outcome).toSorted(), ["committed", "refused", "refused", "refused", "refused"]);
    strictEqual((await store.entries({ owner_id })).length, 1);
  }),
  check("entries that belong to a session alone go with it", async (store) => {
    const session_id = await newSession(store);
    const owner_id = sessionOwnerId(session_id);
    await write(store, { owner: { owner_id, create: {}, entries: [put("a", 1)] } });
    deepStrictEqual(await remembered(store, owner_id), [[1, "a", 1]]);
    await store.erase({ session_id });
    deepStrictEqual(await remembered(store, owner_id), []);
  }),
];
