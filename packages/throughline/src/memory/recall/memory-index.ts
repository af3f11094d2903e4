/** Word index of one owner's memory. */
import { analyse, type Names, namesOf, type Weighed, weigh } from "./weigh.ts";
import { defaultReader, type TextReader } from "./language.ts";
import { rankGroupsOf, rankUnits } from "./rank.ts";
import { type Sheet, sheetFor, sweep } from "./score.ts";
import { bytesOf, emptyShelf, type Shelf, shelve, unshelve } from "./shelf.ts";
import type { MemoryIndex, MemoryUnit, RankedUnit, Ranking, RankRequest } from "./unit.ts";
import { defaultWeights, type RetrievalWeights } from "./weights.ts";

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
