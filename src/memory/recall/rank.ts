/** Puts units, and groups of them, in order. */
import { meetsSubject, meetsTime, partNames, partsOf, type Weighed } from "./weigh.ts";
import { type Group, none, trait } from "./shelf.ts";
import type { RankedUnit, Ranking } from "./unit.ts";

interface Placed {
  readonly slot: number;
  readonly id: string;
  readonly at: number;
  readonly score: number;
}

/** By score, then the newer, then by id: the same on every machine. */
const precedes = (one: Placed, other: Placed): boolean =>
  one.score === other.score ? (one.at === other.at ? one.id < other.id : one.at > other.at) : one.score > other.score;

/** Keeps the best of many: most of what comes is worse than the last of them, and is looked at once. */
const bestOf = (limit: number): { readonly kept: Placed[]; offer(placed: Placed): void } => {
  const kept: Placed[] = [];
  return {
    kept,
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
  partsOf(weighed, slot);
  const parts: Record<string, number> = {};
  for (const [place, name] of partNames.entries()) if (weighed.parts[place] !== 0) parts[name] = weighed.parts[place] ?? 0;
  return parts;
};

/** Share of the words' worth that lies on units about the named subject. */
const subjectShare = (weighed: Weighed): number | undefined => {
  if (weighed.question.subjects.size === 0) return undefined;
  let [theirs, all] = [0, 0];
  for (const slot of weighed.sheet.touched) {
    const own = weighed.sheet.own[slot] ?? 0;
    all += own;
    if (meetsSubject(weighed, slot)) theirs += own;
  }
  return all === 0 ? 0 : theirs / all;
};

/** The best facts and turns. Arcs are ranked by their members: see {@link rankGroupsOf}. */
export const rankUnits = (weighed: Weighed, limit: number): Ranking => {
  const { shelf, sheet } = weighed;
  const best = bestOf(limit);
  let top = 0;
  let candidates = 0;
  for (const slot of sheet.touched) {
    if (((shelf.columns.traits[slot] ?? 0) & trait.arc) !== 0) continue;
    candidates += 1;
    top = Math.max(top, sheet.words[slot] ?? 0);
    best.offer({ slot, id: shelf.contents[slot]?.id ?? "", at: shelf.columns.at[slot] ?? 0, score: partsOf(weighed, slot) });
  }
  const share = subjectShare(weighed);
  return {
    hits: best.kept.map(({ slot, id, score }) => ({ id, score, parts: named(weighed, slot) })),
    top: top / weighed.all,
    anchored: best.kept.some(({ slot }) => meetsTime(weighed, slot) || meetsSubject(weighed, slot)),
    candidates,
    words: weighed.question.terms.length,
    ...(share === undefined ? {} : { subjectShare: share }),
  };
};

/** What speaks for a group: its turns; where those are not here, what was drawn from them. */
interface Votes {
  readonly scores: number[];
  at: number;
  summary: number;
}

const castVotes = (weighed: Weighed): Map<Group, Votes> => {
  const { shelf, sheet } = weighed;
  const votes = new Map<Group, Votes>();
  for (const slot of sheet.touched) {
    const content = shelf.contents[slot];
    const group = content?.group;
    if (!group) continue;
    const kind = shelf.columns.traits[slot] ?? 0;
    let cast = votes.get(group);
    if (!cast) votes.set(group, (cast = { scores: [], at: 0, summary: 0 }));
    cast.at = Math.max(cast.at, shelf.columns.at[slot] ?? 0);
    if ((kind & trait.arc) !== 0) cast.summary = Math.max(cast.summary, (sheet.words[slot] ?? 0) / weighed.all);
    if ((kind & trait.turn) !== 0 || group.turns.length === 0) cast.scores.push(partsOf(weighed, slot));
  }
  return votes;
};

/** Groups, by their best members and what their own summary says. */
export const rankGroupsOf = (weighed: Weighed, limit: number): readonly RankedUnit[] => {
  const { weights } = weighed;
  const best = bestOf(limit);
  const parts = new Map<string, Readonly<Record<string, number>>>();
  for (const [group, { scores, at, summary }] of castVotes(weighed)) {
    const ordered = scores.toSorted((a, b) => b - a);
    const members = weights.members.reduce((sum, share, place) => sum + share * (ordered[place] ?? 0), 0);
    const told = weights.summary * summary;
    parts.set(group.id, { members, summary: told });
    best.offer({ slot: none, id: group.id, at, score: members + told });
  }
  return best.kept.map(({ id, score }) => ({ id, score, parts: parts.get(id) ?? {} }));
};
