/** What a process knows of a memory is what the database has, whatever it has read, and in what order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OwnerId } from "../../../packages/throughline/src/kernel/id.ts";
import { systemClock } from "../../../packages/throughline/src/kernel/clock.ts";
import { openStore, type Store } from "../../../packages/throughline/src/index.ts";
import { memory } from "../../../packages/throughline/src/memory.ts";
import { arcEntryId, profileId, turnEntryId, vectorEntryId, type Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { createVectorIndex, vectorData } from "../../../packages/throughline/src/memory/recall/dense.ts";
import { createMemoryIndex } from "../../../packages/throughline/src/memory/recall/memory-index.ts";
import { MemoryView } from "../../../packages/throughline/src/memory/view.ts";
import { encodeEntry, removeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { MemoryCache } from "../../../packages/throughline/src/memory/keep/memory-cache.ts";
import type { EntryRow } from "../../../packages/throughline/src/store/port.ts";
import { fixedIds } from "../../../packages/throughline/src/testing/test-clock.ts";
import { arc, fact, sessionId, source, turn } from "../../memory/write/entries.ts";
import { remembering } from "./harness.ts";
import { emptyStore, started } from "../harness.ts";

const words = ["cello", "garden", "harbour", "exam"];
const provider = { id: "test@2", dimensions: 2 };
const settings = memory({ embedding: { ...provider, maxBatch: 10, embed: async () => [] } });

const place = fc.integer({ min: 1, max: 3 });
const standing = fc.constantFrom({}, {}, { retracted_at: 5 }, { never_recall: true as const }, { superseded_by: "fact:1", retracted_at: 5 });
const text = fc.constantFrom(...words).map((word) => `my ${word} is well`);
const removal = (kind: string, id: string): readonly [string, null, string] => [id, null, kind];

/** A write, as whoever writes makes it; of few ids, so that they meet. */
const write: fc.Arbitrary<readonly [string, Entry | null, string?]> = fc.oneof(
  fc
    .tuple(place, text, standing, place)
    .map(([id, quote, more, at]) => [`fact:${id}`, fact({ quote, object: { type: "Concern", id: quote }, sources: [source(at)], ...more })] as const),
  fc.tuple(place, text, standing).map(([at, said, more]) => [turnEntryId(sessionId, at), turn(said, { source: source(at), ...more })] as const),
  fc
    .tuple(place, text, standing)
    .map(([id, said, more]) => [arcEntryId(sessionId, id), arc({ episode: id, summary: `They said ${said}.`, goal: said, ...more })] as const),
  fc.tuple(place, place).map(([id, x]) => {
    const data = vectorData(new Float32Array([1 / Math.hypot(1, x), x / Math.hypot(1, x)]));
    return [vectorEntryId(`fact:${id}`), { type: "vector", of: `fact:${id}`, provider: provider.id, dimensions: 2, data, digest: "d" }] as const;
  }),
  fc.boolean().map((recall_enabled) => [profileId, { type: "profile", recall_enabled, rules: [], archived: [] }] as const),
  place.map((id) => removal("fact", `fact:${id}`)),
  place.map((at) => removal("turn", turnEntryId(sessionId, at))),
  place.map((id) => removal("arc", arcEntryId(sessionId, id))),
  place.map((id) => removal("vector", vectorEntryId(`fact:${id}`))),
);

/** All that a view tells, in an order of its own. */
function toldBy(view: MemoryView) {
  const rank = { text: `How is my ${words.join(" and my ")}?`, now: 10, limit: 50 };
  const byId = (left: { readonly entry_id: string }, right: { readonly entry_id: string }): number => (left.entry_id < right.entry_id ? -1 : 1);
  const hidden = view.hiddenWords(sessionId, { from: 0, upto: 9 });
  return {
    entries: [...view.entries()].toSorted(byId),
    sizes: { ...view.sizes },
    profile: [view.profile, view.profileVersion],
    session: view.latest,
    hidden: Object.values(hidden).map((list: readonly string[]) => list.toSorted()),
    facts: [1, 2, 3].map((at) =>
      view
        .factsOf(turnEntryId(sessionId, at))
        .map(({ entry_id }) => entry_id)
        .toSorted(),
    ),
    episodes: [0, 1].map((episode) => view.hasEpisode(sessionId, episode)),
    ranked: view.index.rank(rank),
    groups: view.index.rankGroups(rank),
    near: view.vectors?.rank(new Float32Array([0, 1]), { limit: 9, among: (id) => view.index.has(id) }),
  };
}

const freshView = (): MemoryView => new MemoryView({ index: createMemoryIndex(), vectors: createVectorIndex(provider) });

async function owned(): Promise<{ readonly store: Store; readonly owner: OwnerId; readonly other: OwnerId; readonly commit: Commit }> {
  const store = await openStore(":memory:");
  const ids = fixedIds();
  const [owner, other] = [ids.next("owner"), ids.next("owner")];
  for (const [index, owner_id] of [owner, other].entries())
    await store.commit({ commit_id: `create-${index}`, at: 1, owner: { owner_id, create: { customer_id: `c${index}` } } });
  let commits = 0;
  const commit: Commit = async (owner_id, writes) => {
    const entries = writes.map(([id, entry, kind]) => (entry === null ? removeEntry(id, kind as "fact") : encodeEntry(id, entry)));
    await store.commit({ commit_id: `w-${commits++}`, at: 1, owner: { owner_id, entries } });
  };
  return { store, owner, other, commit };
}
type Commit = (owner: OwnerId, writes: readonly (readonly [string, Entry | null, string?])[]) => Promise<void>;

const cacheOf = (store: Store, mostBytes = 1e9): MemoryCache =>
  new MemoryCache({ store, clock: systemClock, logger: { debug() {}, info() {}, warn() {}, error() {} } }, { mostBytes });

