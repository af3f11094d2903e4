/** Values as splices of earlier values: a put stores the bytes that changed, and a load applies a bounded number of splices. */

/** How many splices of one size class a chain may have. The next one replaces them by one splice of the next class. */
export const splicesPerLevel = 32;

/** Unused bytes that a chain may hold before the value is stored whole again, besides once the value's own length. */
const slack = 1_024;

/** One stored part of a value. The first link of a chain has the whole value as its data; each other one keeps both ends of the value before it. */
export interface Link {
  /** Offset of the event that holds its data. */
  readonly offset: number;
  /** Size class: 0 for the splice of one put, 1 for a splice that replaced `splicesPerLevel` of those, and so on. */
  readonly level: number;
  /** Bytes that it keeps of the start of the value before it. */
  readonly head: number;
  /** Bytes that it keeps of the end of the value before it. */
  readonly tail: number;
  /** Bytes of its data. */
  readonly size: number;
}

/** A value with the stored parts that it is made of. */
export interface Image {
  /** The serializer's name for the format of the bytes. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly chain: readonly Link[];
}

/** A link to store: its data goes between the kept ends of the value at the end of `chain`, or is the whole value if the chain is empty. */
export interface PlannedLink extends Omit<Link, "offset"> {
  readonly chain: readonly Link[];
  readonly data: Buffer;
}

/** Plans how to store a value that follows another one. Returns undefined if the bytes are the same. */
export function planLink(before: Image | undefined, type: string, bytes: Buffer): PlannedLink | undefined {
  const whole: PlannedLink = { chain: [], level: 0, head: 0, tail: 0, size: bytes.length, data: bytes };
  if (before === undefined || before.type !== type) return whole;
  let { head, tail } = commonEnds(before.bytes, bytes);
  if (before.bytes.length === bytes.length && head + tail >= bytes.length) return undefined;
  let chain = before.chain;
  let level = 0;
  for (; ; level++) {
    const equals = chain.length - 1 - chain.findLastIndex((link, index) => index === 0 || link.level !== level);
    if (equals < splicesPerLevel - 1) break;
    // What all of them and the new one keep is what one splice of the value before them keeps.
    for (const link of chain.slice(-equals)) [head, tail] = [Math.min(head, link.head), Math.min(tail, link.tail)];
    chain = chain.slice(0, -equals);
  }
  const data = bytes.subarray(head, bytes.length - tail);
  const stored = chain.reduce((sum, link) => sum + link.size, data.length);
  return stored > 2 * bytes.length + slack ? whole : { chain, level, head, tail, size: data.length, data };
}

/** Returns the value that a link makes of the value before it. */
export function splice(before: Buffer, { head, tail }: Pick<Link, "head" | "tail">, data: Buffer): Buffer {
  return Buffer.concat([before.subarray(0, head), data, before.subarray(before.length - tail)]);
}

/** Returns how many bytes at the start and at the end are the same in both. The ends do not overlap, and no character of UTF-8 is cut. */
function commonEnds(one: Buffer, other: Buffer): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = longest(shorter, (from, to) => one.compare(other, from, to, from, to) === 0);
  while (head > 0 && isInside(other[head])) head--;
  let tail = longest(
    shorter - head,
    (from, to) => one.compare(other, other.length - to, other.length - from, one.length - to, one.length - from) === 0,
  );
  while (tail > 0 && isInside(other[other.length - tail])) tail--;
  return { head, tail };
}

/** Whether a byte continues a character of UTF-8. */
const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Returns the length of the longest common part, up to `most`. `same` compares the bytes between two distances from the end where it begins. */
function longest(most: number, same: (from: number, to: number) => boolean): number {
  let length = 0;
  for (let step = 64; length < most && same(length, Math.min(most, length + step)); step = Math.min(step * 2, 65_536))
    length = Math.min(most, length + step);
  // The difference lies within the next step.
  for (let step = 65_536; step >= 1; step /= 2) if (length + step <= most && same(length, length + step)) length += step;
  return length;
}
