import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryIndex } from "../../packages/throughline/src/memory/recall/memory-index.ts";
import type { MemoryIndex, MemoryUnit, RankRequest } from "../../packages/throughline/src/memory/recall/unit.ts";
import { defaultWeights } from "../../packages/throughline/src/memory/recall/weights.ts";

const now = Date.UTC(2026, 4, 20);
const day = 86_400_000;

const turn = (id: string, text: string, more: Partial<MemoryUnit> = {}): MemoryUnit => ({
  ...{ id, kind: "turn", group: "s1:1", seq: Number(/\d+$/u.exec(id)?.[0] ?? 0), at: now - day, text },
  ...more,
});

const indexOf = (...units: readonly MemoryUnit[]): MemoryIndex => {
  const index = createMemoryIndex();
  for (const unit of units) index.add(unit);
  return index;
};

const ids = (index: MemoryIndex, text: string, more: Partial<RankRequest> = {}): readonly string[] =>
  index.rank({ text, now, ...more }).hits.map(({ id }) => id);

const vocabulary = [
  "river",
  "guitar",
  "sister",
  "night",
  "shift",
  "garden",
  "Lisbon",
  "marathon",
  "soup",
  "the",
  "what?",
  "yesterday",
  "狗",
  "straße",
];
const texts = fc.array(fc.constantFrom(...vocabulary), { maxLength: 8 }).map((words) => words.join(" "));
const units: fc.Arbitrary<MemoryUnit> = fc
  .record({
    number: fc.integer({ min: 0, max: 30 }),
    kind: fc.constantFrom("turn" as const, "turn" as const, "fact" as const, "arc" as const),
    group: fc.constantFrom("a", "b", "c"),
    seq: fc.integer({ min: 0, max: 6 }),
    at: fc.integer({ min: 0, max: 3 }),
    subject: fc.constantFrom("Ana Ruiz", "Ben", ""),
    role: fc.constantFrom("assistant" as const, undefined),
    text: texts,
    source: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ number, subject, role, source, at, ...rest }) => ({
    ...{ ...rest, id: `u${number}`, at: at * day },
    ...(subject === "" ? {} : { subject }),
    ...(role === undefined ? {} : { role }),
    ...(rest.kind === "fact" ? { sources: [`u${source}`] } : {}),
  }));

/** What an index says to some questions, to the last bit. */
const answers = (index: MemoryIndex): unknown =>
  ["river guitar", "what about Ana's sister?", "yesterday night shift", "狗 straße", "Ben"].map((text) => [
    index.rank({ text, now: 2 * day }),
    index.rankGroups({ text, now: 2 * day }),
  ]);

