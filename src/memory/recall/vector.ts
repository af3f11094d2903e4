/** Vectors as they are kept and compared: of length 1, and in the database as little-endian 32-bit floats in base64. */
import { ThroughlineError } from "../../kernel/error.ts";

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