describe("what a process knows of a memory", () => {
  it("is the same in whatever order the rows came, and however often", () => {
    const order = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 15 }), order, (writes, keys) => {
        const rows = writes.map(([entry_id, entry, kind = ""], index): EntryRow => {
          const { data, kind: encoded } = entry === null ? { data: null, kind } : encodeEntry(entry_id, entry);
          return { version: index + 1, entry_id, kind: encoded, data, created_at: 0 };
        });
        // What was removed has no earlier row any more for who reads it now; who has read it earlier has.
        const [inOrder, shuffled] = [freshView(), freshView()];
        for (const row of rows) inOrder.apply(row);
        const mixed = [...rows, ...rows].map((row, index) => [keys[index] ?? 0, row] as const).toSorted(([left], [right]) => left - right);
        for (const [, row] of mixed) {
          shuffled.apply(row);
          // What was made of an earlier state must not stay.
          toldBy(shuffled);
        }
        expect(toldBy(shuffled)).toEqual(toldBy(inOrder));
      }),
      { numRuns: 150 },
    );
  });

  it("is what the database has, whenever it was read before; and nothing of anybody else", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 4 }), mine: fc.boolean(), reads: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        async (steps) => {
          const { store, owner, other, commit } = await owned();
          const old = cacheOf(store);
          for (const { writes, mine, reads } of steps) {
            await commit(mine ? owner : other, writes);
            if (reads) await old.of(mine ? owner : other, settings);
          }
          for (const whose of [owner, other]) {
            const [known, fresh] = [await old.of(whose, settings), await cacheOf(store).of(whose, settings)];
            expect(toldBy(known.view)).toEqual(toldBy(fresh.view));
          }
          const [mine, theirs] = [await old.of(owner, settings), await old.of(other, settings)];
          expect(mine.view).not.toBe(theirs.view);
          expect(mine.queries).not.toBe(theirs.queries);
          await store.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is whole after a long memory was read newest first, while it was written to", async () => {
    const { store, owner, commit } = await owned();
    const fill = Array.from({ length: 2_600 }, (_, index) => [`turn:old:${index}`, turn(`note ${index}`, { source: source(index) })] as const);
    await commit(owner, [["fact:1", fact({ quote: "my cello is well" })], ["fact:2", fact({})], ...fill]);
    const cache = cacheOf(store);
    const first = await cache.of(owner, settings);
    expect(first.completing).toBeDefined();
    await commit(owner, [
      ["fact:1", fact({ quote: "my garden is well" })],
      ["fact:2", null, "fact"],
    ]);
    const second = await cache.of(owner, settings);
    expect(second.view).toBe(first.view);
    await first.completing;
    expect(second.view.get("fact:1")?.entry).toMatchObject({ quote: "my garden is well" });
    expect(second.view.get("fact:2")).toBeUndefined();
    const fresh = await cacheOf(store).of(owner, settings);
    await fresh.completing;
    expect(toldBy(second.view)).toEqual(toldBy(fresh.view));
    await store.close();
  });

  it("keeps to its bytes: what was not used for the longest time goes, and what is in use stays", async () => {
    const { store, owner, other, commit } = await owned();
    const some = Array.from({ length: 20 }, (_, index) => [`turn:x:${index}`, turn(`note ${index} about bread`, { source: source(index) })] as const);
    for (const whose of [owner, other]) await commit(whose, some);
    const alone = cacheOf(store);
    await alone.of(owner, settings);
    const cache = cacheOf(store, alone.bytes * 1.5);
    const first = await cache.of(owner, settings);
    const second = await cache.of(other, settings);
    expect(cache.bytes).toBeLessThanOrEqual(alone.bytes * 1.5);
    expect((await cache.of(other, settings)).view).toBe(second.view);
    const again = await cache.of(owner, settings);
    expect(again.view).not.toBe(first.view);
    expect(toldBy(again.view)).toEqual(toldBy(first.view));
    const tiny = cacheOf(store, 1);
    const only = await tiny.of(owner, settings);
    expect((await tiny.of(owner, settings)).view).toBe(only.view);
    await store.close();
  });

  it("is forgotten when it is dropped, also while it is being read", async () => {
    const { store, owner, commit } = await owned();
    const many = Array.from({ length: 2_300 }, (_, index) => [`turn:x:${index}`, turn("note", { source: source(index) })] as const);
    await commit(owner, many);
    const cache = cacheOf(store);
    const { view, completing } = await cache.of(owner, settings);
    cache.drop(owner);
    expect(cache.bytes).toBe(0);
    await completing;
    expect(view.sizes.turn).toBeLessThan(2_300);
    const next = await cache.of(owner, settings);
    expect(next.view).not.toBe(view);
    await next.completing;
    expect(next.view.sizes.turn).toBe(2_300);
    await store.close();
  });

  it("has in the next turn what another process has written", async () => {
    const store = await emptyStore("sqlite");
    const { agent, requests } = remembering();
    const here = await started({ agents: [agent], store });
    const session = await here.sessions.open({ agent: "friend", customer: "ada" });
    await session.send("Hello there, how are you?");
    const elsewhere = await started({ agents: [remembering().agent], store, work: false });
    const { entry_id } = await elsewhere.customers
      .memory("ada")
      .remember({ quote: "My sister plays the cello", object: "cello", predicate: "LIKES" });
    await session.send("Which instrument does my sister play?");
    expect(JSON.stringify(requests.at(-1))).toContain("plays the cello");
    await elsewhere.customers.memory("ada").forget([entry_id]);
    await session.send("And which instrument does my sister play?");
    expect(JSON.stringify(requests.at(-1)?.sections)).not.toContain("plays the cello");
  });
});
