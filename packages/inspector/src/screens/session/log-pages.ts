/** The log as lines: one for each event, in pages that are read when they are looked at. The newest page comes first. */
import { signal } from "@preact/signals";
import { RequestError, type ResultOf } from "@throughline/client";
import type { Line } from "../../parts/event-line.ts";
import { indexAt, type Rows } from "./log-rows.ts";

type Page = ResultOf<"listEventSummaries">;

/** Offsets of a page. */
const span = 500;
/** Pages that are read at the same time. */
const mostReads = 2;

/** Pages that wait to be read, unless everything is wanted. */
const mostWanted = 6;

/** Reads summaries of a stretch of the log, oldest first. */
export type ReadLines = (query: { readonly min_offset: number; readonly max_offset?: number; readonly limit: number }) => Promise<Page>;

const pageOf = (offset: number): number => Math.floor(offset / span);

export class LogPages implements Rows {
  /** Changes with each line that comes. */
  readonly version = signal(0);
  readonly #read: ReadLines;
  readonly #failed: (error: unknown) => void;
  readonly #pages = new Map<number, readonly Line[]>();
  readonly #reading = new Map<number, Promise<void>>();
  /** Pages that are looked at, most urgent last. */
  #wanted: number[] = [];
  #wantsAll = false;
  /** The row of the first line of each page, and the number of all rows. */
  #starts: readonly number[] = [0];
  /** The first offset that the service keeps. */
  #first = 0;
  /** The first offset after the last line. */
  #next = 0;

  constructor(read: ReadLines, failed: (error: unknown) => void) {
    this.#read = read;
    this.#failed = failed;
  }

  /** The first offset that the service keeps. */
  get first(): number {
    return this.#first;
  }

  /** The first offset that is not known yet. */
  get next(): number {
    return this.#next;
  }

  get count(): number {
    return this.#starts.at(-1) ?? 0;
  }

