/** An anonymous session's memory becomes one with that of the customer who the person turns out to be. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import {
  arcEntryId,
  type Bar,
  type Fact,
  mostRules,
  type Profile,
  profileId,
  type Rule,
  turnEntryId,
  type Entry,
} from "../../../packages/throughline/src/memory/entry.ts";
import { barCheck, barsOf } from "../../../packages/throughline/src/memory/write/bar.ts";
import { carriedEntries } from "../../../packages/throughline/src/memory/write/carry.ts";
import { decodeEntries, encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { factEntryId } from "../../../packages/throughline/src/memory/write/key.ts";
import type { EntryRow } from "../../../packages/throughline/src/store/port.ts";
import { arc, fact, sessionId, source, turn } from "./entries.ts";

const now = 9_000;
const [anonymous, customer] = ["own:anonymous", "own:customer"];

type Write = { readonly entry_id: string; readonly kind: string; readonly data: unknown };

/** Rows as the store gives them. */
const rowsOf = (writes: readonly Write[]): readonly EntryRow[] =>
  writes.map((write, index) => ({ ...write, data: write.data as JsonObject | null, version: index + 1, created_at: 1 }));

const factWrite = (more: Partial<Fact>): Write => encodeEntry(factEntryId(fact(more)), fact(more));
const rule = (id: string, more: Partial<Rule> = {}): Rule => ({
  ...{ id, text: `rule ${id}`, evidence: [], sources: [], confidence: "high", authority: "person", added_at: 1 },
  ...more,
});
const profile = (rules: readonly Rule[], more: Partial<Profile> = {}): Write =>
  encodeEntry(profileId, { type: "profile", recall_enabled: true, rules, archived: [], ...more });

/** What the customer remembers after `own` was carried over. */
function carried(own: readonly Write[], customers: readonly Write[] = []): ReadonlyMap<string, Entry> {
  const writes = carriedEntries({ owner_id: anonymous, rows: rowsOf(own) }, { owner_id: customer, rows: rowsOf(customers) }, { now });
  return new Map(decodeEntries(rowsOf([...customers, ...writes])).entries.map(({ entry_id, entry }) => [entry_id, entry]));
}

const profileAfter = (own: readonly Write[], customers: readonly Write[] = []): Profile => {
  const found = carried(own, customers).get(profileId);
  if (found?.type !== "profile") throw new Error("There is no profile.");
  return found;
};

const livesIn = (place: string, more: Partial<Fact> = {}): Partial<Fact> => ({
  object: { type: "Place", id: place },
  quote: `I live in ${place}`,
  ...more,
});
const likes = (what: string, more: Partial<Fact> = {}): Partial<Fact> => ({
  ...{ category: "preference", predicate: "LIKES", object: { type: "Thing", id: what }, quote: `I like ${what}` },
  ...more,
});

describe("facts", () => {
  it("of the same are one, with the sources of both", () => {
    const [mine, theirs] = [factWrite(likes("tea", { sources: [source(5)] })), factWrite(likes("tea", { sources: [source(1)], pinned: true }))];
    expect(carried([mine], [theirs]).get(mine.entry_id)).toMatchObject({ sources: [source(1), source(5)], pinned: true });
  });

  it("of a predicate that has one value: what was said last holds, and the other is history", () => {
    const [mine, theirs] = [factWrite(livesIn("Porto", { sources: [source(5)] })), factWrite(livesIn("Lisbon", { sources: [source(1)] }))];
    const after = carried([mine], [theirs]);
    expect(after.get(mine.entry_id)).not.toHaveProperty("superseded_by");
    expect(after.get(theirs.entry_id)).toMatchObject({ superseded_by: mine.entry_id, retracted_at: now });
    const turned = carried([theirs], [mine]);
    expect(turned.get(mine.entry_id)).not.toHaveProperty("superseded_by");
    expect(turned.get(theirs.entry_id)).toMatchObject({ superseded_by: mine.entry_id });
  });

  it("that the customer has withdrawn or had forgotten do not come back", () => {
    const withdrawn = factWrite(likes("tea", { retracted_at: 5, superseded_by: "person" }));
    const bars = barsOf(fact(likes("gin")), { owner_id: customer, salt: "salt", now: 5 });
    const after = carried(
      [factWrite(likes("tea", { sources: [source(7)] })), factWrite(likes("gin")), encodeEntry("turn:1", turn("I like gin"))],
      [withdrawn, ...bars],
    );
    expect(after.get(withdrawn.entry_id)).toMatchObject({ retracted_at: 5 });
    expect([...after.values()].map(({ type }) => type)).toEqual(["fact", ...bars.map(() => "bar")]);
  });

  it("that are history stay history, and do not touch what the customer has of them", () => {
    const past = { retracted_at: 3, superseded_by: "fact:other" };
    expect(carried([factWrite(likes("tea", past))]).get(factEntryId(fact(likes("tea"))))).toMatchObject(past);
    const after = carried([factWrite(likes("tea", past))], [factWrite(likes("tea"))]);
    expect(after.get(factEntryId(fact(likes("tea"))))).not.toHaveProperty("retracted_at");
  });

  it("take their vectors with them, unless the customer has the text already", () => {
    const vector = (of: Write): Write =>
      encodeEntry(`vec:${of.entry_id}`, { type: "vector", of: of.entry_id, provider: "p", dimensions: 1, digest: "d", data: "AAAAAA==" });
    const [tea, gin] = [factWrite(likes("tea")), factWrite(likes("gin"))];
    const writes = carriedEntries(
      { owner_id: anonymous, rows: rowsOf([tea, vector(tea), gin, vector(gin)]) },
      { owner_id: customer, rows: rowsOf([factWrite(likes("tea", { sources: [source(9)] }))]) },
      { now },
    );
    expect(writes.map(({ entry_id }) => entry_id)).toEqual([tea.entry_id, gin.entry_id, `vec:${gin.entry_id}`]);
  });
});

