/** Walks the lists of a question's words and adds up, for each unit met, what the words in and around it are worth. */
import { countBits, type Group, none, type Shelf, type Term, trait } from "./shelf.ts";
import type { RetrievalWeights } from "./weights.ts";

/** Occurrences are counted in thousandths, as whole numbers: their sums then do not depend on the order of a list. */
const whole = 1000;

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

/** What a walk knows before it begins. */
interface Field {
  readonly shelf: Shelf;
  readonly sheet: Sheet;
  readonly weights: RetrievalWeights;
  /** Mean lengths: of a turn, of a fact or arc, of a group. */
  readonly turn: number;
  readonly other: number;
  readonly group: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

const mean = (sum: number, count: number): number => Math.max(1, count === 0 ? 1 : sum / count);
const inThousandths = (share: number): number => Math.round(share * whole);

/** Prepares walks over a shelf. */
export const fieldOf = (shelf: Shelf, sheet: Sheet, weights: RetrievalWeights): Field => ({
  shelf,
  sheet,
  weights,
  turn: mean(shelf.turns.terms, shelf.turns.units),
  other: mean(shelf.others.terms, shelf.others.units),
  group: mean(shelf.turns.terms, shelf.groups.size),
  before: weights.before,
  after: weights.after,
});

/** BM25's curve: the first occurrence tells most, and a long text is expected to have more. */
const saturate = (count: number, saturation: number, b: number, length: number, average: number): number =>
  (count * (saturation + 1)) / (count + saturation * (1 - b + (b * length) / average));

const lengthShare = (field: Field, slot: number): readonly [number, number] =>
  ((field.shelf.columns.traits[slot] ?? 0) & trait.turn) === 0 ? [field.weights.factLength, field.other] : [field.weights.turnLength, field.turn];

const spread = (pending: Float64Array, met: number[], neighbours: Int32Array, from: number, shares: readonly number[], count: number): void => {
  let slot = neighbours[from] ?? none;
  for (let step = 0; step < shares.length && slot !== none; step++) {
    if (pending[slot] === 0) met.push(slot);
    pending[slot] = (pending[slot] ?? 0) + Math.round(count * (shares[step] ?? 0));
    slot = neighbours[slot] ?? none;
  }
};

/** What a word is worth at most: to a unit, and to a group. */
export interface Worth {
  readonly unit: number;
  readonly session: number;
}

/** One word: what it is worth to every unit that has it, or that stands near one that has it. */
export const walkWord = (field: Field, term: Term | undefined): Worth => {
  const { shelf, sheet, weights } = field;
  const worth = rarity(shelf.slots.size, term?.postings.length ?? 0);
  if (!term) return { unit: worth, session: rarity(shelf.groups.size, 0) };
  const { traits, next, previous, group, length } = shelf.columns;
  const met: number[] = [];
  const metGroups: number[] = [];
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    const kind = traits[slot] ?? 0;
    const thousandths = inThousandths((posting & (2 ** countBits - 1)) * ((kind & trait.assistant) === 0 ? 1 : weights.assistant));
    const count = thousandths / whole;
    if (sheet.pending[slot] === 0) met.push(slot);
    sheet.pending[slot] = (sheet.pending[slot] ?? 0) + thousandths;
    const [b, average] = lengthShare(field, slot);
    sheet.own[slot] = (sheet.own[slot] ?? 0) + worth * saturate(count, weights.saturation, b, length[slot] ?? 0, average);
    if ((kind & trait.turn) === 0) continue;
    spread(sheet.pending, met, next, slot, field.before, thousandths);
    spread(sheet.pending, met, previous, slot, field.after, thousandths);
    const place = group[slot] ?? none;
    if (sheet.sessionPending[place] === 0) metGroups.push(place);
    sheet.sessionPending[place] = (sheet.sessionPending[place] ?? 0) + thousandths;
  }
  for (const slot of met) {
    const [b, average] = lengthShare(field, slot);
    const count = (sheet.pending[slot] ?? 0) / whole;
    sheet.pending[slot] = 0;
    sheet.words[slot] = (sheet.words[slot] ?? 0) + worth * saturate(count, weights.saturation, b, length[slot] ?? 0, average);
    touch(sheet, slot);
  }
  return { unit: worth, session: walkGroups(field, metGroups) };
};

const walkGroups = (field: Field, met: readonly number[]): number => {
  const { shelf, sheet, weights } = field;
  const worth = rarity(shelf.groups.size, met.length);
  for (const place of met) {
    const group: Group | undefined = shelf.groupAt[place];
    const count = (sheet.sessionPending[place] ?? 0) / whole;
    sheet.sessionPending[place] = 0;
    sheet.session[place] =
      (sheet.session[place] ?? 0) + worth * saturate(count, weights.saturation, weights.groupLength, group?.length ?? 0, field.group);
    sheet.groups.add(place);
  }
  return worth;
};

/** A word of a class that the question names: a unit gets the best of them, not their sum. */
export const walkMember = (field: Field, term: Term): void => {
  const { shelf, sheet, weights } = field;
  const worth = rarity(shelf.slots.size, term.postings.length);
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    const [b, average] = lengthShare(field, slot);
    const got = worth * saturate(posting & (2 ** countBits - 1), weights.saturation, b, shelf.columns.length[slot] ?? 0, average);
    sheet.concept[slot] = Math.max(sheet.concept[slot] ?? 0, got);
    touch(sheet, slot);
  }
};