  /** Lines that are loaded. */
  get loaded(): number {
    let sum = 0;
    for (const page of this.#pages.values()) sum += page.length;
    return sum;
  }

  at(index: number): Line | undefined {
    const page = this.#pageOfRow(index);
    return this.#pages.get(page)?.[index - (this.#starts[page] ?? 0)];
  }

  /** The offset of a row, also of one that is not loaded. */
  offsetOf(index: number): number {
    const page = this.#pageOfRow(index);
    const inside = index - (this.#starts[page] ?? 0);
    return this.#pages.get(page)?.[inside]?.offset ?? Math.max(this.#first, page * span) + inside;
  }

  indexOf(offset: number): number {
    const page = Math.min(pageOf(offset), this.#starts.length - 2);
    const lines = this.#pages.get(page);
    const start = this.#starts[page] ?? 0;
    if (lines === undefined) return start + Math.min(offset - Math.max(this.#first, page * span), this.#sizeOf(page) - 1);
    return start + indexAt(lines, offset);
  }

  /** All lines that are loaded, in the order of their offsets. */
  *lines(): Generator<Line, void, undefined> {
    for (let page = 0; page < this.#starts.length - 1; page++) yield* this.#pages.get(page) ?? [];
  }

  /** Whether lines are still to be read. */
  get partial(): boolean {
    return this.#pages.size < this.#starts.length - 1 - pageOf(this.#first);
  }

  /** Reads the end of the log. */
  async open(head: number): Promise<void> {
    const from = Math.max(0, pageOf(head)) * span;
    await this.#readEnd(from);
    // A page that has just begun does not fill a screen.
    if (this.count - (this.#starts[pageOf(from)] ?? 0) < 50 && from > this.#first) await this.load(pageOf(from) - 1);
  }

  async #readEnd(from: number): Promise<void> {
    const found: Line[] = [];
    for (let next = from; ;) {
      const page = await this.#readFrom({ min_offset: next, limit: span });
      found.push(...page.items);
      next = Math.max(next + 1, page.next_offset);
      if (next > page.head) {
        this.#next = next;
        break;
      }
    }
    this.#put(pageOf(Math.max(from, this.#first)), found);
  }

  /** Reads a stretch. A log that is kept from a later offset on is read from there. */
  async #readFrom(query: Parameters<ReadLines>[0]): Promise<Page> {
    try {
      return await this.#read(query);
    } catch (error) {
      if (!RequestError.is(error, "log.retained_from")) throw error;
      const { first_offset } = error.details;
      if (typeof first_offset !== "number" || first_offset <= query.min_offset) throw error;
      this.#first = first_offset;
      return this.#read({ ...query, min_offset: first_offset });
    }
  }

  /** Takes the lines of a page and of those after it. */
  #put(from: number, lines: readonly Line[]): void {
    for (let page = from; page <= pageOf(Math.max(0, this.#next - 1)); page++)
      this.#pages.set(
        page,
        lines.filter(({ offset }) => pageOf(offset) === page),
      );
    this.#changed();
  }

  /** Takes lines that follow the last one. */
  append(lines: readonly Line[]): void {
    for (const line of lines) {
      if (line.offset < this.#next) continue;
      for (let page = pageOf(this.#next); page <= pageOf(line.offset); page++) if (!this.#pages.has(page)) this.#pages.set(page, []);
      const page = pageOf(line.offset);
      this.#pages.set(page, [...(this.#pages.get(page) ?? []), line]);
      this.#next = line.offset + 1;
    }
    this.#changed();
  }

  /** Wants the pages of some rows. Of those that were wanted earlier and are not read yet, the oldest are left out. */
  want(first: number, last = first): void {
    for (let page = this.#pageOfRow(Math.max(0, first)); page <= this.#pageOfRow(last); page++)
      if (!this.#pages.has(page)) this.#wanted = [...this.#wanted.filter((one) => one !== page), page].slice(-mostWanted);
    this.#readWanted();
  }

  /** Wants all pages, the newest first, until `stopWantingAll`. */
  wantAll(): void {
    this.#wantsAll = true;
    this.#readWanted();
  }

  stopWantingAll(): void {
    this.#wantsAll = false;
  }

  #readWanted(): void {
    while (this.#reading.size < mostReads) {
      const page = this.#wanted.pop() ?? (this.#wantsAll ? this.#newestMissing() : undefined);
      if (page === undefined) return;
      if (this.#pages.has(page) || this.#reading.has(page)) continue;
      this.load(page).then(
        () => this.#readWanted(),
        (error: unknown) => {
          this.#wanted = [];
          this.#wantsAll = false;
          this.#failed(error);
        },
      );
    }
  }

  #newestMissing(): number | undefined {
    for (let page = this.#starts.length - 2; page >= pageOf(this.#first); page--) if (!this.#pages.has(page) && !this.#reading.has(page)) return page;
    return undefined;
  }

  /** Reads a page unless it is loaded. */
  load(page: number): Promise<void> {
    if (this.#pages.has(page) || page < pageOf(this.#first)) return Promise.resolve();
    const known = this.#reading.get(page);
    if (known !== undefined) return known;
    const reading = this.#loadPage(page).finally(() => this.#reading.delete(page));
    this.#reading.set(page, reading);
    return reading;
  }

  async #loadPage(page: number): Promise<void> {
    const last = page * span + span - 1;
    const found: Line[] = [];
    for (let next = Math.max(this.#first, page * span); next <= last;) {
      const read = await this.#readFrom({ min_offset: next, max_offset: last, limit: span });
      found.push(...read.items);
      next = Math.max(next + 1, read.next_offset);
    }
    // Lines that follow live are not doubled, and those that came during the read are kept.
    const known = found.filter(({ offset }) => offset < this.#next);
    const since = (this.#pages.get(page) ?? []).filter(({ offset }) => offset > (known.at(-1)?.offset ?? -1));
    this.#pages.set(page, [...known, ...since]);
    this.#changed();
  }

  /** Reads the lines of some offsets again. */
  async refresh(offsets: readonly number[]): Promise<void> {
    const pages = new Set(offsets.map(pageOf));
    await Promise.all([...pages].filter((page) => this.#pages.has(page)).map((page) => this.#loadPage(page)));
  }

  /** The next line in a direction that fits. Reads pages on the way. */
  async find(offset: number, by: 1 | -1, fits: (line: Line) => boolean): Promise<Line | undefined> {
    let index = this.indexOf(offset) + by;
    while (index >= 0 && index < this.count) {
      const line = this.at(index);
      if (line === undefined) {
        const place = this.offsetOf(index);
        await this.load(pageOf(place));
        // Events that this reader is not shown leave no row.
        index = by === 1 ? this.indexOf(place - 1) + 1 : this.indexOf(place);
        if (this.at(index) === undefined && pageOf(this.offsetOf(index)) === pageOf(place)) return undefined;
      } else if (fits(line)) return line;
      else index += by;
    }
    return undefined;
  }

  #sizeOf(page: number): number {
    const lines = this.#pages.get(page);
    if (lines !== undefined) return lines.length;
    return Math.max(0, Math.min(this.#next, (page + 1) * span) - Math.max(this.#first, page * span));
  }

  #changed(): void {
    const starts = [0];
    for (let page = 0; page * span < this.#next; page++) starts.push((starts[page] ?? 0) + this.#sizeOf(page));
    this.#starts = starts;
    this.version.value += 1;
  }

  #pageOfRow(index: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle + 1] ?? Number.POSITIVE_INFINITY) <= index) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.min(low, this.#starts.length - 2));
  }
}
