import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import { decodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";
import { barCheck, type Barrable, barsOf, isBarred, saltOf } from "../../../packages/throughline/src/memory/write/bar.ts";
import { factEntryId, normalisedId } from "../../../packages/throughline/src/memory/write/key.ts";
import type { Bar, EntryWrite } from "../../../packages/throughline/src/memory/entry.ts";
import { fact } from "./entries.ts";

const stored = (writes: readonly EntryWrite[]): readonly Bar[] =>
  writes.flatMap(({ entry_id, kind, data }) => {
    const kept = decodeEntry({ version: 1, entry_id, kind, data: JSON.parse(JSON.stringify(data)) as JsonObject, created_at: 1 });
    return kept?.entry.type === "bar" ? [kept.entry] : [];
  });

const said = fact({ object: { type: "Place", id: "Lisbon" }, quote: "I have lived in Lisbon since May" });
const bars = stored(barsOf(said, { owner_id: "own:a", salt: "salt", now: 5 }));

describe("what was forgotten", () => {
  it.each<readonly [string, Barrable, boolean]>([
    ["the fact itself", said, true],
    ["the same fact in other words", { ...said, quote: "Lisbon is my home" }, true],
    ["the same fact, written in another way", { ...said, object: { type: "Place", id: " LISBON! " }, quote: "x" }, true],
    ["another fact from the same words", { ...said, predicate: "LIKES" }, true],
    ["the words alone, with other marks", { text: "i have lived in lisbon, since may…" }, true],
    ["a longer text that has the words in it", { text: "Well, I have lived in Lisbon since May and like it" }, true],
    ["another fact from other words", { ...said, object: { type: "Place", id: "Porto" }, quote: "I live in Porto" }, false],
    ["a text that has some of the words", { text: "I have lived" }, false],
  ])("is barred or not: %s", (_, what, barred) => {
    expect(isBarred(what, bars, "own:a")).toBe(barred);
  });

  it("bars nothing of another owner", () => {
    expect(isBarred(said, bars, "own:b")).toBe(false);
  });

  it("bars only the very words, if they are few", () => {
    const short = stored(barsOf({ text: "my sister" }, { owner_id: "own:a", salt: "salt", now: 5 }));
    const check = barCheck(short, "own:a");
    expect([check({ text: "My sister." }), check({ text: "my sister came by today" })]).toEqual([true, false]);
  });

  it("is not to be read from its bars", () => {
    expect(JSON.stringify(bars)).not.toMatch(/lisbon|lived|user/iu);
  });

  it("is barred under one salt for all, the newest", () => {
    const more = stored(barsOf({ text: "another thing altogether" }, { owner_id: "own:a", salt: "later", now: 9 }));
    expect(saltOf([...bars, ...more])).toBe("later");
    expect(saltOf([])).toBeUndefined();
    const check = barCheck([...bars, ...more], "own:a");
    expect([check(said), check({ text: "another thing altogether" })]).toEqual([true, true]);
  });
});

describe("the key of a fact", () => {
  it.each([
    ["case", "lisbon"],
    ["space and marks", " Lisbon. "],
    ["forms of letters", "Ｌｉｓｂｏｎ"],
    ["an article", "the Lisbon"],
  ])("does not know %s", (_, id) => {
    expect(factEntryId(fact({ object: { type: "Place", id } }))).toBe(factEntryId(fact({})));
  });

  it("knows subject, predicate and object, and takes the person for one whatever their id", () => {
    const ids = [
      fact({}),
      fact({ predicate: "HAS" }),
      fact({ subject: { type: "Person", id: "Ana" } }),
      fact({ object: { type: "Place", id: "Porto" } }),
    ];
    expect(new Set(ids.map(factEntryId)).size).toBe(4);
    expect(factEntryId(fact({ subject: { type: "User", id: "crm-7" } }))).toBe(factEntryId(fact({})));
  });

  it.each([
    ["my dog", "dog"],
    ["the the", "the the"],
    ["👍", "👍"],
    ["里斯本", "里 斯 本"],
  ])("makes %s comparable", (id, key) => {
    expect(normalisedId(id)).toBe(key);
  });
});
