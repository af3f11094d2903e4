/** Sorts units and groups. */
import { meetsSubject, meetsTime, partNames, partsOf, scoreOf, type Weighed } from "./weigh.ts";
import { type Group, none, trait } from "./shelf.ts";
import type { RankedUnit, Ranking } from "./unit.ts";

interface Placed {
  readonly slot: number;
  readonly id: string;
  readonly at: number;
  readonly score: number;
}

/** Sorts by score, then newer first, then by id. The order is the same on every machine. */
const precedes = (one: Placed, other: Placed): boolean =>
  one.score === other.score ? (one.at === other.at ? one.id < other.id : one.at > other.at) : one.score > other.score;

/** Keeps the best items. Most items rank below the last kept one and need only one comparison. */
const bestOf = (limit: number): { readonly kept: Placed[]; isBelow(score: number): boolean; offer(placed: Placed): void } => {
  const kept: Placed[] = [];
  return {
    kept,
    isBelow: (score) => score < (kept[limit - 1]?.score ?? -Infinity),
    offer(placed) {
      const last = kept[limit - 1];
      if (last && !precedes(placed, last)) return;
      let [low, high] = [0, kept.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const other = kept[middle];
        if (other && precedes(other, placed)) low = middle + 1;
        else high = middle;
      }
      kept.splice(low, 0, placed);
      if (kept.length > limit) kept.pop();
    },
  };
};

const named = (weighed: Weighed, slot: number): Readonly<Record<string, number>> => {
  const line = partsOf(weighed, slot);
  const parts: Record<string, number> = {};
  for (const [place, name] of partNames.entries()) if (line[place] !== 0) parts[name] = line[place] ?? 0;
  return parts;
};

/** Share of the words' weight in units about the named subject. */
const subjectShare = (weighed: Weighed): number | undefined => {
  if (weighed.question.subjects.size === 0) return undefined;
  let [theirs, all] = [0, 0];
  for (const slot of weighed.sheet.touched) {
    // Sums of whole numbers do not depend on the order.
    const own = Math.round((weighed.sheet.own[slot] ?? 0) * 1e6);
    all += own;
    if (meetsSubject(weighed, slot)) theirs += own;
  }
  return all === 0 ? 0 : theirs / all;
};

/** Returns the best facts and turns. Arcs are ranked by their members, see {@link rankGroupsOf}. */
export const rankUnits = (weighed: Weighed, limit: number): Ranking => {
  const { shelf, sheet, weights } = weighed;
  const best = bestOf(limit);
  let top = 0;
  let candidates = 0;
  for (const slot of sheet.touched) {
    if (((shelf.columns.traits[slot] ?? 0) & trait.arc) !== 0) continue;
    candidates += 1;
    top = Math.max(top, (sheet.words[slot] ?? 0) + weights.concept * (sheet.concept[slot] ?? 0));
    const score = scoreOf(weighed, slot);
    if (!best.isBelow(score)) best.offer({ slot, id: shelf.contents[slot]?.id ?? "", at: shelf.columns.at[slot] ?? 0, score });
  }
  const share = subjectShare(weighed);
  return {
    hits: best.kept.map(({ slot, id, score }) => ({ id, score, parts: named(weighed, slot) })),
    top: top / weighed.enough,
    anchored: best.kept.some(({ slot }) => meetsTime(weighed, slot) || meetsSubject(weighed, slot)),
    candidates,
    words: weighed.question.terms.length,
    ...(share === undefined ? {} : { subjectShare: share }),
  };
};

/** Scores of a group: those of its turns. If its turns are not in the index, those of its facts and arcs. */
interface Votes {
  readonly group: Group;
  /** The best scores, highest first, at most as many as are weighted. */
  readonly best: number[];
  at: number;
  summary: number;
}

const cast = (best: number[], score: number, most: number): void => {
  if (best.length === most && score <= (best[most - 1] ?? 0)) return;
  const place = best.findIndex((other) => other < score);
  best.splice(place < 0 ? best.length : place, 0, score);
  if (best.length > most) best.pop();
};

const votesOf = (weighed: Weighed): readonly Votes[] => {
  const { shelf, sheet, weights } = weighed;
  const votes: Votes[] = [];
  const places = new Int32Array(shelf.groupAt.length).fill(none);
  for (const slot of sheet.touched) {
    const group = shelf.groupAt[shelf.columns.group[slot] ?? none];
    if (!group) continue;
    if (places[group.place] === none) places[group.place] = votes.push({ group, best: [], at: 0, summary: 0 }) - 1;
    const vote = votes[places[group.place] ?? none];
    if (!vote) continue;
    const kind = shelf.columns.traits[slot] ?? 0;
    vote.at = Math.max(vote.at, shelf.columns.at[slot] ?? 0);
    if ((kind & trait.arc) !== 0) vote.summary = Math.max(vote.summary, (sheet.words[slot] ?? 0) / weighed.all);
    if ((kind & trait.turn) !== 0 || group.turns.length === 0) cast(vote.best, scoreOf(weighed, slot), weights.members.length);
  }
  return votes;
};

/** Ranks groups by their best members and their own summary. */
export const rankGroupsOf = (weighed: Weighed, limit: number): readonly RankedUnit[] => {
  const { weights } = weighed;
  const best = bestOf(limit);
  const parts = new Map<string, Readonly<Record<string, number>>>();
  for (const { group, best: scores, at, summary } of votesOf(weighed)) {
    const members = weights.members.reduce((sum, share, place) => sum + share * (scores[place] ?? 0), 0);
    const told = weights.summary * summary;
    parts.set(group.id, { members, summary: told });
    best.offer({ slot: none, id: group.id, at, score: members + told });
  }
  return best.kept.map(({ id, score }) => ({ id, score, parts: parts.get(id) ?? {} }));
};
