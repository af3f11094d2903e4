import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openJournalStore } from "../../examples/journal-store/journal-store.ts";
import type { SessionId, Store } from "../../packages/throughline/src/store.ts";
import {
  append,
  asked,
  event,
  message,
  newOwner,
  newSession,
  offsetsOf,
  queue,
  write,
} from "../../packages/throughline/src/testing/store/fixtures.ts";
import {
  checkStoreAgainstModel,
  checkStoreGrowth,
  storeChecks,
  storeConcurrencyChecks,
  storeCrashChecks,
  storeProcess,
  type MortalStore,
} from "../../packages/throughline/src/testing.ts";
import { newSqliteFile } from "../setup/database.ts";

const newJournal = (): string => newSqliteFile().replace(/\.db$/, ".journal");
const module = new URL("../../examples/journal-store/journal-store.ts", import.meta.url);
const process = (path: string) => (): Promise<MortalStore> => storeProcess({ module, name: "openJournalStore", with: [path] });
const coded = (code: string): unknown => expect.objectContaining({ code });

async function opened(path: string): Promise<Store> {
  const store = await openJournalStore(path);
  onTestFinished(() => store.close());
  return store;
}

describe("the journal store keeps the contract", () => {
  test.each(storeChecks())("$name", ({ run }) => {
    const path = newJournal();
    return run(() => openJournalStore(path));
  });
  test.each([1, 2, 3])("random commands leave it and the model alike, also after it was opened again, seed %i", async (seed) => {
    await checkStoreAgainstModel(async () => reopening(newJournal()), { seed });
  });
});

/** A journal store that is closed and opened before every third call. */
async function reopening(path: string): Promise<Store> {
  let [store, calls] = [await openJournalStore(path), 0];
  let last: Promise<unknown> = Promise.resolve();
  const fresh = <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const next = last.then(async () => {
      if (++calls % 3 === 0) {
        await store.close();
        store = await openJournalStore(path);
      }
      return work(store);
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    ...store,
    open: (selector) => fresh((current) => current.open(selector)),
    load: (request) => fresh((current) => current.load(request)),
    read: (request) => fresh((current) => current.read(request)),
    appends: (request) => fresh((current) => current.appends(request)),
    list: (query) => fresh((current) => current.list(query)),
    entries: (request) => fresh((current) => current.entries(request)),
    commit: (commit) => fresh((current) => current.commit(commit)),
    claim: (request) => fresh((current) => current.claim(request)),
    release: (request) => fresh((current) => current.release(request)),
    erase: (target) => fresh((current) => current.erase(target)),
    close: () => fresh((current) => current.close()),
  };
}

describe("the journal store under concurrency", () => {
  test.each(storeConcurrencyChecks({ stores: 1 }))("$name", ({ run }) => {
    const path = newJournal();
    return run(() => openJournalStore(path));
  });
});

describe("the journal store after a crash", () => {
  test.each(storeCrashChecks({ kills: 2, leaseMs: 800 }))("$name", ({ run }) => run(process(newJournal())));
});

test("what a session costs in the journal does not grow with its length", async () => {
  const path = newJournal();
  const report = await checkStoreGrowth(() => openJournalStore(path), { turns: 400, measure: async () => statSync(path).size });
  expect(report.bytes?.ratio).toBeLessThan(1.05);
});

describe("the file", () => {
  test("is for one process at a time, and the lock of a dead one is taken over", async () => {
    const path = newJournal();
    const store = await opened(path);
    await expect(openJournalStore(path)).rejects.toEqual(coded("store.busy"));
    await expect(process(path)()).rejects.toEqual(coded("store.busy"));
    await store.close();
    const dead = await process(path)();
    await expect(openJournalStore(path)).rejects.toEqual(coded("store.busy"));
    await dead.kill();
    await opened(path);
  });

  test("may end anywhere: every commit that is whole is there, and the next is written behind it", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const session_id = await newSession(store);
    const ends = [statSync(path).size];
    for (const text of ["a", "é", "😀\n"]) {
      await append(store, session_id, { events: [message(text)] });
      ends.push(statSync(path).size);
    }
    await store.close();
    const whole = readFileSync(path);
    for (let size = ends[0]!; size < whole.length; size += 7) {
      writeFileSync(path, whole.subarray(0, size));
      const head = ends.filter((end) => end <= size).length - 1;
      const again = await openJournalStore(path);
      expect((await again.open({ session_id }))?.head).toBe(head);
      expect((await append(again, session_id, { events: [message("next")] })).head).toBe(head + 1);
      await again.close();
      const third = await openJournalStore(path);
      expect(await offsetsOf(third, session_id)).toEqual(Array.from({ length: head + 2 }, (_, offset) => offset));
      await third.close();
    }
  });

  test("is refused when a line in its middle is damaged, and left as it is", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const session_id = await newSession(store);
    for (const text of ["one", "two", "three"]) await append(store, session_id, { events: [message(text)] });
    await store.close();
    const damaged = readFileSync(path, "utf8").replace("two", "tvo");
    writeFileSync(path, damaged);
    await expect(openJournalStore(path)).rejects.toEqual(expect.objectContaining({ code: "store.corrupt", details: { line: 5 } }));
    expect(readFileSync(path, "utf8")).toBe(damaged);
    // It is let go of, too.
    await expect(openJournalStore(path)).rejects.toEqual(coded("store.corrupt"));
  });

  test("is refused when a line does not follow from those before it", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [message("one")] });
    await store.close();
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, [...lines.slice(0, -1), ...lines.slice(-2)].join("\n"));
    await expect(openJournalStore(path)).rejects.toEqual(coded("store.corrupt"));
  });

  const foreign = ["a letter without an end", "a letter\n", '{"journal":2}\n', 'ef583d3f {"journal":1}\n'];
  test.each(foreign)("that holds %j is refused, and left as it is", async (text) => {
    const path = newJournal();
    writeFileSync(path, text);
    await expect(openJournalStore(path)).rejects.toEqual(coded("store.corrupt"));
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("that is empty is begun", async () => {
    const path = newJournal();
    writeFileSync(path, "");
    await newSession(await opened(path));
  });
});

