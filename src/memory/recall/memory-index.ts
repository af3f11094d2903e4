/** One owner's memory, ready to be searched by words. */
import { analyse, type Names, namesOf } from "./analyse.ts";
import { language } from "./language.ts";
import { rankGroupsOf, rankUnits } from "./rank.ts";
import type { TextReader } from "./reader.ts";
import { type Sheet, sheetFor, sweep } from "./score.ts";
import { bytesOf, emptyShelf, type Shelf, shelve, unshelve } from "./shelf.ts";
import type { MemoryIndex, MemoryUnit, RankedUnit, Ranking, RankRequest } from "./unit.ts";
import { type Weighed, weigh } from "./weigh.ts";
import { defaultWeights, type RetrievalWeights } from "./weights.ts";

const defaultLimit = 50;

/** What an index may be made with. */
export interface MemoryIndexOptions {
  /** The language that it reads; by default English, and what the built-in tokenizer knows besides. */
  readonly reader?: TextReader;
  /** What ranking weighs; {@link defaultWeights} by default. */
  readonly weights?: RetrievalWeights;
}

/**
 * Makes an empty index, for one owner. What is given to it is gone with it: the entries are the truth, and an index is made of them again whenever it is missing.
 */
export const createMemoryIndex = ({ reader = language, weights = defaultWeights }: MemoryIndexOptions = {}): MemoryIndex =>
  new WordIndex(reader, weights);

class WordIndex implements MemoryIndex {
  readonly #reader: TextReader;
  readonly #weights: RetrievalWeights;
  readonly #shelf: Shelf = emptyShelf();
  /** Kept from question to question, and made anew when it has become too small. */
  #sheet: Sheet = sheetFor(this.#shelf);
  #names: Names | undefined;

  constructor(reader: TextReader, weights: RetrievalWeights) {
    this.#reader = reader;
    this.#weights = weights;
  }

  add(unit: MemoryUnit): void {
    unshelve(this.#shelf, unit.id);
    shelve(this.#shelf, unit, this.#reader);
    this.#names = undefined;
  }

  remove(id: string): boolean {
    this.#names = undefined;
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
    return this.#weigh(request, (weighed) => rankUnits(weighed, request.limit ?? defaultLimit));
  }

  rankGroups(request: RankRequest): readonly RankedUnit[] {
    return this.#weigh(request, (weighed) => rankGroupsOf(weighed, request.limit ?? defaultLimit));
  }

  #weigh<Result>(request: RankRequest, read: (weighed: Weighed) => Result): Result {
    const shelf = this.#shelf;
    if (this.#sheet.words.length < shelf.columns.at.length || this.#sheet.session.length < shelf.groupAt.length) this.#sheet = sheetFor(shelf);
    const names = request.aliases ? namesOf(shelf.subjects.values(), request.aliases) : (this.#names ??= namesOf(shelf.subjects.values()));
    try {
      return read(weigh(shelf, this.#sheet, this.#weights, analyse(request, names, this.#reader)));
    } finally {
      sweep(this.#sheet);
    }
  }
}
