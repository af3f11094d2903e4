/** Index of facts by content, so that a new fact is compared only with facts that may be equal. */
import { inForce, type Fact, type Kept, type Source } from "../entry.ts";
import { factKey, slotKey, allWords, jaccard, wordsOfId } from "./key.ts";
import type { Vocabulary } from "./fact-vocabulary.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { CheckedFact, CheckedRule } from "./check-candidate.ts";
import { isSelfBelief } from "./policy.ts";

/** Two facts that contradict each other. */
export interface Conflict {
  /** Entry ids, the older one first. */
  readonly entries: readonly [string, string];
  /** `one value`: two values of a functional predicate. `opposite`: a predicate and its opposite about the same object. */
  readonly type: "one value" | "opposite";
}

const newest = ({ sources }: Fact): number => sources.at(-1)?.at ?? sources[0].at;

type Pair = readonly [Kept<Fact>, Kept<Fact>];

const pairsOf = (group: readonly Kept<Fact>[]): readonly Pair[] =>
  group.flatMap((left, index) => group.slice(index + 1).map((right): Pair => [left, right]));

const groups = (facts: readonly Kept<Fact>[], keyOf: (fact: Fact) => string): readonly (readonly Kept<Fact>[])[] => [
  ...Map.groupBy(facts, ({ entry }) => keyOf(entry)).values(),
];

/** Returns one name for a predicate and its opposite. */
const axisOf = (predicate: string, opposite: string): string => [predicate, opposite].toSorted().join("/");

/** Returns the contradictions between active facts. */
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

/** Returns the contradictions of some facts. Only facts that can contradict them are compared. */
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

/** Minimum similarity at which facts count as duplicates and are written once. Compared are the words of their objects. */
const twinSimilarity = 0.85;
/** Minimum similarity at which two rules count as the same wish. Compared are the words of their texts. */
const wishSimilarity = 0.5;

/** Items with the same meaning. */
export interface Cluster<Item> {
  /** The item with the highest confidence, and on a tie the newest. */
  readonly item: Item;
  readonly members: readonly Item[];
}

const wordSet = (text: string): ReadonlySet<string> => new Set(allWords(text));

/** Tells whether two facts of one subject and predicate are about the same object. */
export function isTwin(left: CheckedFact["object"], right: CheckedFact["object"]): boolean {
  const [mine, theirs] = [wordsOfId(left), wordsOfId(right)];
  // Sets of very different sizes cannot be similar enough. This check rejects most pairs.
  if (Math.min(mine.size, theirs.size) < twinSimilarity * Math.max(mine.size, theirs.size)) return false;
  return jaccard(mine, theirs) >= twinSimilarity;
}

const sameFact = (left: CheckedFact, right: CheckedFact): boolean =>
  factKey(left) === factKey(right) || (slotKey(left) === slotKey(right) && (isTwin(left.object, right.object) || areOneBelief(left, right)));

/** Negative beliefs about oneself are phrased differently each time ("worthless", "a failure") and count as one. */
const areOneBelief = (left: CheckedFact, right: CheckedFact): boolean => isSelfBelief(left.quote) && isSelfBelief(right.quote);

const sameWish = (left: CheckedRule, right: CheckedRule): boolean => jaccard(wordSet(left.text), wordSet(right.text)) >= wishSimilarity;

const sureness = { low: 0, medium: 1, high: 2 } as const;

function clustersOf<Item extends { readonly at: number; readonly offset: number }>(
  items: readonly Item[],
  same: (left: Item, right: Item) => boolean,
  rank: (item: Item) => number,
): readonly Cluster<Item>[] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.find(([first]) => first !== undefined && same(first, item));
    if (group === undefined) groups.push([item]);
    else group.push(item);
  }
  return groups.flatMap((members) => {
    const [item] = members.toSorted((left, right) => rank(right) - rank(left) || right.at - left.at || right.offset - left.offset);
    return item === undefined ? [] : [{ item, members: members.toSorted((left, right) => left.at - right.at || left.offset - right.offset) }];
  });
}

/** Groups facts with the same meaning. */
export const clusterFacts = (facts: readonly CheckedFact[]): readonly Cluster<CheckedFact>[] =>
  clustersOf(facts, sameFact, ({ confidence }) => sureness[confidence]);