/** Puts words that can be found into every place of a session and its owner. */
async function plant(store: Store, word: string): Promise<SessionId> {
  const owner_id = await newOwner(store, `${word}-customer`);
  await write(store, {
    owner: {
      owner_id,
      name: word,
      metadata: { word },
      variables: [{ name: "v", value: word }],
      entries: [{ entry_id: "e", kind: "fact", data: { word } }],
    },
  });
  const header = { title: word, metadata: { word }, labels: [word], consumers: { [word]: 1 } };
  const session_id = await newSession(store, { owner_id, create: { open_key: word }, header, state: { word } });
  await append(store, session_id, {
    events: [asked(word), event("custom", { word }, { metadata: { word } })],
    queue: queue(),
    idempotency: { key: word, body_hash: word },
  });
  await append(store, session_id, { events: [event("state", { word })], checkpoint: { word }, end_turns: [1] });
  return session_id;
}

describe("what is erased leaves the file", () => {
  const canary = `canary-${randomUUID()}`;

  test("of a session and of an owner, and others stay as they are", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const [doomed, kept] = [await plant(store, canary), await plant(store, "bystander")];
    const { owner_id } = (await store.open({ session_id: doomed }))!;
    const second = await newSession(store, { owner_id, header: { title: canary } });
    await store.erase({ session_id: doomed });
    expect(readFileSync(path, "utf8").split(canary).length).toBeGreaterThan(1);
    await store.erase({ owner_id });
    expect(readFileSync(path, "utf8")).not.toContain(canary);
    const before = [await store.load({ session_id: kept }), await store.read({ session_id: kept }), await store.list({ of: "customers" })];
    await store.close();
    const again = await opened(path);
    expect([await again.load({ session_id: kept }), await again.read({ session_id: kept }), await again.list({ of: "customers" })]).toEqual(before);
    expect([await again.open({ session_id: doomed }), await again.open({ session_id: second })]).toEqual([undefined, undefined]);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["store.journal", "store.journal.lock"]);
    // The same customer may come back.
    await plant(again, canary);
  });

  test("or nothing does, when the process dies while the file is written anew", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const session_id = await plant(store, canary);
    const seen = await store.load({ session_id });
    await store.close();
    writeFileSync(`${path}.new`, "half of a li");
    const again = await opened(path);
    expect(await again.load({ session_id })).toEqual(seen);
    await again.erase({ owner_id: seen!.session.owner_id });
    expect(readFileSync(path, "utf8")).not.toContain(canary);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["store.journal", "store.journal.lock"]);
  });
});

/** The words of a journal's messages that are still in the file. */
const wordsIn = (path: string): readonly string[] => [...new Set(readFileSync(path, "utf8").match(/word-\w+/g))].toSorted();

