/** Weighs a query: walks the posting lists of its words, and adds subjects, times, questions, sources and facts. */
import type { TimeRange } from "../text/dates.ts";
import type { Word } from "../text/tokenize.ts";
import type { TextReader } from "./language.ts";
import { type Content, countBits, mostCount, none, type Shelf, type Subject, type Sums, type Term, trait } from "./shelf.ts";
import type { RankRequest } from "./unit.ts";
import type { RetrievalWeights } from "./weights.ts";

/** Fractional occurrences are counted in whole thousandths, so that sums do not depend on the order of a list. */
const thousand = 1000;

/** Accumulators of a walk, by slot and by group index. A sheet serves one query at a time, and only touched cells are cleared. */
export interface Sheet {
  /** Weight of a unit's words and its neighbors' words. */
  readonly words: Float64Array;
  /** Weight of a unit's own words. */
  readonly own: Float64Array;
  /** Weight of the best word of a class that the query names. */
  readonly concept: Float64Array;
  /** Score of a unit by itself. */
  readonly total: Float64Array;
  /** Occurrences of the current word. */
  readonly pending: Float64Array;
  /** Units that contain the current word or are near one that does. */
  readonly met: Int32Array;
  metSize: number;
  /** Weight of the words of a whole group. */
  readonly session: Float64Array;
  readonly sessionPending: Float64Array;
  readonly seen: Uint8Array;
  readonly touched: number[];
  readonly groups: Set<number>;
}

/** Creates a sheet with space for a shelf's units. */
export const sheetFor = (shelf: Shelf): Sheet => {
  const room = shelf.columns.at.length;
  const groups = 2 * shelf.groupAt.length + 8;
  const column = (length: number): Float64Array => new Float64Array(length);
  return {
    words: column(room),
    own: column(room),
    concept: column(room),
    total: column(room),
    pending: column(room),
    met: new Int32Array(room),
    metSize: 0,
    session: column(groups),
    sessionPending: column(groups),
    seen: new Uint8Array(room),
    touched: [],
    groups: new Set(),
  };
};

/** Clears a sheet. */
export const sweep = (sheet: Sheet): void => {
  for (const slot of sheet.touched) sheet.words[slot] = sheet.own[slot] = sheet.concept[slot] = sheet.total[slot] = sheet.seen[slot] = 0;
  for (const group of sheet.groups) sheet.session[group] = 0;
  sheet.touched.length = 0;
  sheet.groups.clear();
};

