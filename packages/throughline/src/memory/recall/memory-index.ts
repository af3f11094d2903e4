/** Word index of one owner's memory, which ranks units and groups. */
import { present } from "../../kernel/json.ts";
import { defaultReader, type TextReader } from "./language.ts";
import { bytesOf, emptyShelf, type Group, none, type Shelf, shelve, trait, unshelve } from "./shelf.ts";
import type { MemoryIndex, MemoryUnit, RankedUnit, Ranking, RankRequest } from "./unit.ts";
import {
  analyse,
  meetsSubject,
  meetsTime,
  type Names,
  namesOf,
  partNames,
  partsOf,
  scoreOf,
  type Sheet,
  sheetFor,
  sweep,
  weigh,
  type Weighed,
} from "./weigh.ts";
import { defaultWeights, type RetrievalWeights } from "./weights.ts";

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
const rankUnits = (weighed: Weighed, limit: number): Ranking => {
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
    ...present({ subjectShare: share }),
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
const rankGroupsOf = (weighed: Weighed, limit: number): readonly RankedUnit[] => {
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

const defaultLimit = 50;

/** Options of {@link createMemoryIndex}. */
export interface MemoryIndexOptions {
  /** Languages of the index, see {@link TextReader}. Default: the supplied ones. */
  readonly reader?: TextReader;
  /** Ranking weights. Default: {@link defaultWeights}. */
  readonly weights?: RetrievalWeights;
}

/** Creates an empty index for one owner. The index is a cache: it is rebuilt from the entries when needed. */
export const createMemoryIndex = ({ reader = defaultReader(), weights = defaultWeights }: MemoryIndexOptions = {}): MemoryIndex =>
  new WordIndex(reader, weights);

class WordIndex implements MemoryIndex {
  readonly #reader: TextReader;
  readonly #weights: RetrievalWeights;
  readonly #shelf: Shelf = emptyShelf();
  /** Reused between queries, and replaced when it is too small. */
  #sheet: Sheet = sheetFor(this.#shelf);
  /** Names of the subjects, cached while the subjects stay the same. */
  #names: { readonly names: Names; readonly ever: number; readonly now: number } | undefined;
  #last: { readonly text: string; readonly now: number; readonly aliases: RankRequest["aliases"]; readonly weighed: Weighed } | undefined;

  constructor(reader: TextReader, weights: RetrievalWeights) {
    this.#reader = reader;
    this.#weights = weights;
  }

  add(unit: MemoryUnit): void {
    this.#forgetLast();
    unshelve(this.#shelf, unit.id);
    shelve(this.#shelf, unit, this.#reader);
  }

  remove(id: string): boolean {
    this.#forgetLast();
    return unshelve(this.#shelf, id);
  }

  has(id: string): boolean {
    return this.#shelf.slots.has(id);
  }

  get size(): number {
    return this.#shelf.slots.size;
  }

  get bytes(): number {
    return bytesOf(this.#shelf);
  }

  rank(request: RankRequest): Ranking {
    return rankUnits(this.#weigh(request), request.limit ?? defaultLimit);
  }

  rankGroups(request: RankRequest): readonly RankedUnit[] {
    return rankGroupsOf(this.#weigh(request), request.limit ?? defaultLimit);
  }

  /** Units and groups are usually requested one after the other with the same request, so it is weighed once. */
  #weigh(request: RankRequest): Weighed {
    const shelf = this.#shelf;
    const { text, now, aliases } = request;
    const last = this.#last;
    if (last && last.text === text && last.now === now && last.aliases === aliases) return last.weighed;
    this.#forgetLast();
    if (this.#sheet.words.length < shelf.columns.at.length || this.#sheet.session.length < shelf.groupAt.length) this.#sheet = sheetFor(shelf);
    const weighed = weigh(shelf, this.#sheet, this.#weights, analyse(request, this.#namesFor(aliases), this.#reader));
    this.#last = { text, now, aliases, weighed };
    return weighed;
  }

  #namesFor(aliases: RankRequest["aliases"]): Names {
    const { subjects, subjectsEver: ever } = this.#shelf;
    if (aliases) return namesOf(subjects, aliases, this.#reader);
    if (this.#names?.ever !== ever || this.#names.now !== subjects.size) {
      this.#names = { names: namesOf(subjects, {}, this.#reader), ever, now: subjects.size };
    }
    return this.#names.names;
  }

  #forgetLast(): void {
    if (this.#last) sweep(this.#sheet);
    this.#last = undefined;
  }
}
