import type { OwnerId } from "../../kernel/id.ts";
import { createVectorIndex } from "../../memory/recall/dense.ts";
import { createQueryVectors, type QueryVectors } from "../../memory/recall/embed-before.ts";
import { createMemoryIndex } from "../../memory/recall/memory-index.ts";
import { createTextReader } from "../../memory/recall/language.ts";
import type { TextReader } from "../../memory/recall/reader.ts";
import { createTokenizer } from "../../memory/text/tokenize.ts";
import type { MemorySettings } from "../../memory/settings.ts";
import { MemoryView } from "../../memory/view.ts";
import type { EntryRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** A cold memory answers from so many of its newest entries; the rest is read while it answers. */
export const firstRows = 2_000;
/** Rows of one read: a thousand would hold up the process for some milliseconds. */
const pageRows = 250;
/** After so many milliseconds of work the process's other work has its turn. */
const sliceMs = 4;
/** Rows between two looks at the clock. */
const rowsPerLook = 16;

/** A read that has taken so long is lost. */
const lostMs = 30_000;

/** An owner's memory in this process. */
export interface CachedMemory {
  readonly view: MemoryView;
  /** Vectors of what this owner has asked. */
  readonly queries: QueryVectors;
  /** Resolves when older entries have been read too; undefined once they have. */
  readonly completing: Promise<void> | undefined;
  /** Milliseconds that building it took, so far. */
  readonly built_ms: number;
}

interface Slot {
  readonly view: MemoryView;
  readonly queries: QueryVectors;
  completing: Promise<void> | undefined;
  built_ms: number;
  /** The owner's version that it is at least as new as. */
  ownerVersion: number;
  /** The read that is under way: one at a time for an owner. */
  reading: Promise<void>;
  /** When that began, by the monotonic clock; undefined while nothing is read. */
  began: number | undefined;
  dropped: boolean;
}

type CacheContext = Pick<RuntimeContext, "store" | "clock" | "logger">;

/**
 * The memories that this process has read, by owner: a cache of rows, never the truth. Each owner has an index of its own. What was not used for the longest
 * time goes when they take more bytes than they may.
 */
export class MemoryCache {
  readonly #runtime: CacheContext;
  readonly #mostBytes: number;
  /** In the order of their last use. */
  readonly #slots = new Map<string, Slot>();
  readonly #settings = new Map<MemorySettings, number>();
  readonly #readers = new Map<MemorySettings, TextReader>();

  constructor(runtime: CacheContext, options: { readonly mostBytes: number }) {
    this.#runtime = runtime;
    this.#mostBytes = options.mostBytes;
  }

  /** About how many bytes all of them take. */
  get bytes(): number {
    let sum = 0;
    for (const { view } of this.#slots.values()) sum += view.bytes;
    return sum;
  }

  /**
   * An owner's memory, as new as `ownerVersion` (the `owner_version` of a header that was read before), or as the database has it now if that is left
   * out. A memory that was not read yet and is long comes with its newest entries first.
   */
  async of(owner: OwnerId, settings: MemorySettings, ownerVersion?: number): Promise<CachedMemory> {
    const key = this.#keyOf(owner, settings);
    const slot = this.#usable(key) ?? this.#begin(settings);
    // The last used stands last.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    if (ownerVersion === undefined || ownerVersion > slot.ownerVersion) {
      const read = slot.reading.then(() => this.#catchUp(slot, owner, ownerVersion));
      slot.reading = read.catch(() => {});
      await read;
      this.#evict(key);
    }
    const { view, queries, completing, built_ms } = slot;
    return { view, queries, completing, built_ms };
  }

  /** Forgets what was read of an owner. */
  drop(owner: OwnerId): void {
    for (const [key, slot] of this.#slots) {
      if (!key.startsWith(`${owner} `)) continue;
      slot.dropped = true;
      this.#slots.delete(key);
    }
  }

  /** Agents that search alike share an index. */
  #keyOf(owner: OwnerId, settings: MemorySettings): string {
    const known = this.#settings.get(settings) ?? this.#settings.size;
    this.#settings.set(settings, known);
    return `${owner} ${known}`;
  }

  /** What is known of an owner; not if a read of it never came to an end, which the next one would wait for. */
  #usable(key: string): Slot | undefined {
    const slot = this.#slots.get(key);
    if (slot?.began === undefined || this.#runtime.clock.monotonic() - slot.began < lostMs) return slot;
    slot.dropped = true;
    return undefined;
  }

  #begin(settings: MemorySettings): Slot {
    const { weights, embedding } = settings;
    const reader = this.#readerFor(settings);
    const index = createMemoryIndex({ ...(weights === undefined ? {} : { weights }), ...(reader === undefined ? {} : { reader }) });
    const view = new MemoryView({ index, vectors: embedding === undefined ? undefined : createVectorIndex(embedding) });
    const queries = createQueryVectors();
    return { view, queries, completing: undefined, built_ms: 0, ownerVersion: -1, reading: Promise.resolve(), began: undefined, dropped: false };
  }

  /** Languages are read alike for all owners: one reader keeps no text of anybody. */
  #readerFor(settings: MemorySettings): TextReader | undefined {
    const { locales } = settings;
    if (locales === undefined) return undefined;
    const reader = this.#readers.get(settings) ?? createTextReader(createTokenizer({ locales }));
    this.#readers.set(settings, reader);
    return reader;
  }

  async #catchUp(slot: Slot, owner: OwnerId, ownerVersion: number | undefined): Promise<void> {
    if (ownerVersion !== undefined && ownerVersion <= slot.ownerVersion) return;
    slot.began = this.#runtime.clock.monotonic();
    try {
      if (slot.ownerVersion < 0) await this.#readFirst(slot, owner);
      else await this.#readNew(slot, owner);
    } finally {
      slot.began = undefined;
    }
    slot.ownerVersion = Math.max(slot.ownerVersion, ownerVersion ?? 0);
  }

  /** The newest entries at once; those before them while the process does other things. */
  async #readFirst(slot: Slot, owner: OwnerId): Promise<void> {
    const newest = await this.#readBack(owner, firstRows, undefined);
    await this.#apply(slot, newest);
    const [oldest] = newest;
    if (newest.length < firstRows || oldest === undefined || oldest.version <= 1) return;
    const older = this.#readOlder(slot, owner, oldest.version - 1);
    slot.completing = older
      .catch((error: unknown) => {
        // What was read stays right; the next process, or the next look after this one was put away, reads it whole.
        this.#runtime.logger.warn("reading memory failed", { code: error instanceof Error ? error.name : "unknown" });
        slot.ownerVersion = -1;
      })
      .finally(() => (slot.completing = undefined));
  }

  async #readOlder(slot: Slot, owner: OwnerId, from: number): Promise<void> {
    for (let upto = from; upto >= 1 && !slot.dropped;) {
      const rows = await this.#readBack(owner, pageRows, upto);
      await this.#apply(slot, rows);
      const [oldest] = rows;
      if (rows.length < pageRows || oldest === undefined) return;
      upto = oldest.version - 1;
    }
  }

  /** The last `count` rows up to a version, in pages, by version ascending. */
  async #readBack(owner_id: OwnerId, count: number, upto: number | undefined): Promise<readonly EntryRow[]> {
    const pages: (readonly EntryRow[])[] = [];
    for (let left = count, max = upto; left > 0;) {
      const limit = Math.min(left, pageRows);
      const rows = await this.#runtime.store.entries({ owner_id, newest: true, limit, ...(max === undefined ? {} : { max_version: max }) });
      pages.unshift(rows);
      left -= rows.length;
      const [oldest] = rows;
      if (rows.length < limit || oldest === undefined || oldest.version <= 1) break;
      max = oldest.version - 1;
    }
    return pages.flat();
  }

  async #readNew(slot: Slot, owner_id: OwnerId): Promise<void> {
    for (;;) {
      const rows = await this.#runtime.store.entries({ owner_id, min_version: slot.view.version + 1, limit: pageRows });
      await this.#apply(slot, rows);
      if (rows.length < pageRows) return;
    }
  }

  /** Takes rows in, newest last, in slices: a long memory holds nothing up. */
  async #apply(slot: Slot, rows: readonly EntryRow[]): Promise<void> {
    const { clock } = this.#runtime;
    let began = clock.monotonic();
    for (const [at, row] of rows.entries()) {
      slot.view.apply(row);
      if (at % rowsPerLook !== 0) continue;
      const ms = clock.monotonic() - began;
      if (ms < sliceMs) continue;
      slot.built_ms += ms;
      await new Promise((resolve) => setImmediate(resolve));
      began = clock.monotonic();
    }
    slot.built_ms += clock.monotonic() - began;
  }

  #evict(kept: string): void {
    let bytes = this.bytes;
    for (const [key, slot] of this.#slots) {
      if (bytes <= this.#mostBytes) return;
      if (key === kept) continue;
      bytes -= slot.view.bytes;
      slot.dropped = true;
      this.#slots.delete(key);
    }
  }
}