/** Returns the inverse document frequency in Lucene's form, which is never negative. */
const rarity = (all: number, having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** Marks a unit as a candidate. */
const touch = (sheet: Sheet, slot: number): void => {
  if (sheet.seen[slot] === 1) return;
  sheet.seen[slot] = 1;
  sheet.touched.push(slot);
};

/** BM25 of a field, with the constants of its texts precomputed: `count * gain / (count + flat + slope * length + bend * (length - long))`. */
interface Curve {
  readonly flat: number;
  readonly slope: number;
  /** Additional slope for texts longer than usual. */
  readonly bend: number;
}

/** Constants of a walk. */
interface WordField {
  readonly shelf: Shelf;
  readonly sheet: Sheet;
  readonly gain: number;
  /** Number of units for the document frequency. */
  readonly units: number;
  readonly long: number;
  readonly turn: Curve;
  readonly other: Curve;
  readonly group: Curve;
  /** Weight of an occurrence in an assistant's message, in thousandths. */
  readonly assistant: number;
  /** `before` spreads occurrences to the following units, `after` to the preceding ones. */
  readonly before: Side;
  readonly after: Side;
}

/** Neighbors on one side of every unit, and their shares of its words, in thousandths. */
interface Side {
  readonly neighbours: Int32Array;
  readonly shares: readonly number[];
}

const inThousandths = (share: number): number => Math.round(share * thousand);

/** The first occurrence has the most weight, and a long text is expected to have more. */
const curveOf = ({ saturation, longLength }: RetrievalWeights, b: number, { units, terms }: Readonly<Sums>): Curve => {
  const mean = Math.max(1, terms / Math.max(1, units));
  return { flat: saturation * (1 - b), slope: (saturation * b) / mean, bend: (saturation * Math.max(0, longLength - b)) / mean };
};

/** Prepares walks over a shelf. */
const fieldOf = (shelf: Shelf, sheet: Sheet, weights: RetrievalWeights): WordField => ({
  shelf,
  sheet,
  gain: weights.saturation + 1,
  units: Math.max(shelf.slots.size, weights.least),
  long: weights.long,
  turn: curveOf(weights, weights.turnLength, shelf.turns),
  other: curveOf(weights, weights.factLength, shelf.others),
  group: curveOf(weights, weights.groupLength, { units: shelf.groups.size, terms: shelf.turns.terms }),
  assistant: inThousandths(weights.assistant),
  before: { neighbours: shelf.columns.next, shares: weights.before.map(inThousandths) },
  after: { neighbours: shelf.columns.previous, shares: weights.after.map(inThousandths) },
});

/** Returns the weight of a number of occurrences in a unit, as a share of the word's weight. */
const shareOf = ({ shelf, gain, long, turn, other }: WordField, slot: number, count: number): number => {
  const { flat, slope, bend } = ((shelf.columns.traits[slot] ?? 0) & trait.turn) === 0 ? other : turn;
  const length = shelf.columns.length[slot] ?? 0;
  return (count * gain) / (count + flat + slope * length + bend * Math.max(0, length - long));
};

/** Counts occurrences for a unit as whole numbers, in millionths. */
const count = (sheet: Sheet, slot: number, occurrences: number): void => {
  if (occurrences === 0) return;
  const before = sheet.pending[slot] ?? 0;
  if (before === 0) sheet.met[sheet.metSize++] = slot;
  sheet.pending[slot] = before + occurrences;
};

/** Counts occurrences for the units on one side, the nearest ones most. */
const spread = (sheet: Sheet, from: number, { neighbours, shares }: Side, occurrences: number): void => {
  let slot = neighbours[from] ?? none;
  for (let step = 0; step < shares.length && slot !== none; step++) {
    count(sheet, slot, occurrences * (shares[step] ?? 0));
    slot = neighbours[slot] ?? none;
  }
};

/** Maximum weight of a word for a unit and for a group. */
interface Worth {
  readonly unit: number;
  readonly session: number;
}

/**
 * Adds the weight of one word to every unit that contains it or is near one that does. A share below 1 marks a substitute for the queried word. It
 * scores less than the full weight.
 */
const walkWord = (field: WordField, term: Term | undefined, share: number): Worth => {
  const { shelf, sheet } = field;
  const full = rarity(field.units, term?.postings.length ?? 0);
  if (!term) return { unit: full, session: rarity(shelf.groups.size, 0) };
  const worth = full * share;
  const { traits, group } = shelf.columns;
  const { pending, met, own, words, sessionPending } = sheet;
  const metGroups: number[] = [];
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    const kind = traits[slot] ?? 0;
    const occurrences = (posting & mostCount) * ((kind & trait.assistant) === 0 ? thousand : field.assistant);
    count(sheet, slot, occurrences * thousand);
    own[slot] = (own[slot] ?? 0) + worth * shareOf(field, slot, occurrences / thousand);
    if ((kind & trait.turn) === 0) continue;
    spread(sheet, slot, field.before, occurrences);
    spread(sheet, slot, field.after, occurrences);
    const place = group[slot] ?? none;
    if (sessionPending[place] === 0) metGroups.push(place);
    sessionPending[place] = (sessionPending[place] ?? 0) + occurrences;
  }
  const { metSize } = sheet;
  sheet.metSize = 0;
  for (let place = 0; place < metSize; place++) {
    const slot = met[place] ?? none;
    words[slot] = (words[slot] ?? 0) + worth * shareOf(field, slot, (pending[slot] ?? 0) / (thousand * thousand));
    pending[slot] = 0;
    touch(sheet, slot);
  }
  return { unit: full, session: walkGroups(field, metGroups, share) };
};

const walkGroups = ({ shelf, sheet, gain, group: curve }: WordField, met: readonly number[], share: number): number => {
  const full = rarity(shelf.groups.size, met.length);
  const worth = full * share;
  for (const place of met) {
    const count = (sheet.sessionPending[place] ?? 0) / thousand;
    const length = shelf.groupAt[place]?.length ?? 0;
    sheet.sessionPending[place] = 0;
    sheet.session[place] = (sheet.session[place] ?? 0) + (worth * count * gain) / (count + curve.flat + curve.slope * length);
    sheet.groups.add(place);
  }
  return full;
};

/** Adds a word of a class that the query names. A unit gets the best of these words, not their sum. */
const walkMember = (field: WordField, term: Term): void => {
  const { sheet } = field;
  const worth = rarity(field.units, term.postings.length);
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    sheet.concept[slot] = Math.max(sheet.concept[slot] ?? 0, worth * shareOf(field, slot, posting & mostCount));
    touch(sheet, slot);
  }
};