describe("what nobody can read any more leaves the file, and what a fork shares stays", () => {
  const say = (store: Store, session_id: SessionId, word: string): Promise<unknown> => append(store, session_id, { events: [message(word)] });
  const forkOf = async (store: Store, session_id: SessionId, at: number): Promise<SessionId> => {
    const row = (await store.open({ session_id }))!;
    return newSession(store, { owner_id: row.owner_id, create: { fork: { session_id, at } }, state: {} });
  };

  test("when a session is erased that others were forked from", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const owner_id = await newOwner(store, "crm-7");
    const parent = await newSession(store, { owner_id });
    for (const word of ["word-one", "word-two", "word-three"]) await say(store, parent, word);
    const child = await forkOf(store, parent, 1);
    await say(store, child, "word-child");
    const grandchild = await forkOf(store, child, 3);
    await store.erase({ session_id: parent });
    expect(wordsIn(path)).toEqual(["word-child", "word-one"]);
    const seen = [await store.read({ session_id: child }), await store.load({ session_id: grandchild })];
    await store.close();
    const again = await openJournalStore(path);
    expect([await again.read({ session_id: child }), await again.load({ session_id: grandchild })]).toEqual(seen);
    await again.erase({ session_id: child });
    expect(wordsIn(path)).toEqual(["word-child", "word-one"]);
    await again.erase({ session_id: grandchild });
    expect(wordsIn(path)).toEqual([]);
    await again.close();
    await (await openJournalStore(path)).close();
  });

  test("when a log is cut", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const session_id = await newSession(store, { state: { word: "word-zero" } });
    for (const word of ["word-one", "word-two", "word-three"]) await say(store, session_id, word);
    await append(store, session_id, { cut: { first_offset: 2, state: { word: "word-base" } } });
    expect(wordsIn(path)).toEqual(["word-base", "word-three", "word-two"]);
    await append(store, session_id, { cut: { first_offset: 3, state: { word: "word-later" } } });
    expect(wordsIn(path)).toEqual(["word-later", "word-three"]);
    const seen = [await store.load({ session_id }), await store.read({ session_id, min_offset: 3 })];
    await store.close();
    const again = await opened(path);
    expect([await again.load({ session_id }), await again.read({ session_id, min_offset: 3 })]).toEqual(seen);
  });

  test("when an anonymous session becomes a customer's", async () => {
    const path = newJournal();
    const store = await openJournalStore(path);
    const anonymous = await newOwner(store);
    await write(store, { owner: { owner_id: anonymous, variables: [{ name: "v", value: "word-anonymous" }] } });
    const session_id = await newSession(store, { owner_id: anonymous });
    await say(store, session_id, "word-said");
    const owner_id = await newOwner(store, "crm-7");
    await append(store, session_id, { owner_id });
    expect(wordsIn(path)).toEqual(["word-said"]);
    const seen = await store.load({ session_id });
    await store.close();
    const again = await opened(path);
    expect(await again.load({ session_id })).toEqual(seen);
    await again.erase({ owner_id });
    expect(wordsIn(path)).toEqual([]);
  });
});

test("a lease goes by the time of its claim, not by that of the opening", async () => {
  const path = newJournal();
  let now = 1_000_000;
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} };
  const store = await openJournalStore(path, { clock });
  const session_id = await newSession(store);
  await append(store, session_id, { events: [asked("a")], queue: queue() });
  expect((await store.claim({ kind: "next", worker: "w", lease_ms: 1000 }))?.epoch).toBe(1);
  await store.close();
  now += 999;
  const again = await openJournalStore(path, { clock });
  expect(await again.claim({ kind: "next", worker: "w", lease_ms: 1000 })).toBeUndefined();
  now += 1;
  expect((await again.claim({ kind: "next", worker: "w", lease_ms: 1000 }))?.epoch).toBe(2);
  await again.close();
});

test("once the file could not be written, nothing is shown that it may not have", async () => {
  const path = newJournal();
  const store = await opened(path);
  const session_id = await newSession(store);
  rmSync(dirname(path), { recursive: true });
  await expect(store.erase({ session_id })).rejects.toEqual(coded("store.failed"));
  await expect(store.open({ session_id })).rejects.toEqual(coded("store.failed"));
  await expect(store.watch(session_id, 0, new AbortController().signal)).rejects.toEqual(coded("store.failed"));
});
