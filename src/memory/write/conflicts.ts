/** Facts in force that cannot both be so: listed for the person, never resolved behind their back. */
import { inForce, type Fact, type Kept } from "../entry.ts";
import type { FactIndex } from "./fact-index.ts";
import { factKey, slotKey } from "./key.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Two facts that contradict each other. */
export interface Conflict {
  /** Ids of the entries, the older first. */
  readonly entries: readonly [string, string];
  /** `one value`: a functional predicate with two. `opposite`: of one thing, a predicate and its opposite. */
  readonly type: "one value" | "opposite";
}

const newest = ({ sources }: Fact): number => sources.at(-1)?.at ?? sources[0].at;

type Pair = readonly [Kept<Fact>, Kept<Fact>];

const pairsOf = (group: readonly Kept<Fact>[]): readonly Pair[] =>
  group.flatMap((left, index) => group.slice(index + 1).map((right): Pair => [left, right]));

const groups = (facts: readonly Kept<Fact>[], keyOf: (fact: Fact) => string): readonly (readonly Kept<Fact>[])[] => [
  ...Map.groupBy(facts, ({ entry }) => keyOf(entry)).values(),
];

/** Of a predicate and its opposite, one name. */
const axisOf = (predicate: string, opposite: string): string => [predicate, opposite].toSorted().join("/");

/** The facts in force that contradict each other. */
export function conflictsIn(facts: readonly Kept<Fact>[], { predicates }: Vocabulary): readonly Conflict[] {
  const active = facts
    .filter(({ entry }) => inForce(entry))
    .toSorted((left, right) => newest(left.entry) - newest(right.entry) || (left.entry_id < right.entry_id ? -1 : 1));
  const single = active.filter(({ entry }) => predicates[entry.predicate]?.functional === true);
  const polar = active.filter(({ entry }) => predicates[entry.predicate]?.opposite !== undefined);
  const aboutOneThing = ({ subject, predicate, object }: Fact): string =>
    factKey({ subject, object, predicate: axisOf(predicate, predicates[predicate]?.opposite ?? predicate) });
  const values = groups(single, slotKey)
    .flatMap(pairsOf)
    .filter(([left, right]) => factKey(left.entry) !== factKey(right.entry));
  const opposites = groups(polar, aboutOneThing)
    .flatMap(pairsOf)
    .filter(([left, right]) => left.entry.predicate !== right.entry.predicate);
  const conflict =
    (type: Conflict["type"]) =>
    ([left, right]: Pair): Conflict => ({ entries: [left.entry_id, right.entry_id], type });
  return [...values.map(conflict("one value")), ...opposites.map(conflict("opposite"))];
}

/** The contradictions that one of some facts is in: only what they can contradict is looked at. */
export function conflictsOf(some: readonly (readonly [string, Fact])[], among: FactIndex, vocabulary: Vocabulary): readonly Conflict[] {
  const ids = new Set(some.map(([id]) => id));
  const near = some.flatMap(([id, fact]) => {
    const { functional = false, opposite } = vocabulary.predicates[fact.predicate] ?? {};
    const { subject, object } = fact;
    return [
      [id, fact] as const,
      ...(functional ? among.inSlotOf(fact) : []),
      ...(opposite === undefined ? [] : among.withKeyOf({ subject, object, predicate: opposite })),
    ];
  });
  const facts = [...new Map(near)].map(([entry_id, entry]): Kept<Fact> => ({ entry_id, version: 0, entry }));
  return conflictsIn(facts, vocabulary).filter(({ entries }) => entries.some((id) => ids.has(id)));
}