/** A parsed query. */
interface Question {
  /** Distinct meaningful words, without names of speakers. */
  readonly terms: readonly string[];
  /** Members of the classes that the query names, without the query's own words. */
  readonly members: readonly string[];
  /** Indexes of the subjects that the query names. */
  readonly subjects: ReadonlySet<number>;
  readonly times: readonly TimeRange[];
  readonly wantsTime: boolean;
}

/** Names as word sequences, with the subjects that they may refer to. */
export interface Names {
  readonly byName: ReadonlyMap<string, ReadonlySet<Subject>>;
  /** Number of words in the longest name. */
  readonly longest: number;
}

/** Maximum number of words in a name. Longer ones are titles or sentences. */
const mostWords = 6;

/** Returns the names of an index's subjects: full names, first names and aliases. */
export const namesOf = (subjects: ReadonlyMap<string, Subject>, aliases: Readonly<Record<string, string>>, reader: TextReader): Names => {
  const byName = new Map<string, Set<Subject>>();
  let longest = 0;
  const note = (name: string, subject: Subject): void => {
    const words = reader.words(name).map((word) => word.text);
    longest = Math.max(longest, words.length);
    const key = words.join(" ");
    if (key !== "") byName.set(key, (byName.get(key) ?? new Set()).add(subject));
  };
  for (const subject of subjects.values()) {
    note(subject.name, subject);
    note(subject.name.trim().split(/\s+/u)[0] ?? "", subject);
  }
  for (const [alias, name] of Object.entries(aliases)) {
    const subject = subjects.get(name);
    if (subject) note(alias, subject);
  }
  return { byName, longest: Math.min(longest, mostWords) };
};

/** "Mel's" refers to Mel. */
const withoutPossessive = (word: Word, text: string): string =>
  /['\u2019]s$/iu.test(text.slice(word.start, word.end)) ? word.text.replace(/['\u2019]?s$/u, "") : word.text;

interface Named {
  readonly subjects: Set<number>;
  /** The text without names of speakers. They occur everywhere and do not identify a topic. */
  readonly rest: string;
}

const findNames = (text: string, words: readonly Word[], names: Names): Named => {
  const subjects = new Set<number>();
  let rest = "";
  let kept = 0;
  for (let place = 0; place < words.length; place++) {
    for (let length = Math.min(names.longest, words.length - place); length > 0; length--) {
      const run = words.slice(place, place + length);
      const last = run.at(-1);
      if (!last) break;
      const start = run[0]?.start ?? 0;
      const name = [...run.slice(0, -1).map((word) => word.text), withoutPossessive(last, text)].join(" ");
      const found = names.byName.get(name);
      if (!found) continue;
      for (const subject of found) subjects.add(subject.place);
      if ([...found].some((subject) => subject.turns > 0)) {
        rest += `${text.slice(kept, start)} `;
        kept = last.end;
      }
      place += length - 1;
      break;
    }
  }
  rest += text.slice(kept);
  return { subjects, rest };
};

/** Maximum number of characters of a query. Longer queries are cut. */
const mostCharacters = 10_000;

/** Maximum number of terms whose classes are looked up. */
const mostMembers = 64;

/** Parses a query. */
export const analyse = (request: RankRequest, names: Names, reader: TextReader): Question => {
  const text = request.text.slice(0, mostCharacters);
  const { subjects, rest } = findNames(text, reader.words(text), names);
  const terms = [...new Set(reader.terms(rest))];
  const members = new Set(terms.slice(0, mostMembers).flatMap((term) => reader.members(term)));
  for (const term of terms) members.delete(term);
  return { terms, members: [...members], subjects, times: reader.times(text, request.now), wantsTime: reader.asksWhen(text) };
};

/** Minimum length for fuzzy matching. Shorter words are similar to too many others. */
const shortest = 5;
/** Minimum share of a word that its prefix must cover. */
const leastShare = 0.6;
/** Words in alphabetic scripts. In other scripts, one different character makes a different word. */
const spelled = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u;

/** Tells whether two words differ by one inserted, missing or changed letter, or by two swapped letters. */
const isSlip = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || short === long) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  let end = 0;
  while (end < short.length - start && short[short.length - 1 - end] === long[long.length - 1 - end]) end++;
  const [left, over] = [short.length - start - end, long.length - start - end];
  if (over <= 1) return true;
  return left === 2 && over === 2 && short[start] === long[start + 1] && short[start + 1] === long[start];
};

const isForm = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length >= leastShare * long.length && long.startsWith(short);
};

