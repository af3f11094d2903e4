import { present } from "../../kernel/json.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import { doInSlices, inSlices, type Slices } from "../../kernel/slices.ts";
import { profileId } from "../entry.ts";
import { createVectorIndex } from "../recall/dense.ts";
import { createQueryVectors, type QueryVectors } from "../recall/embed-memory.ts";
import { createMemoryIndex } from "../recall/memory-index.ts";
import { createTextReader, defaultReader, type TextReader } from "../recall/language.ts";
import { createTokenizer } from "../text/tokenize.ts";
import type { MemorySettings } from "../memory-settings.ts";
import { MemoryView } from "../view.ts";
import type { EntryRow } from "../../store/port.ts";
import type { ExtensionContext } from "../../extension/port.ts";

/** Number of newest entries that a cold memory loads before it serves requests. The rest loads in the background. */
export const firstRows = 2_000;
/** Rows per read. SQLite reads synchronously, and decryption takes time. */
const pageRows = 64;
/** Rows between two checks of the clock. */
const rowsPerLook = 8;

/** Maximum number of attempts to read a complete memory. The cache may evict a memory while it loads. */
const mostReads = 4;
/** Milliseconds after which a read is considered lost. */
const lostMs = 30_000;

/** Reads single entries of a memory that is still loading, at its known version. For entries that a decision must not miss. */
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
  /** Cached vectors of this owner's queries. */
  readonly queries: QueryVectors;
  /** Resolves when older entries have been read too. Undefined once they have. */
  readonly completing: Promise<void> | undefined;
  /** Milliseconds spent on building the index so far. */
  readonly built_ms: number;
}

interface Slot {
  readonly view: MemoryView;
  readonly queries: QueryVectors;
  completing: Promise<void> | undefined;
  built_ms: number;
  /** Lower bound of the owner version that the slot reflects. */
  ownerVersion: number;
  /** The current read. Reads of one owner run one at a time. */
  reading: Promise<void>;
  /** Start of the current read by the monotonic clock. Undefined while no read runs. */
  began: number | undefined;
  dropped: boolean;
}

type CacheContext = Pick<ExtensionContext, "store" | "clock" | "logger">;

/**
 * Cache of owners' memories in this process. The store remains the source of truth. Each owner has a separate index. When the cache exceeds its size
 * limit in bytes, the least recently used memories are evicted.
 */
export class MemoryCache {
  readonly #runtime: CacheContext;
  readonly #mostBytes: number;
  /** Ordered by last use. */
  readonly #slots = new Map<string, Slot>();
  readonly #settings = new Map<MemorySettings, number>();
  readonly #readers = new Map<MemorySettings, TextReader>();

  constructor(runtime: CacheContext, options: { readonly mostBytes: number }) {
    this.#runtime = runtime;
    this.#mostBytes = options.mostBytes;
  }

