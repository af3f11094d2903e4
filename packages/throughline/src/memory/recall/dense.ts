/** The dense arm of recall: one owner's vectors of one embedding model, compared with all of them. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import type { Vector } from "../entry.ts";

/** An entry near the question. */
export interface DenseHit {
  /** The entry that the vector stands for. */
  readonly id: string;
  /** Cosine of the angle between the two, -1 to 1. */
  readonly score: number;
}

/** How {@link VectorIndex.rank} chooses. */
interface DenseOptions {
  /** At most so many, 50 by default. */
  readonly limit?: number;
  /** Entries that are compared at all, such as those in force; all by default. */
  readonly among?: (id: string) => boolean;
}

/** One owner's vectors of one provider. Never shared between owners. */
export interface VectorIndex {
  /** Id of the provider whose vectors it holds. */
  readonly provider: string;
  readonly dimensions: number;
  readonly size: number;
  /** About how much memory it takes. */
  readonly bytes: number;
  /** Adds a vector, or puts it in the place of its entry's. False, and nothing is kept, for one of another provider, of other dimensions, or one that is damaged. */
  add(vector: Vector): boolean;
  /** By the id of the entry; false if it has no vector here. */
  remove(id: string): boolean;
  /** Whether an entry has a vector here. */
  has(id: string): boolean;
  /** Those of the entries that have no vector here. */
  missing(ids: Iterable<string>): readonly string[];
  /** The entries nearest to a vector of length 1, nearest first, then by id. `embedding.invalid` if it has other dimensions. */
  rank(query: Float32Array, options?: DenseOptions): readonly DenseHit[];
}

/** Vectors that it has room for before it grows. */
const firstRoom = 64;
/** What an id takes beside its letters: an entry of a map and of a list. */
const bytesPerId = 80;

/**
 * An empty index for the vectors of `provider`. All vectors lie in one array and every one is compared: 10,000 of 384 dimensions take some 3 ms, so that
 * no approximate index, with its own losses, is worth it for one person's memory.
 */
export function createVectorIndex(provider: Pick<EmbeddingProvider, "id" | "dimensions">): VectorIndex {
  return new BruteForceIndex(provider.id, provider.dimensions);
}

class BruteForceIndex implements VectorIndex {
  readonly provider: string;
  readonly dimensions: number;
  readonly #places = new Map<string, number>();
  readonly #ids: string[] = [];
  #letters = 0;
  #numbers: Float32Array;

  constructor(provider: string, dimensions: number) {
    this.provider = provider;
    this.dimensions = dimensions;
    this.#numbers = new Float32Array(firstRoom * dimensions);
  }

  get size(): number {
    return this.#ids.length;
  }

  get bytes(): number {
    return this.#numbers.byteLength + this.#letters * 2 + this.#ids.length * bytesPerId;
  }

  add({ of, provider, dimensions, data }: Vector): boolean {
    const numbers = provider === this.provider && dimensions === this.dimensions ? vectorFrom(data, dimensions) : undefined;
    // Brought to length 1 again: whoever wrote it may have been another program.
    const unit = numbers === undefined ? undefined : unitVector(numbers, dimensions);
    if (unit === undefined) return false;
    const place = this.#places.get(of) ?? this.#append(of);
    this.#numbers.set(unit, place * dimensions);
    return true;
  }

  #append(id: string): number {
    const place = this.#ids.push(id) - 1;
    this.#places.set(id, place);
    this.#letters += id.length;
    const needed = this.#ids.length * this.dimensions;
    if (needed > this.#numbers.length) {
      const roomier = new Float32Array(needed * 2);
      roomier.set(this.#numbers);
      this.#numbers = roomier;
    }
    return place;
  }

