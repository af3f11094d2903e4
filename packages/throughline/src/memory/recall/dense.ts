/** Dense arm of recall: compares a query with all vectors of one owner and one embedding model. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import type { Vector } from "../entry.ts";

/** An entry near the query. */
export interface DenseHit {
  /** Id of the entry. */
  readonly id: string;
  /** Cosine similarity, -1 to 1. */
  readonly score: number;
}

/** Options of {@link VectorIndex.rank}. */
interface DenseOptions {
  /** Maximum number of hits. Default 50. */
  readonly limit?: number;
  /** Filter for the compared entries, such as active ones. Default: all. */
  readonly among?: (id: string) => boolean;
}

/** Vectors of one owner and one provider. Never shared between owners. */
export interface VectorIndex {
  /** Id of the provider. */
  readonly provider: string;
  readonly dimensions: number;
  readonly size: number;
  /** Estimated size in bytes. */
  readonly bytes: number;
  /** Adds or replaces the vector of an entry. Returns false, without a change, for another provider, other dimensions or damaged data. */
  add(vector: Vector): boolean;
  /** Removes the vector of an entry. Returns false if there is none. */
  remove(id: string): boolean;
  /** Tells whether an entry has a vector. */
  has(id: string): boolean;
  /** Returns the entries that have no vector. */
  missing(ids: Iterable<string>): readonly string[];
  /** Returns the entries nearest to a normalized vector, nearest first, then by id. Throws `embedding.invalid` for other dimensions. */
  rank(query: Float32Array, options?: DenseOptions): readonly DenseHit[];
}

/** Initial capacity in vectors. */
const firstRoom = 64;
/** Estimated size of an id in a map and a list, without its characters. */
const bytesPerId = 80;

/**
 * Creates an empty index for the vectors of `provider`. It keeps all vectors in one array and compares every one. Comparing 10,000 vectors of 384
 * dimensions takes about 3 ms, so an approximate index is not worth its losses.
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
    // Normalizes again, because another program may have written the vector.
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
    // The last vector moves to the free place. Its old place is cleared, so that nothing of the removed vector stays in memory.
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

  /** Four independent sums, so that the CPU can compute them in parallel. */
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

/** Compares ids by code units, so the order is the same on every machine. */
const nearer = (one: DenseHit, other: DenseHit): number => other.score - one.score || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

/** Keeps the best hits in order. For a few dozen items, a sorted list is faster than a heap. */
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
 * Normalizes a vector to length 1, as 32-bit floats. Returns undefined for wrong dimensions, values that are not finite numbers, or length 0. Divides
 * by the largest value first, so that squares neither overflow nor underflow.
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

/** Like {@link unitVector}, but throws `embedding.invalid` with the fault. `what` names the vector, such as `vector 3 of nomic-embed-text`. */
export function checkedVector(values: ArrayLike<unknown>, dimensions: number, what: string): Float32Array {
  const unit = unitVector(values, dimensions);
  if (unit !== undefined) return unit;
  const fault =
    values.length === dimensions
      ? "holds something that is no finite number, or nothing but zeros"
      : `has ${values.length} dimensions, not ${dimensions}`;
  throw new ThroughlineError("embedding.invalid", `${what} ${fault}.`, { details: { dimensions, seen: values.length } });
}

/** Encodes a vector as text, independently of the machine. {@link vectorFrom} decodes it. */
export function vectorData(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * bytesPerNumber));
  for (const [at, value] of vector.entries()) view.setFloat32(at * bytesPerNumber, value, true);
  return Buffer.from(view.buffer).toString("base64");
}

/** Decodes a vector. Returns undefined if the text has a wrong number of values. */
export function vectorFrom(data: string, dimensions: number): Float32Array | undefined {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length !== dimensions * bytesPerNumber) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) vector[at] = view.getFloat32(at * bytesPerNumber, true);
  return vector;
}
