/** Walks the lists of a question's words and adds up, for each unit met, what the words in and around it are worth. */
import { countBits, mostCount, none, type Shelf, type Sums, type Term, trait } from "./shelf.ts";
import type { RetrievalWeights } from "./weights.ts";

/** Occurrences are counted in fractions, as whole numbers: their sums then do not depend on the order of a list. */
const thousand = 1000;

/** Where a walk adds up: by slot and by place of group. It serves one question at a time; only what was touched is swept. */
export interface Sheet {
  /** What the words of a unit and of its neighbours are worth. */
  readonly words: Float64Array;
  /** What its own words are worth. */
  readonly own: Float64Array;
  /** The best word of a class that the question names. */
  readonly concept: Float64Array;
  /** What a unit scores by itself. */
  readonly total: Float64Array;
  /** Occurrences of the word at hand. */
  readonly pending: Float64Array;
  /** Units that have the word at hand, or stand near one. */
  readonly met: Int32Array;
  metSize: number;
  /** What the words of a whole group are worth. */
  readonly session: Float64Array;
  readonly sessionPending: Float64Array;
  readonly seen: Uint8Array;
  readonly touched: number[];
  readonly groups: Set<number>;
}

/** A sheet with room for a shelf's units. */
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

/** Makes a sheet blank again. */
export const sweep = (sheet: Sheet): void => {
  for (const slot of sheet.touched) sheet.words[slot] = sheet.own[slot] = sheet.concept[slot] = sheet.total[slot] = sheet.seen[slot] = 0;
  for (const group of sheet.groups) sheet.session[group] = 0;
  sheet.touched.length = 0;
  sheet.groups.clear();
};

/** Inverse document frequency in the form that is never negative (Lucene's). */
export const rarity = (all: number, having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** Notes a unit as a candidate. */
export const touch = (sheet: Sheet, slot: number): void => {
  if (sheet.seen[slot] === 1) return;
  sheet.seen[slot] = 1;
  sheet.touched.push(slot);
};

/** BM25 of a field, with all that is the same for each of its texts worked out: `count * gain / (count + flat + slope * length + bend * (length - long))`. */
interface Curve {
  readonly flat: number;
  readonly slope: number;
  /** Added to the slope for what is longer than a usual text. */
  readonly bend: number;
}

/** What a walk knows before it begins. */
export interface WordField {
  readonly shelf: Shelf;
  readonly sheet: Sheet;
  readonly gain: number;
  /** How many units rarity is counted among. */
  readonly units: number;
  readonly long: number;
  readonly turn: Curve;
  readonly other: Curve;
  readonly group: Curve;
  /** What an occurrence in the words of an assistant counts for, in thousandths. */
  readonly assistant: number;
  /** What those behind a unit get of it, and those before it. */
  readonly before: Side;
  readonly after: Side;
}

/** The neighbours on one side of every unit, and what they get of its words, in thousandths. */
interface Side {
  readonly neighbours: Int32Array;
  readonly shares: readonly number[];
}

const inThousandths = (share: number): number => Math.round(share * thousand);

/** The first occurrence tells most, and a long text is expected to have more. */
const curveOf = ({ saturation, longLength }: RetrievalWeights, b: number, { units, terms }: Readonly<Sums>): Curve => {
  const mean = Math.max(1, terms / Math.max(1, units));
  return { flat: saturation * (1 - b), slope: (saturation * b) / mean, bend: (saturation * Math.max(0, longLength - b)) / mean };
};

/** Prepares walks over a shelf. */
export const fieldOf = (shelf: Shelf, sheet: Sheet, weights: RetrievalWeights): WordField => ({
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

/** What so many occurrences in a unit are worth, as a share of what its word is worth. */
const shareOf = ({ shelf, gain, long, turn, other }: WordField, slot: number, count: number): number => {
  const { flat, slope, bend } = ((shelf.columns.traits[slot] ?? 0) & trait.turn) === 0 ? other : turn;
  const length = shelf.columns.length[slot] ?? 0;
  return (count * gain) / (count + flat + slope * length + bend * Math.max(0, length - long));
};

/** Counts occurrences for a unit: whole numbers, thousandths of thousandths. */
const count = (sheet: Sheet, slot: number, occurrences: number): void => {
  if (occurrences === 0) return;
  const before = sheet.pending[slot] ?? 0;
  if (before === 0) sheet.met[sheet.metSize++] = slot;
  sheet.pending[slot] = before + occurrences;
};

/** Counts them for the units on one side as well, the nearest most. */
const spread = (sheet: Sheet, from: number, { neighbours, shares }: Side, occurrences: number): void => {
  let slot = neighbours[from] ?? none;
  for (let step = 0; step < shares.length && slot !== none; step++) {
    count(sheet, slot, occurrences * (shares[step] ?? 0));
    slot = neighbours[slot] ?? none;
  }
};

/** What a word is worth at most: to a unit, and to a group. */
export interface Worth {
  readonly unit: number;
  readonly session: number;
}

/**
 * One word: what it is worth to every unit that has it, or that stands near one that has it. With a share below 1 the word is not the one that was asked for: it
 * counts less than all of it, and so never stands for everything.
 */
export const walkWord = (field: WordField, term: Term | undefined, share: number): Worth => {
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

/** A word of a class that the question names: a unit gets the best of them, not their sum. */
export const walkMember = (field: WordField, term: Term): void => {
  const { sheet } = field;
  const worth = rarity(field.units, term.postings.length);
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    sheet.concept[slot] = Math.max(sheet.concept[slot] ?? 0, worth * shareOf(field, slot, posting & mostCount));
    touch(sheet, slot);
  }
};