describe("the profile", () => {
  it.each([
    ["on in both", true, true, true],
    ["off in the session", false, true, false],
    ["off at the customer's", true, false, false],
    ["on in the only one", true, undefined, true],
    ["off in the only one", false, undefined, false],
  ])("recall is %s", (_, own, theirs, expected) => {
    const customers = theirs === undefined ? [] : [profile([], { recall_enabled: theirs })];
    expect(profileAfter([profile([], { recall_enabled: own })], customers).recall_enabled).toBe(expected);
  });

  it("rules that say the same are one, and the customer's is kept", () => {
    const after = profileAfter([profile([rule("a", { text: "Be brief." }), rule("b")])], [profile([rule("c", { text: "be  brief", pinned: true })])]);
    expect(after.rules.map(({ id }) => id)).toEqual(["c", "b"]);
  });

  it("what the person took out of force comes back by the person's word alone", () => {
    const gone = [{ ...rule("x", { text: "Be brief." }), archived_at: 3, superseded_by: "person" }];
    const rules = (authority: Rule["authority"]): readonly Rule[] =>
      profileAfter([profile([rule("a", { text: "be brief", authority })])], [profile([], { archived: gone })]).rules;
    expect([rules("extraction"), rules("person").map(({ id }) => id)]).toEqual([[], ["a"]]);
  });

  it("has 20 rules at most: pinned ones, and then the newest; the others are in the archive", () => {
    const some = (from: number, pinned: boolean): readonly Rule[] =>
      Array.from({ length: 15 }, (_, index) => rule(`r${from + index}`, { added_at: from + index, ...(pinned ? { pinned } : {}) }));
    const { rules, archived } = profileAfter([profile(some(100, false))], [profile(some(0, true))]);
    expect(rules).toHaveLength(mostRules);
    expect(rules.filter(({ pinned }) => pinned === true)).toHaveLength(15);
    expect(rules.at(-1)?.id).toBe("r114");
    expect(archived).toHaveLength(10);
    expect(archived.every(({ archived_at, superseded_by }) => archived_at === now && superseded_by === "eviction")).toBe(true);
  });
});

describe("all else", () => {
  it("moves as it is, also what is no entry, but what was removed", () => {
    const own = [
      encodeEntry(turnEntryId(sessionId, 1), turn("hello")),
      encodeEntry(arcEntryId(sessionId, 1), arc()),
      encodeEntry(`mask:${sessionId}`, { type: "mask", session_id: sessionId, offsets: [4], recorded_at: 1 }),
      encodeEntry(`buffer:${sessionId}:1`, { type: "buffer", session_id: sessionId, episode: 1, held: [], approach_counts: {} }),
      encodeEntry(`pending:${sessionId}`, { type: "pending", action: null }),
      { entry_id: "odd", kind: "odd", data: { n: 1 } },
      { entry_id: "gone", kind: "turn", data: null },
    ];
    expect(carriedEntries({ owner_id: anonymous, rows: rowsOf(own) }, { owner_id: customer, rows: [] }, { now })).toEqual(own.slice(0, -1));
  });

  it("bars go on barring, however often they move", () => {
    const first = barsOf({ text: "I like gin and tonic" }, { owner_id: anonymous, salt: "salt", now: 5 });
    const once = carriedEntries({ owner_id: anonymous, rows: rowsOf(first) }, { owner_id: "own:second", rows: [] }, { now });
    const twice = carriedEntries({ owner_id: "own:second", rows: rowsOf(once) }, { owner_id: customer, rows: [] }, { now });
    const bars = decodeEntries(rowsOf(twice)).entries.flatMap(({ entry }): readonly Bar[] => (entry.type === "bar" ? [entry] : []));
    const isBarred = barCheck([...bars, ...barsOfText("another text of mine")], customer);
    expect(["I like gin and tonic", "another text of mine", "I like tea"].map((text) => isBarred({ text }))).toEqual([true, true, false]);
  });
});

const barsOfText = (text: string): readonly Bar[] =>
  decodeEntries(rowsOf(barsOf({ text }, { owner_id: customer, salt: "salt", now: 6 }))).entries.flatMap(({ entry }) =>
    entry.type === "bar" ? [entry] : [],
  );

it("carrying the same over a second time changes nothing", () => {
  const things = fc.uniqueArray(fc.constantFrom("tea", "gin", "cats", "rain", "snow"), { maxLength: 5 });
  const places = fc.uniqueArray(fc.constantFrom("Lisbon", "Porto", "Faro"), { maxLength: 1 });
  const memory = fc
    .record({ things, places, at: fc.integer({ min: 1, max: 9 }), rules: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }) })
    .map(({ things: liked, places: lived, at, rules }) => [
      ...liked.map((what) => factWrite(likes(what, { sources: [source(at)] }))),
      ...lived.map((place) => factWrite(livesIn(place, { sources: [source(at)] }))),
      ...(rules.length === 0 ? [] : [profile(rules.map((id) => rule(id, { added_at: at })))]),
    ]);
  fc.assert(
    fc.property(memory, memory, (own, theirs) => {
      const once = carried(own, theirs);
      const again = carried(
        own,
        [...once].map(([entry_id, entry]) => encodeEntry(entry_id, entry)),
      );
      expect(again).toEqual(once);
      const inForce = [...once.values()].filter((entry) => entry.type === "fact" && entry.superseded_by === undefined);
      expect(inForce.length).toBeGreaterThanOrEqual(Math.max(...[own, theirs].map((rows) => rows.filter(({ kind }) => kind === "fact").length)));
    }),
    { numRuns: 100 },
  );
});