  remove(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    const last = this.#ids.length - 1;
    const moved = this.#ids[last] ?? id;
    // The last one takes its place; what was there is overwritten, also at the end, so that nothing of it stays in memory.
    this.#numbers.copyWithin(place * this.dimensions, last * this.dimensions, (last + 1) * this.dimensions);
    this.#numbers.fill(0, last * this.dimensions, (last + 1) * this.dimensions);
    this.#ids[place] = moved;
    this.#places.set(moved, place);
    this.#ids.pop();
    this.#places.delete(id);
    this.#letters -= id.length;
    return true;
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  missing(ids: Iterable<string>): readonly string[] {
    return [...ids].filter((id) => !this.#places.has(id));
  }

  rank(query: Float32Array, { limit = 50, among }: DenseOptions = {}): readonly DenseHit[] {
    if (query.length !== this.dimensions)
      throw new ThroughlineError("embedding.invalid", `A vector of ${query.length} dimensions cannot be compared with those of ${this.provider}.`, {
        details: { dimensions: this.dimensions, seen: query.length },
      });
    const best = new Nearest(limit);
    for (const [place, id] of this.#ids.entries()) {
      const hit = { id, score: this.#cosine(query, place * this.dimensions) };
      if (best.takes(hit) && among?.(id) !== false) best.add(hit);
    }
    return best.hits;
  }

  /** Four sums at once: they do not wait for each other. */
  #cosine(query: Float32Array, start: number): number {
    const numbers = this.#numbers;
    const { dimensions } = this;
    const even = dimensions - (dimensions % 4);
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < even; at += 4) {
      a += (query[at] ?? 0) * (numbers[start + at] ?? 0);
      b += (query[at + 1] ?? 0) * (numbers[start + at + 1] ?? 0);
      c += (query[at + 2] ?? 0) * (numbers[start + at + 2] ?? 0);
      d += (query[at + 3] ?? 0) * (numbers[start + at + 3] ?? 0);
    }
    for (let at = even; at < dimensions; at += 1) a += (query[at] ?? 0) * (numbers[start + at] ?? 0);
    return a + b + c + d;
  }
}

/** Ids are compared as they are, not as a language sorts them: the same on every machine. */
const nearer = (one: DenseHit, other: DenseHit): number => other.score - one.score || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** The best of many, kept in order while they come. A list of some dozens is faster in order than a heap is. */
class Nearest {
  readonly #limit: number;
  readonly #hits: DenseHit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get hits(): readonly DenseHit[] {
    return this.#hits;
  }

  takes(hit: DenseHit): boolean {
    const worst = this.#hits.at(-1);
    return this.#hits.length < this.#limit || (worst !== undefined && nearer(worst, hit) > 0);
  }

  add(hit: DenseHit): void {
    let [from, upto] = [0, this.#hits.length];
    while (from < upto) {
      const middle = (from + upto) >> 1;
      const other = this.#hits[middle];
      if (other !== undefined && nearer(other, hit) <= 0) from = middle + 1;
      else upto = middle;
    }
    this.#hits.splice(from, 0, hit);
    if (this.#hits.length > this.#limit) this.#hits.pop();
  }
}

const bytesPerNumber = 4;

/**
 * A vector brought to length 1, as 32-bit floats; undefined if it has another number of dimensions, numbers that are none, or no length at all. The
 * greatest number is divided out first, so that squares of large or tiny numbers neither overflow nor vanish.
 */
export function unitVector(values: ArrayLike<unknown>, dimensions: number): Float32Array | undefined {
  if (values.length !== dimensions || dimensions === 0) return undefined;
  let greatest = 0;
  for (let at = 0; at < dimensions; at += 1) {
    const value = values[at];
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    greatest = Math.max(greatest, Math.abs(value));
  }
  if (greatest === 0) return undefined;
  let squares = 0;
  for (let at = 0; at < dimensions; at += 1) squares += (Number(values[at]) / greatest) ** 2;
  const length = Math.sqrt(squares);
  const unit = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) unit[at] = Number(values[at]) / greatest / length;
  return unit;
}

/** {@link unitVector}, or `embedding.invalid` with what is wrong with it; `what` names it, such as `vector 3 of nomic-embed-text`. */
export function checkedVector(values: ArrayLike<unknown>, dimensions: number, what: string): Float32Array {
  const unit = unitVector(values, dimensions);
  if (unit !== undefined) return unit;
  const fault =
    values.length === dimensions
      ? "holds something that is no finite number, or nothing but zeros"
      : `has ${values.length} dimensions, not ${dimensions}`;
  throw new ThroughlineError("embedding.invalid", `${what} ${fault}.`, { details: { dimensions, seen: values.length } });
}

/** A vector as text: what {@link vectorFrom} reads, on any machine. */
export function vectorData(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * bytesPerNumber));
  for (const [at, value] of vector.entries()) view.setFloat32(at * bytesPerNumber, value, true);
  return Buffer.from(view.buffer).toString("base64");
}

/** The numbers of a vector that was kept or sent as text; undefined if the text has another number of them. */
export function vectorFrom(data: string, dimensions: number): Float32Array | undefined {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length !== dimensions * bytesPerNumber) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) vector[at] = view.getFloat32(at * bytesPerNumber, true);
  return vector;
}
