import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inForce, type Fact, type Kept } from "../../../packages/throughline/src/memory/entry.ts";
import { conflictsIn } from "../../../packages/throughline/src/memory/write/fact-index.ts";
import { factEntryId } from "../../../packages/throughline/src/memory/write/key.ts";
import { FactBook } from "../../../packages/throughline/src/memory/write/reconcile.ts";
import { defaultVocabulary as vocabulary } from "../../../packages/throughline/src/memory/write/fact-vocabulary.ts";
import { fact, source } from "./entries.ts";

const now = 99_000;
const kept = (entry: Fact): Kept<Fact> => ({ entry_id: factEntryId(entry), version: 1, entry });
const bookOf = (...known: readonly Fact[]): FactBook => new FactBook(known.map(kept), { now, vocabulary });
const lives = (id: string, offset: number, more: Partial<Fact> = {}): Fact =>
  fact({ object: { type: "Place", id }, sources: [source(offset)], ...more });
const likes = (id: string, offset: number): Fact => fact({ predicate: "LIKES", object: { type: "Thing", id }, sources: [source(offset)] });
const inForceOf = (book: FactBook): readonly string[] =>
  book.facts
    .filter(({ entry }) => inForce(entry))
    .map(({ entry }) => entry.object.id)
    .toSorted();

describe("a fact that meets what is known", () => {
  it.each<readonly [string, readonly Fact[], Fact, string, readonly string[]]>([
    ["nothing", [], lives("Lisbon", 1), "written", ["Lisbon"]],
    ["itself", [lives("Lisbon", 1)], lives("Lisbon", 1), "unchanged", ["Lisbon"]],
    ["itself, said again", [lives("Lisbon", 1)], lives("LISBON ", 2), "bumped", ["Lisbon"]],
    ["its twin in nearly the same words", [likes("a b c d e f g", 1)], likes("g f e d c b a", 2), "bumped", ["a b c d e f g"]],
    ["another object of a predicate that has many", [likes("tea", 1)], likes("coffee", 2), "written", ["coffee", "tea"]],
    ["an older value", [lives("Lisbon", 1)], lives("Porto", 2), "written", ["Porto"]],
    ["a newer value", [lives("Porto", 2)], lives("Lisbon", 1), "history", ["Porto"]],
    ["another value of the same message", [lives("Porto", 1)], lives("Lisbon", 1), "written", ["Lisbon", "Porto"]],
    ["another one's value", [lives("Lisbon", 1)], lives("Porto", 2, { subject: { type: "Person", id: "Ana" } }), "written", ["Lisbon", "Porto"]],
    ["the person's own newer word", [lives("Lisbon", 5, { authority: "person" })], lives("Porto", 2), "outranked", ["Lisbon"]],
    ["the person's own older word", [lives("Lisbon", 1, { authority: "person" })], lives("Porto", 5), "written", ["Lisbon", "Porto"]],
    [
      "a value that holds no longer",
      [lives("Lisbon", 1, { retracted_at: 4, superseded_by: "fact:x" }), lives("Porto", 2)],
      lives("Lisbon", 5),
      "written",
      ["Lisbon"],
    ],
    ["what the person withdrew", [lives("Lisbon", 1, { retracted_at: 4 })], lives("Lisbon", 5), "outranked", []],
    [
      "what the person corrected",
      [lives("Lisbon", 1, { retracted_at: 4, superseded_by: factEntryId(lives("Porto", 4)) }), lives("Porto", 4, { authority: "person" })],
      lives("Lisbon", 9),
      "outranked",
      ["Porto"],
    ],
  ])("meets %s", (_, known, said, outcome, active) => {
    const book = bookOf(...known);
    expect(book.take(said).outcome).toBe(outcome);
    expect(inForceOf(book)).toEqual(active);
  });

  it("adds a source and grows surer when it is said again, and is one row", () => {
    const book = bookOf(lives("Lisbon", 1));
    book.take(lives("lisbon", 7));
    expect(book.changed).toMatchObject([
      [factEntryId(lives("Lisbon", 1)), { confidence: "high", sources: [{ offset: 1 }, { offset: 7 }], quote: "I live in Lisbon" }],
    ]);
  });

  it("looks at all facts of a predicate, however many there are", () => {
    const many = Array.from({ length: 500 }, (_, index) => likes(`thing number ${index}`, index));
    const book = bookOf(...many);
    expect(book.take(likes("Thing, number 3!", 900)).outcome).toBe("bumped");
    expect(book.changed).toHaveLength(1);
  });

  it("stays within the number of sources that are kept", () => {
    const book = bookOf(lives("Lisbon", 1));
    for (let offset = 2; offset < 90; offset++) book.take(lives("Lisbon", offset));
    const sources = book.facts[0]?.entry.sources ?? [];
    expect([sources.length, sources[0]?.offset, sources.at(-1)?.offset]).toEqual([50, 1, 89]);
  });

  const anyFact = fc
    .tuple(
      fc.constantFrom("Lisbon", "Porto", "Rome"),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("LIVES_IN", "LIKES"),
      fc.constantFrom("extraction", "person"),
    )
    .map(([id, offset, predicate, authority]) => lives(id, offset, { predicate, authority: authority as Fact["authority"] }));

  it("is written once however often it is taken, deletes nothing, and leaves the person's word in force against extraction", () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 8 }), (facts) => {
        const book = bookOf();
        for (const said of facts) book.take(said);
        const after = JSON.stringify(book.facts);
        const again = new FactBook(book.facts, { now, vocabulary });
        for (const { entry } of book.facts) if (inForce(entry)) again.take(entry);
        expect(JSON.stringify(again.facts)).toBe(after);
        const persons = book.facts.filter(({ entry }) => entry.authority === "person" && !inForce(entry));
        for (const { entry } of persons) expect(book.facts.find(({ entry_id }) => entry_id === entry.superseded_by)?.entry.authority).toBe("person");
      }),
      { numRuns: 200 },
    );
  });
});

describe("facts that contradict each other", () => {
  it.each<readonly [string, readonly Fact[], string | undefined]>([
    ["two values of a predicate that has one", [lives("Lisbon", 1, { authority: "person" }), lives("Porto", 5)], "one value"],
    ["a thing that is liked and disliked", [likes("tea", 1), { ...likes("the tea", 2), predicate: "DISLIKES" }], "opposite"],
    ["two things that are liked", [likes("tea", 1), likes("coffee", 2)], undefined],
    ["values of two people", [lives("Lisbon", 1), lives("Porto", 5, { subject: { type: "Person", id: "Ana" } })], undefined],
    ["a value and one that holds no longer", [lives("Lisbon", 1, { retracted_at: 3 }), lives("Porto", 5)], undefined],
  ])("are listed: %s", (_, facts, type) => {
    const found = conflictsIn(facts.map(kept), vocabulary);
    expect(found).toEqual(type === undefined ? [] : [{ type, entries: facts.map(factEntryId) }]);
  });
});
