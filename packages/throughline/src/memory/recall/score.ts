/** Walks the posting lists of a query's words and accumulates the weight of each matching unit and its neighbors. */
import { countBits, mostCount, none, type Shelf, type Sums, type Term, trait } from "./shelf.ts";
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
export const rarity = (all: number, having: number): number => Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** Marks a unit as a candidate. */
export const touch = (sheet: Sheet, slot: number): void => {
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
export interface WordField {
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
export interface Worth {
  readonly unit: number;
  readonly session: number;
}

/**
 * Adds the weight of one word to every unit that contains it or is near one that does. A share below 1 marks a substitute for the queried word. It
 * scores less than the full weight.
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

/** Adds a word of a class that the query names. A unit gets the best of these words, not their sum. */
export const walkMember = (field: WordField, term: Term): void => {
  const { sheet } = field;
  const worth = rarity(field.units, term.postings.length);
  for (const posting of term.postings) {
    const slot = posting >> countBits;
    sheet.concept[slot] = Math.max(sheet.concept[slot] ?? 0, worth * shareOf(field, slot, posting & mostCount));
    touch(sheet, slot);
  }
};
