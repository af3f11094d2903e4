import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fact } from "../../../packages/throughline/src/memory/entry.ts";
import { isTwin, conflictsIn, conflictsOf, FactIndex } from "../../../packages/throughline/src/memory/write/fact-index.ts";
import { factKey, slotKey } from "../../../packages/throughline/src/memory/write/key.ts";
import { defaultVocabulary as vocabulary } from "../../../packages/throughline/src/memory/write/fact-vocabulary.ts";
import { fact } from "./entries.ts";

const words = "a b c d e f g h i the".split(" ");
const anyId = fc.oneof(
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 10 }).map((some) => some.join(" ")),
  fc.constantFrom("…", "Red car", "red  CAR", "the red car"),
);
const anyFact = fc
  .record({ id: anyId, predicate: fc.constantFrom("LIKES", "DISLIKES", "LIVES_IN"), about: fc.constantFrom("user", "Ana"), gone: fc.boolean() })
  .map(({ id, predicate, about, gone }) =>
    fact({
      object: { type: "Thing", id },
      predicate,
      subject: about === "user" ? { type: "User", id: about } : { type: "Person", id: about },
      ...(gone ? { retracted_at: 1 } : {}),
    }),
  );
/** Puts, in an order in which ids come again with other facts. */
const anyPuts = fc.array(fc.tuple(fc.constantFrom("1", "2", "3", "4", "5", "6", "7", "8"), anyFact), { maxLength: 24 });

const idsOf = (found: readonly (readonly [string, Fact])[]): readonly string[] => found.map(([id]) => id).toSorted();

const indexOf = (puts: readonly (readonly [string, Fact])[]): FactIndex => {
  const index = new FactIndex([]);
  for (const [id, one] of puts) index.put(id, one);
  return index;
};

describe("an index of facts", () => {
  it("finds what a look at every fact finds", () => {
    fc.assert(
      fc.property(anyPuts, anyFact, (puts, said) => {
        const index = indexOf(puts);
        const all = [...new Map(puts)];
        expect(idsOf(index.all())).toEqual(idsOf(all));
        expect(idsOf(index.withKeyOf(said))).toEqual(idsOf(all.filter(([, one]) => factKey(one) === factKey(said))));
        const inSlot = all.filter(([, one]) => slotKey(one) === slotKey(said));
        expect(idsOf(index.inSlotOf(said))).toEqual(idsOf(inSlot));
        expect(idsOf(index.twinsOf(said))).toEqual(idsOf(inSlot.filter(([, one]) => isTwin(one.object, said.object))));
      }),
      { numRuns: 500 },
    );
  });

  it("knows the contradictions that some facts are in", () => {
    fc.assert(
      fc.property(anyPuts, fc.integer({ min: 0, max: 4 }), (puts, count) => {
        const index = indexOf(puts);
        const some = index.all().slice(0, count);
        const all = index.all().map(([entry_id, entry]) => ({ entry_id, version: 0, entry }));
        const wanted = conflictsIn(all, vocabulary).filter(({ entries }) => entries.some((id) => some.some(([one]) => one === id)));
        expect(new Set(conflictsOf(some, index, vocabulary).map((one) => JSON.stringify(one)))).toEqual(
          new Set(wanted.map((one) => JSON.stringify(one))),
        );
      }),
      { numRuns: 300 },
    );
  });
});
