/** One owner's memory, ready to be searched by words. */
import { analyse, type Names, namesOf, type Weighed, weigh } from "./weigh.ts";
import { defaultReader, type TextReader } from "./language.ts";
import { rankGroupsOf, rankUnits } from "./rank.ts";
import { type Sheet, sheetFor, sweep } from "./score.ts";
import { bytesOf, emptyShelf, type Shelf, shelve, unshelve } from "./shelf.ts";
import type { MemoryIndex, MemoryUnit, RankedUnit, Ranking, RankRequest } from "./unit.ts";
import { defaultWeights, type RetrievalWeights } from "./weights.ts";

const defaultLimit = 50;

/** What an index may be made with. */
export interface MemoryIndexOptions {
  /** The languages that it reads: see `createTextReader`; the supplied ones by default. */
  readonly reader?: TextReader;
  /** What ranking weighs; {@link defaultWeights} by default. */
  readonly weights?: RetrievalWeights;
}

/**
 * Makes an empty index, for one owner. What is given to it is gone with it: the entries are the truth, and an index is made of them again whenever it is missing.
 */
export const createMemoryIndex = ({ reader = defaultReader(), weights = defaultWeights }: MemoryIndexOptions = {}): MemoryIndex =>
  new WordIndex(reader, weights);

class WordIndex implements MemoryIndex {
  readonly #reader: TextReader;
  readonly #weights: RetrievalWeights;
  readonly #shelf: Shelf = emptyShelf();
  /** Kept from question to question, and made anew when it has become too small. */
  #sheet: Sheet = sheetFor(this.#shelf);
  /** Names of the subjects, as long as these stay the same. */
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

  /** Units and groups are mostly asked for by the same request, one after the other: it is weighed once. */
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