/** Groups rules with the same meaning. */
export const clusterRules = (rules: readonly CheckedRule[]): readonly Cluster<CheckedRule>[] => clustersOf(rules, sameWish, () => 0);

/** Returns the sources of a cluster, each turn once, oldest first. */
export function sourcesOf(session_id: SessionId, { members }: Cluster<{ readonly offset: number; readonly at: number }>): readonly Source[] {
  const byOffset = new Map(members.map(({ offset, at }) => [offset, { session_id, offset, at }]));
  return [...byOffset.values()].toSorted((left, right) => left.at - right.at || left.offset - right.offset);
}

type Triple = Pick<Fact, "subject" | "predicate" | "object">;
type Found = readonly (readonly [string, Fact])[];

/** The facts of one subject and predicate. */
interface Slot {
  readonly ids: string[];
  /** Ids by the words of the facts' objects. */
  readonly byWord: Map<string, string[]>;
}

const into = (lists: Map<string, string[]>, key: string, id: string): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
};

const outOf = (list: string[] | undefined, id: string): void => {
  const place = list?.indexOf(id) ?? -1;
  if (place !== -1) list?.splice(place, 1);
};

const saysTheSame = (left: Fact, right: Fact): boolean =>
  left.object === right.object && left.subject === right.subject && left.predicate === right.predicate;

/** Facts of one owner, active or not. Results keep the order of insertion. */
export class FactIndex {
  readonly #facts = new Map<string, Fact>();
  readonly #byKey = new Map<string, string[]>();
  readonly #slots = new Map<string, Slot>();

  constructor(known: readonly Kept<Fact>[]) {
    for (const { entry_id, entry } of known) this.put(entry_id, entry);
  }

  get(entry_id: string): Fact | undefined {
    return this.#facts.get(entry_id);
  }

  all(): Found {
    return [...this.#facts];
  }

  /** Adds or replaces a fact. */
  put(entry_id: string, fact: Fact): void {
    const before = this.#facts.get(entry_id);
    this.#facts.set(entry_id, fact);
    if (before !== undefined) {
      if (saysTheSame(before, fact)) return;
      this.#remove(entry_id, before);
    }
    into(this.#byKey, factKey(fact), entry_id);
    const key = slotKey(fact);
    const slot: Slot = this.#slots.get(key) ?? { ids: [], byWord: new Map() };
    this.#slots.set(key, slot);
    slot.ids.push(entry_id);
    for (const word of wordsOfId(fact.object)) into(slot.byWord, word, entry_id);
  }

  #remove(entry_id: string, fact: Fact): void {
    outOf(this.#byKey.get(factKey(fact)), entry_id);
    const slot = this.#slots.get(slotKey(fact));
    outOf(slot?.ids, entry_id);
    for (const word of wordsOfId(fact.object)) outOf(slot?.byWord.get(word), entry_id);
  }

  /** Returns the facts with the same key, regardless of their wording. */
  withKeyOf(triple: Triple): Found {
    return this.#found(this.#byKey.get(factKey(triple)) ?? []);
  }

  /** Returns the facts of the same subject and predicate. */
  inSlotOf(triple: Pick<Fact, "subject" | "predicate">): Found {
    return this.#found(this.#slots.get(slotKey(triple))?.ids ?? []);
  }

  /**
   * Returns the facts of the same subject and predicate with a similar object. Similar objects share nearly all words, so it is enough to check facts
   * with one of the rarest words. See prefix filtering, Chaudhuri, Ganti and Kaushik 2006.
   */
  twinsOf(triple: Triple): Found {
    const slot = this.#slots.get(slotKey(triple));
    const words = wordsOfId(triple.object);
    if (slot === undefined) return [];
    const lists = [...words].map((word) => slot.byWord.get(word) ?? []).toSorted((left, right) => left.length - right.length);
    const mayLack = Math.floor(words.size * (1 - twinSimilarity) + 1e-9);
    const near = new Set(lists.slice(0, mayLack + 1).flat());
    return this.#found([...near]).filter(([, fact]) => isTwin(fact.object, triple.object));
  }

  #found(ids: readonly string[]): Found {
    return ids.flatMap((id) => {
      const fact = this.#facts.get(id);
      return fact === undefined ? [] : [[id, fact] as const];
    });
  }
}