/** Returns the closest known term for an unknown word. A typo ranks before another form, then the more frequent term wins, then alphabetical order. */
const nearestTerm = (terms: ReadonlyMap<string, Term>, word: string): Term | undefined => {
  if (word.length < shortest || !spelled.test(word)) return undefined;
  let best: Term | undefined;
  let bestIsSlip = false;
  for (const [text, term] of terms) {
    if (text.length < shortest - 1 || text.charCodeAt(0) !== word.charCodeAt(0)) continue;
    const slip = isSlip(word, text);
    if (!slip && (bestIsSlip || text.length < shortest || !isForm(word, text))) continue;
    const more = term.postings.length - (best?.postings.length ?? 0);
    if (best && slip === bestIsSlip && (more < 0 || (more === 0 && text > best.text))) continue;
    best = term;
    bestIsSlip = slip;
  }
  return best;
};

/** Names of the score parts, in the order of summation. */
export const partNames = ["words", "session", "concept", "subject", "date", "when", "answer", "question", "source", "fact"] as const;

/** A query weighed against an index, with everything needed to score any unit. */
export interface Weighed {
  readonly shelf: Shelf;
  readonly sheet: Sheet;
  readonly weights: RetrievalWeights;
  readonly question: Question;
  /** Total weight of the query's words. Scores are shares of it. */
  readonly all: number;
  readonly allSession: number;
  /** Weight of as many words as must match for the query to count as covered. */
  readonly enough: number;
  /** One slot for each of {@link partNames}; {@link partsOf} writes here. */
  readonly parts: Float64Array;
}

const overlaps = (one: TimeRange, other: TimeRange): boolean => one.from < other.to && other.from < one.to;

/** Tells whether a unit is from, or mentions, a time that the query names. */
export const meetsTime = ({ shelf, question }: Weighed, slot: number): boolean => {
  if (question.times.length === 0) return false;
  const at = shelf.columns.at[slot] ?? 0;
  const named = shelf.times.get(slot);
  return question.times.some((time) => (time.from <= at && at < time.to) || (named?.some((own) => overlaps(own, time)) ?? false));
};

/** Tells whether a unit is about a subject that the query names. */
export const meetsSubject = ({ shelf, question }: Weighed, slot: number): boolean =>
  question.subjects.size > 0 && question.subjects.has(shelf.columns.subject[slot] ?? none);

/** Returns the score of the previous turn if it is a question, since an answer may repeat none of its words. */
const askedBefore = ({ shelf, sheet }: Weighed, slot: number): number => {
  const before = shelf.columns.previous[slot] ?? none;
  return before !== none && ((shelf.columns.traits[before] ?? 0) & trait.asks) !== 0 ? (sheet.own[before] ?? 0) : 0;
};

/** Writes a unit's parts without the contributions between facts and turns. Returns their sum. */
const ownParts = (weighed: Weighed, slot: number): number => {
  const { shelf, sheet, weights, question, all, allSession, parts } = weighed;
  const kind = shelf.columns.traits[slot] ?? 0;
  const spoken = (kind & trait.turn) !== 0;
  parts[0] = (sheet.words[slot] ?? 0) / all;
  parts[1] = spoken ? (weights.session * (sheet.session[shelf.columns.group[slot] ?? none] ?? 0)) / allSession : 0;
  parts[2] = (weights.concept * (sheet.concept[slot] ?? 0)) / all;
  parts[3] = question.subjects.size === 1 && meetsSubject(weighed, slot) ? weights.subject : 0;
  parts[4] = meetsTime(weighed, slot) ? weights.date : 0;
  parts[5] = question.wantsTime && (kind & trait.timed) !== 0 ? weights.when : 0;
  parts[6] = spoken ? (weights.answer * askedBefore(weighed, slot)) / all : 0;
  parts[7] = (kind & trait.asks) === 0 ? 0 : -weights.question;
  let total = 0;
  for (let part = 0; part < 8; part++) total += parts[part] ?? 0;
  return total;
};

/** Returns the highest own score of a fact's source turns. */
const sourceScore = ({ shelf, sheet }: Weighed, content: Content | undefined): number => {
  let best = 0;
  for (const id of content?.sources ?? []) best = Math.max(best, sheet.total[shelf.slots.get(id) ?? none] ?? 0);
  return best;
};

/** Returns the highest word score of the facts from a turn. */
const factScore = ({ shelf, sheet }: Weighed, content: Content | undefined): number => {
  let best = 0;
  for (const slot of shelf.drawn.get(content?.id ?? "") ?? []) best = Math.max(best, sheet.words[slot] ?? 0);
  return best;
};

