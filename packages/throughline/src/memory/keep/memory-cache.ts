import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import { doInSlices, inSlices, type Slices } from "../../kernel/slices.ts";
import { profileId } from "../entry.ts";
import { createVectorIndex } from "../recall/dense.ts";
import { createQueryVectors, type QueryVectors } from "../recall/embed-before.ts";
import { createMemoryIndex } from "../recall/memory-index.ts";
import { createTextReader, defaultReader, type TextReader } from "../recall/language.ts";
import { createTokenizer } from "../text/tokenize.ts";
import type { MemorySettings } from "../settings.ts";
import { MemoryView } from "../view.ts";
import type { EntryRow } from "../../store/port.ts";
import type { ExtensionContext } from "../../extension/port.ts";

/** A cold memory answers from so many of its newest entries; the rest is read while it answers. */
export const firstRows = 2_000;
/** Rows of one read: SQLite reads at once, and decrypting takes its time. */
const pageRows = 64;
/** Rows between two looks at the clock. */
const rowsPerLook = 8;

/** So often a memory is read for somebody who needs all of it: what is read longest may be put away meanwhile. */
const mostReads = 4;
/** A read that has taken so long is lost. */
const lostMs = 30_000;

/** Reads single entries of a memory that is not read whole yet, as of what is known of it: for what must not be missed. */
export async function readEntries(
  store: CacheContext["store"],
  owner_id: OwnerId,
  { view, ids }: { readonly view: MemoryView; readonly ids: readonly string[] },
): Promise<void> {
  for (const entry_id of ids)
    for (const row of await store.entries({ owner_id, entry_id, max_version: view.version, newest: true, limit: 1 })) view.apply(row);
}

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

type CacheContext = Pick<ExtensionContext, "store" | "clock" | "logger">;

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

  /** An owner's memory when all of it has been read, for a decision that must know all. `store.unreachable` if it cannot be read to its end. */
  async whole(owner: OwnerId, settings: MemorySettings, ownerVersion?: number): Promise<MemoryView> {
    for (let tries = 1; tries <= mostReads; tries++) {
      const { view, completing } = await this.of(owner, settings, ownerVersion);
      if (completing === undefined) return view;
      // It ends without an error: what was read so far is put away, or read once more.
      await completing;
    }
    throw new ThroughlineError("store.unreachable", "The memory could not be read to its end.");
  }

  /** Makes what reading texts needs, before a turn does: it takes a few tenths of a second the first time. */
  async prepare(settings: MemorySettings, options: { readonly signal: AbortSignal }): Promise<void> {
    const reader = this.#readerFor(settings) ?? defaultReader();
    await doInSlices(reader.prepare(), { clock: this.#runtime.clock, ...options });
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
    const before = await this.#readBack(slot, owner, { most: firstRows });
    if (before === undefined) return;
    // How the person wants to be talked with, and whether anything may be brought up, holds for every turn, however long ago it was said.
    await readEntries(this.#runtime.store, owner, { view: slot.view, ids: [profileId] });
    slot.completing = this.#readBack(slot, owner, { upto: before })
      .then(() => {})
      .catch((error: unknown) => {
        // What was read stays right; the next process, or the next look after this one was put away, reads it whole.
        this.#runtime.logger.warn("reading memory failed", { code: ThroughlineError.from(error).code });
        slot.ownerVersion = -1;
      })
      .finally(() => (slot.completing = undefined));
  }

  /** Takes in the last `most` rows up to a version, page by page. Gives the version to go on with; undefined if nothing lies before it. */
  async #readBack(
    slot: Slot,
    owner_id: OwnerId,
    { upto, most = Number.POSITIVE_INFINITY }: { readonly upto?: number; readonly most?: number },
  ): Promise<number | undefined> {
    const slices = this.#slices();
    let max = upto;
    for (let left = most; left > 0; left -= pageRows) {
      const rows = await this.#runtime.store.entries({ owner_id, newest: true, limit: pageRows, ...(max === undefined ? {} : { max_version: max }) });
      await this.#apply(slot, rows, slices);
      const [oldest] = rows;
      if (rows.length < pageRows || oldest === undefined || oldest.version <= 1 || (slot.dropped && upto !== undefined)) return undefined;
      max = oldest.version - 1;
    }
    return max;
  }

  async #readNew(slot: Slot, owner_id: OwnerId): Promise<void> {
    const slices = this.#slices();
    for (;;) {
      const rows = await this.#runtime.store.entries({ owner_id, min_version: slot.view.version + 1, limit: pageRows });
      await this.#apply(slot, rows, slices);
      if (rows.length < pageRows) return;
    }
  }

  #slices(): Slices {
    return inSlices({ clock: this.#runtime.clock });
  }

  /** Takes rows in, in slices: a long memory holds nothing up. */
  async #apply(slot: Slot, rows: readonly EntryRow[], slices: Slices): Promise<void> {
    const before = slices.workedMs;
    for (const [at, row] of rows.entries()) {
      if (at % rowsPerLook === 0 && slices.isOver) await slices.rest();
      slot.view.apply(row);
    }
    slot.built_ms += slices.workedMs - before;
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

const caches = new WeakMap<object, MemoryCache>();

/** What this process has read of people's memories, for one runtime: made when it is first asked for. */
export function cacheOf(context: CacheContext & Pick<ExtensionContext, "memoryBytes">): MemoryCache {
  const cache = caches.get(context) ?? new MemoryCache(context, { mostBytes: context.memoryBytes });
  caches.set(context, cache);
  return cache;
}

/** Forgets what this process has read of an owner, if it has read anything. */
export const dropOwner = (context: object, owner_id: OwnerId): void => caches.get(context)?.drop(owner_id);
