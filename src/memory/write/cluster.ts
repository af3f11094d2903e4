/** Candidates that say the same thing, put together: what was said three times is one fact with three sources. */
import type { Source } from "../entry.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { CheckedFact, CheckedRule } from "./check-candidate.ts";
import { allWords, factKey, jaccard, slotKey, wordsOfId } from "./key.ts";
import { isSelfBelief } from "./policy.ts";

/** Facts are twins, and written once, when the words of their objects have so much in common; of rules, those of their texts. */
export const twinSimilarity = 0.85;
/** Rules that have so much in common count as one wish, in other words. */
const wishSimilarity = 0.5;

/** What says the same thing. */
export interface Cluster<Item> {
  /** The surest, of several the newest. */
  readonly item: Item;
  readonly members: readonly Item[];
}

const wordSet = (text: string): ReadonlySet<string> => new Set(allWords(text));

/** Whether two facts of one subject and predicate are about one object. */
export function isTwin(left: CheckedFact["object"], right: CheckedFact["object"]): boolean {
  const [mine, theirs] = [wordsOfId(left), wordsOfId(right)];
  // Sets of such different sizes cannot have so much in common: most pairs end here.
  if (Math.min(mine.size, theirs.size) < twinSimilarity * Math.max(mine.size, theirs.size)) return false;
  return jaccard(mine, theirs) >= twinSimilarity;
}

const sameFact = (left: CheckedFact, right: CheckedFact): boolean =>
  factKey(left) === factKey(right) || (slotKey(left) === slotKey(right) && (isTwin(left.object, right.object) || areOneBelief(left, right)));

/** Beliefs against oneself are said in ever other words, "worthless", "a failure", and are one. */
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

/** Facts, those that say the same together. */
export const clusterFacts = (facts: readonly CheckedFact[]): readonly Cluster<CheckedFact>[] =>
  clustersOf(facts, sameFact, ({ confidence }) => sureness[confidence]);

/** Rules, likewise. */
export const clusterRules = (rules: readonly CheckedRule[]): readonly Cluster<CheckedRule>[] => clustersOf(rules, sameWish, () => 0);

/** Where a cluster was said, each turn once, oldest first. */
export function sourcesOf(session_id: SessionId, { members }: Cluster<{ readonly offset: number; readonly at: number }>): readonly Source[] {
  const byOffset = new Map(members.map(({ offset, at }) => [offset, { session_id, offset, at }]));
  return [...byOffset.values()].toSorted((left, right) => left.at - right.at || left.offset - right.offset);
}