/** Returns the contribution of a fact's sources, or of a turn's facts. */
const lent = (weighed: Weighed, slot: number): number => {
  const { shelf, weights, all } = weighed;
  if (shelf.drawn.size === 0) return 0;
  const kind = shelf.columns.traits[slot] ?? 0;
  if ((kind & trait.fact) !== 0) return weights.source * sourceScore(weighed, shelf.contents[slot]);
  return (kind & trait.turn) === 0 ? 0 : (weights.fact * factScore(weighed, shelf.contents[slot])) / all;
};

/** Returns the score of a candidate. */
export const scoreOf = (weighed: Weighed, slot: number): number => (weighed.sheet.total[slot] ?? 0) + lent(weighed, slot);

/** Returns all parts of a unit, one for each of {@link partNames}. The array is reused by the next call. */
export const partsOf = (weighed: Weighed, slot: number): Float64Array => {
  const { shelf, parts } = weighed;
  ownParts(weighed, slot);
  const isFact = ((shelf.columns.traits[slot] ?? 0) & trait.fact) !== 0;
  parts[8] = isFact ? lent(weighed, slot) : 0;
  parts[9] = isFact ? 0 : lent(weighed, slot);
  return parts;
};

/** Makes the facts of candidate turns, and the source turns of candidate facts, candidates too. */
const touchRelated = ({ shelf, sheet }: Weighed): void => {
  if (shelf.drawn.size === 0) return;
  const met = sheet.touched.length;
  for (let place = 0; place < met; place++) {
    const content = shelf.contents[sheet.touched[place] ?? none];
    for (const fact of shelf.drawn.get(content?.id ?? "") ?? []) touch(sheet, fact);
    for (const id of content?.sources ?? []) {
      const turn = shelf.slots.get(id);
      if (turn !== undefined) touch(sheet, turn);
    }
  }
};

const touchAnchored = (weighed: Weighed): void => {
  const { shelf, sheet, question } = weighed;
  const bySubject = question.terms.length === 0 && question.subjects.size > 0;
  if (question.times.length === 0 && !bySubject) return;
  for (const slot of shelf.slots.values()) if (meetsTime(weighed, slot) || (bySubject && meetsSubject(weighed, slot))) touch(sheet, slot);
};

/** Maximum number of unknown words for which a similar term is searched. */
const mostUnknown = 6;
/** Maximum number of words of a query. Of a longer query, the rarest words count, so that a pasted letter is found quickly and by its specific words. */
const mostTerms = 64;

const telling = (shelf: Shelf, terms: readonly string[]): readonly string[] => {
  if (terms.length <= mostTerms) return terms;
  const uses = (text: string): number => shelf.terms.get(text)?.postings.length ?? Infinity;
  return terms.toSorted((a, b) => uses(a) - uses(b) || (a < b ? -1 : 1)).slice(0, mostTerms);
};

/** Walks the posting lists of a query's words and returns the maximum weight of each. */
const walkWords = (field: WordField, terms: readonly string[], near: number): readonly Worth[] => {
  const { shelf } = field;
  let unknown = 0;
  return terms.map((text) => {
    const known = shelf.terms.get(text);
    if (known) return walkWord(field, known, 1);
    unknown += 1;
    return walkWord(field, unknown > mostUnknown ? undefined : nearestTerm(shelf.terms, text), near);
  });
};

/** Returns the total weight of the heaviest words, up to a count. */
const heaviest = (worths: readonly Worth[], count: number): number =>
  worths
    .map(({ unit }) => unit)
    .toSorted((a, b) => b - a)
    .slice(0, count)
    .reduce((sum, worth) => sum + worth, 0);

/** Weighs a query against an index. Afterwards the sheet's `touched` lists the candidates, and `total` has their own scores. */
export const weigh = (shelf: Shelf, sheet: Sheet, weights: RetrievalWeights, question: Question): Weighed => {
  const field = fieldOf(shelf, sheet, weights);
  const worths = walkWords(field, telling(shelf, question.terms), weights.near);
  for (const text of question.members) {
    const term = shelf.terms.get(text);
    if (term) walkMember(field, term);
  }
  const weighed: Weighed = {
    ...{ shelf, sheet, weights, question },
    all: heaviest(worths, worths.length) || 1,
    allSession: worths.reduce((sum, { session }) => sum + session, 0) || 1,
    enough: heaviest(worths, weights.enough) || 1,
    parts: new Float64Array(partNames.length),
  };
  touchAnchored(weighed);
  touchRelated(weighed);
  for (const slot of sheet.touched) sheet.total[slot] = ownParts(weighed, slot);
  return weighed;
};