describe("an index is what it holds", () => {
  test("the same units rank the same in whatever order they came", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(units, { selector: ({ id }) => id, maxLength: 20 }),
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
        (some, keys) => {
          const shuffled = some.map((unit, place) => ({ unit, key: keys[place] ?? 0 })).toSorted((a, b) => a.key - b.key);
          expect(answers(indexOf(...shuffled.map(({ unit }) => unit)))).toEqual(answers(indexOf(...some)));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("units that were added, replaced and removed leave what a fresh index of the rest would be", () => {
    const step = fc.oneof(
      units.map((unit) => ({ unit, remove: "" })),
      fc.integer({ min: 0, max: 30 }).map((number) => ({ unit: undefined, remove: `u${number}` })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = createMemoryIndex();
        const held = new Map<string, MemoryUnit>();
        for (const { unit, remove } of steps) {
          if (unit) {
            index.add(unit);
            held.set(unit.id, unit);
          } else expect(index.remove(remove)).toBe(held.delete(remove));
          index.rank({ text: "river night", now });
        }
        expect(index.size).toBe(held.size);
        expect(answers(index)).toEqual(answers(indexOf(...held.values())));
      }),
      { numRuns: 60 },
    );
  });

  test("emptied, it takes the memory of an empty one but for its room, and finds nothing", () => {
    const index = indexOf(turn("t1", "a river"), turn("t2", "a garden", { group: "other", subject: "Ana" }));
    const full = index.bytes;
    index.remove("t1");
    index.remove("t2");
    expect(index.bytes).toBeLessThan(full);
    expect(index.bytes).toBe(createMemoryIndex().bytes);
    expect(index.rank({ text: "river garden Ana", now })).toMatchObject({ hits: [], top: 0, anchored: false, candidates: 0 });
  });

  test("what one index holds no other finds", () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: 12 }), fc.array(units, { maxLength: 12 }), (mine, theirs) => {
        const [index, other] = [createMemoryIndex(), createMemoryIndex()];
        for (const [place, unit] of mine.entries()) index.add({ ...unit, id: `mine${place}` });
        const before = answers(index);
        for (const [place, unit] of theirs.entries()) other.add({ ...unit, id: `theirs${place}` });
        answers(other);
        expect(answers(index)).toEqual(before);
        expect(ids(other, vocabulary.join(" ")).every((id) => id.startsWith("theirs"))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe("what is found", () => {
  test("a turn is found by the words of the turns around it", () => {
    const index = indexOf(turn("t1", "Did you finish the marathon?"), turn("t2", "Yes, in four hours!"), turn("t9", "Soup again", { group: "s2:1" }));
    expect(ids(index, "marathon")).toEqual(["t1", "t2"]);
  });

  test("a unit put between two others becomes the neighbour of both, and stops being it when it goes", () => {
    const words = (index: MemoryIndex): number => index.rank({ text: "guitar", now }).hits.find(({ id }) => id === "t3")?.parts["words"] ?? 0;
    const index = indexOf(turn("t1", "my guitar"), turn("t3", "so loud"));
    const near = words(index);
    index.add(turn("t2", "hm"));
    const far = words(index);
    index.remove("t2");
    expect(far).toBeLessThan(near);
    expect(words(index)).toBeCloseTo(near, 12);
  });

  test("other groups are no neighbours", () => {
    expect(ids(indexOf(turn("t1", "my guitar"), turn("t2", "so loud", { group: "s2:1" })), "guitar")).toEqual(["t1"]);
  });

  test("of equals the newer comes first, then the one with the smaller id", () => {
    const index = indexOf(turn("b", "river", { group: "1" }), turn("a", "river", { group: "2" }), turn("c", "river", { group: "3", at: now }));
    expect(ids(index, "river")).toEqual(["c", "a", "b"]);
  });

  test("a limit cuts the list and changes no score", () => {
    const index = indexOf(
      ...Array.from({ length: 30 }, (_, place) => turn(`t${place}`, `river ${"garden ".repeat(place % 4)}`, { group: `g${place}` })),
    );
    const all = index.rank({ text: "river garden", now, limit: 30 }).hits;
    expect(index.rank({ text: "river garden", now, limit: 7 }).hits).toEqual(all.slice(0, 7));
    expect(index.rank({ text: "river garden", now, limit: 0 }).hits).toEqual([]);
  });

  test("the parts of a score are the score", () => {
    fc.assert(
      fc.property(fc.array(units, { maxLength: 25 }), texts, (some, text) => {
        for (const { score, parts } of indexOf(...some).rank({ text: `${text} Ana`, now: 2 * day }).hits) {
          expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 9);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("what an assistant said is found, behind what the person said", () => {
    const index = indexOf(
      turn("t1", "try a walk by the river", { role: "assistant", group: "1" }),
      turn("t2", "try a walk by the river", { group: "2" }),
    );
    expect(ids(index, "river walk")).toEqual(["t2", "t1"]);
  });
});

describe("subjects", () => {
  const said = (id: string, subject: string, text: string): MemoryUnit => turn(id, text, { subject, group: id });
  const index = indexOf(said("t1", "Ana Ruiz", "I planted a garden"), said("t2", "Ben", "I planted a garden"), said("t3", "Ben", "soup"));

  test.each([
    ["her name", "Ana Ruiz planted a garden"],
    ["her first name", "what did ana plant in the garden?"],
    ["her first name, owning", "Ana\u2019s garden"],
    ["another name that was said to mean her", "what did Nita plant in the garden?"],
  ])("whom a question names by %s comes first", (_, text) => {
    const { hits, anchored } = index.rank({ text, now, aliases: { nita: "Ana Ruiz" } });
    expect(hits[0]?.id).toBe("t1");
    expect(hits[0]?.parts["subject"]).toBe(defaultWeights.subject);
    expect(anchored).toBe(true);
  });

  test("the name alone finds what they said, newest first", () => {
    expect(ids(index, "Ben?")).toEqual(["t2", "t3"]);
  });

  test("two names lift neither", () => {
    expect(index.rank({ text: "Ana and Ben and the garden", now }).hits.every(({ parts }) => parts["subject"] === undefined)).toBe(true);
  });

  test("the share of the named in what was found is told", () => {
    expect(index.rank({ text: "did Ana plant a garden?", now }).subjectShare).toBeCloseTo(0.5, 6);
    expect(index.rank({ text: "did Ana eat soup?", now }).subjectShare).toBe(0);
    expect(index.rank({ text: "garden", now }).subjectShare).toBeUndefined();
  });

  test("a person who is spoken of, and does not speak, is also found by the word", () => {
    const facts = indexOf(
      turn("t1", "Marta called from Lisbon"),
      turn("f1", "Marta works nights", { kind: "fact", subject: "Marta" }),
      turn("t7", "soup", { group: "2" }),
    );
    expect(ids(facts, "Marta").toSorted()).toEqual(["f1", "t1"]);
  });
});

describe("facts and groups", () => {
  test("a fact is found by the turn that it came from, and the turn by the fact", () => {
    const index = indexOf(
      turn("t1", "it was the river again"),
      turn("f1", "fears flood", { kind: "fact", sources: ["t1"] }),
      turn("t2", "soup", { group: "2" }),
    );
    const byTurn = index.rank({ text: "river", now }).hits;
    expect(byTurn.find(({ id }) => id === "f1")?.parts["source"]).toBeGreaterThan(0);
    const byFact = index.rank({ text: "flood", now }).hits;
    expect(byFact.find(({ id }) => id === "t1")?.parts["fact"]).toBeGreaterThan(0);
  });

  test("a fact is found by its quote", () => {
    expect(ids(indexOf(turn("f1", "likes music", { kind: "fact", quote: "I could play guitar all day" })), "guitar")).toEqual(["f1"]);
  });

  test("groups are ranked by their best turns, and arcs are no units of a ranking", () => {
    const index = indexOf(
      turn("t1", "river river", { group: "one" }),
      turn("t2", "a river", { group: "many", seq: 1 }),
      turn("t3", "the river", { group: "many", seq: 2 }),
      turn("t4", "guitar", { group: "none" }),
      turn("a1", "river walks", { kind: "arc", group: "many" }),
      turn("a2", "river banks", { kind: "arc", group: "untold" }),
    );
    const groups = index.rankGroups({ text: "river", now });
    expect(groups[0]?.id).toBe("many");
    expect(groups.map(({ id }) => id)).toContain("untold");
    expect(groups.map(({ id }) => id)).not.toContain("none");
    expect(ids(index, "river")).not.toContain("a1");
  });
});

describe("odd questions", () => {
  const index = indexOf(turn("t1", "the river is high"), turn("t2", "the night shift", { group: "2" }));

  test.each([
    ["nothing", ""],
    ["white space", " \n\t "],
    ["words that say nothing", "what is it that you are?"],
    ["signs", "?!… — \u0000\u200b\u202e"],
    ["half a character", "\ud83d"],
    ["an emoji", "👩‍👩‍👧"],
  ])("%s finds nothing", (_, text) => {
    expect(index.rank({ text, now })).toMatchObject({ hits: [], top: 0, anchored: false, words: 0 });
    expect(index.rankGroups({ text, now })).toEqual([]);
  });

  test("ten thousand characters are read", () => {
    const long = `${"lorem ipsum ".repeat(900)} river`;
    expect(ids(index, long.slice(-10_000))).toEqual(["t1"]);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("the word %s is a word", (word) => {
    expect(ids(indexOf(turn("t1", `my ${word} word`, { subject: word }), turn("t2", "river", { group: "2" })), `${word} word`)).toEqual(["t1"]);
  });

  test.each(["\u1E9Btraße naïve Ĳ", "नमस्ते दुनिया", "안녕하세요 세계", "ﬁnal ＡＢＣ", "𝔘nicode 𠮷野家"])("%s is found by itself", (text) => {
    expect(ids(indexOf(turn("t1", text)), text)).toEqual(["t1"]);
  });
});

describe("words that nobody has said", () => {
  const index = indexOf(turn("t1", "we planted rhubarb"), turn("t2", "soup for dinner", { group: "2" }), turn("t3", "a photograph", { group: "3" }));

  test.each([
    ["one letter changed", "rhabarb"],
    ["two letters in each other's place", "rhubrab"],
    ["one letter left out", "rubarb"],
    ["one letter too many", "rhubbarb"],
  ])("%s is read as the word that was meant, for less than it", (_, text) => {
    const [hit] = index.rank({ text, now }).hits;
    expect(hit?.id).toBe("t1");
    expect(hit?.parts["words"]).toBeLessThan(index.rank({ text: "rhubarb", now }).hits[0]?.parts["words"] ?? 0);
  });

  test("another form of a word is read as it", () => {
    expect(ids(index, "rhubarbish")).toEqual(["t1"]);
  });

  test.each(["soap", "rhxbxrb", "zhubarb", "12345"])("%s is read as nothing else", (text) => {
    expect(ids(index, text)).toEqual([]);
  });

  test("a word that was said is never read as another", () => {
    expect(ids(indexOf(turn("t1", "stable"), turn("t2", "staple", { group: "2" })), "staple")).toEqual(["t2"]);
  });
});

describe("length and time", () => {
  test("a long text does not come first for all that it touches on", () => {
    const long = Array.from({ length: 150 }, (_, place) => `word${place}`).join(" ");
    const index = indexOf(turn("long", `${long} river river`, { group: "1", at: now }), turn("short", "by the river then", { group: "2" }));
    expect(ids(index, "river")).toEqual(["short", "long"]);
  });

  test("what was said then, or speaks of then, comes first and puts the floor out of force", () => {
    const index = indexOf(
      turn("t1", "we saw the river", { group: "1", at: Date.UTC(2026, 2, 3) }),
      turn("t2", "I am back from the river, it was on 3 March", { group: "2", at: Date.UTC(2026, 3, 20) }),
      turn("t3", "the river was low", { group: "3", at: Date.UTC(2026, 3, 20) }),
    );
    const { hits, anchored } = index.rank({ text: "what about the river on 3 March 2026?", now });
    expect(anchored).toBe(true);
    expect(
      hits
        .filter(({ parts }) => parts["date"] !== undefined)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["t1", "t2"]);
    expect(hits.at(-1)?.id).toBe("t3");
  });

  test("a time alone finds what was said then", () => {
    const index = indexOf(turn("t1", "soup", { at: now - day }), turn("t2", "guitar", { group: "2", at: now - 9 * day }));
    expect(ids(index, "yesterday?")).toEqual(["t1"]);
  });

  test("a class is met by what belongs to it", () => {
    const index = indexOf(turn("t1", "I bought a violin"), turn("t2", "I bought a kettle", { group: "2" }));
    expect(index.rank({ text: "which instrument?", now }).hits[0]).toMatchObject({ id: "t1", parts: { concept: expect.any(Number) as number } });
  });

  test("a memory of one message is met by words that say what it says, and not by others", () => {
    const index = indexOf(turn("t1", "My sister plays the cello in an orchestra"));
    const top = (text: string): number => index.rank({ text, now }).top;
    expect(top("did my sister practise her cello today?")).toBeGreaterThan(defaultWeights.floor);
    expect(top("did the plumber repair your kitchen tap today?")).toBeLessThan(defaultWeights.floor);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -8.64e15 - 1])("a time that is none (%s) breaks nothing", (strange) => {
    expect(indexOf(turn("t1", "a river yesterday", { at: strange })).rank({ text: "river yesterday", now: strange }).hits).toHaveLength(1);
  });
});