  /** Estimated size of all memories in bytes. */
  get bytes(): number {
    let sum = 0;
    for (const { view } of this.#slots.values()) sum += view.bytes;
    return sum;
  }

  /**
   * Returns an owner's memory, at least as new as `ownerVersion` (the `owner_version` of a header read before). Without `ownerVersion`, reads the
   * current version. A long memory that is not cached yet starts with its newest entries.
   */
  async of(owner: OwnerId, settings: MemorySettings, ownerVersion?: number): Promise<CachedMemory> {
    const key = this.#keyOf(owner, settings);
    const slot = this.#usable(key) ?? this.#begin(settings);
    // The most recently used entry is last.
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

  /** Returns an owner's memory after all entries are read, for decisions that need all of them. Throws `store.unreachable` if it cannot be read completely. */
  async whole(owner: OwnerId, settings: MemorySettings, ownerVersion?: number): Promise<MemoryView> {
    for (let tries = 1; tries <= mostReads; tries++) {
      const { view, completing } = await this.of(owner, settings, ownerVersion);
      if (completing === undefined) return view;
      // This never rejects. After a failure, the loop reads again.
      await completing;
    }
    throw new ThroughlineError("store.unreachable", "The memory could not be read to its end.");
  }

  /** Prepares the text reader before the first turn needs it. The first time takes a few tenths of a second. */
  async prepare(settings: MemorySettings, options: { readonly signal: AbortSignal }): Promise<void> {
    const reader = this.#readerFor(settings) ?? defaultReader();
    await doInSlices(reader.prepare(), { clock: this.#runtime.clock, ...options });
  }

  /** Drops the cached memory of an owner. */
  drop(owner: OwnerId): void {
    for (const [key, slot] of this.#slots) {
      if (!key.startsWith(`${owner} `)) continue;
      slot.dropped = true;
      this.#slots.delete(key);
    }
  }

  /** Agents with the same settings share an index. */
  #keyOf(owner: OwnerId, settings: MemorySettings): string {
    const known = this.#settings.get(settings) ?? this.#settings.size;
    this.#settings.set(settings, known);
    return `${owner} ${known}`;
  }

  /** Returns the cached slot of an owner. Drops a slot whose read is lost, since the next read would wait for it. */
  #usable(key: string): Slot | undefined {
    const slot = this.#slots.get(key);
    if (slot?.began === undefined || this.#runtime.clock.monotonic() - slot.began < lostMs) return slot;
    slot.dropped = true;
    return undefined;
  }

  #begin(settings: MemorySettings): Slot {
    const { weights, embedding } = settings;
    const reader = this.#readerFor(settings);
    const index = createMemoryIndex(present({ weights, reader }));
    const view = new MemoryView({ index, vectors: embedding === undefined ? undefined : createVectorIndex(embedding) });
    const queries = createQueryVectors();
    return { view, queries, completing: undefined, built_ms: 0, ownerVersion: -1, reading: Promise.resolve(), began: undefined, dropped: false };
  }

  /** The reader is shared by all owners, since it keeps no text of any of them. */
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

  /** Reads the newest entries now, and older ones in the background. */
  async #readFirst(slot: Slot, owner: OwnerId): Promise<void> {
    const before = await this.#readBack(slot, owner, { most: firstRows });
    if (before === undefined) return;
    // The profile (rules and whether recall is enabled) applies to every turn, however old it is.
    await readEntries(this.#runtime.store, owner, { view: slot.view, ids: [profileId] });
    slot.completing = this.#readBack(slot, owner, { upto: before })
      .then(() => {})
      .catch((error: unknown) => {
        // Entries read so far stay valid. The memory is read again after an eviction or by the next process.
        this.#runtime.logger.warn("reading memory failed", { code: ThroughlineError.from(error).code }, error);
        slot.ownerVersion = -1;
      })
      .finally(() => (slot.completing = undefined));
  }

  /** Reads the last `most` rows up to a version, page by page. Returns the version at which to continue, or undefined if there are no older rows. */
  async #readBack(
    slot: Slot,
    owner_id: OwnerId,
    { upto, most = Number.POSITIVE_INFINITY }: { readonly upto?: number; readonly most?: number },
  ): Promise<number | undefined> {
    const slices = this.#slices();
    let max = upto;
    for (let left = most; left > 0; left -= pageRows) {
      const rows = await this.#runtime.store.entries({ owner_id, newest: true, limit: pageRows, ...present({ max_version: max }) });
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

  /** Applies rows in time slices, so that a long memory does not block the process. */
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

/** Returns the memory cache of a runtime and creates it on first use. */
export function cacheOf(context: CacheContext & Pick<ExtensionContext, "memoryBytes">): MemoryCache {
  const cache = caches.get(context) ?? new MemoryCache(context, { mostBytes: context.memoryBytes });
  caches.set(context, cache);
  return cache;
}

/** Drops the cached memory of an owner, if there is one. */
export const dropOwner = (context: object, owner_id: OwnerId): void => caches.get(context)?.drop(owner_id);
