/** Splices: what is stored of a value, and what a load makes of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Image, planLink, splice, splicesPerLevel } from "../../packages/adapters/src/langgraph/splice.ts";

/** A store of links, as the events of a log are one. */
class Stored {
  readonly #data: Buffer[] = [];
  image: Image | undefined;
  /** Bytes of each put. */
  readonly sizes: number[] = [];

  put(text: string): void {
    const bytes = Buffer.from(text);
    const planned = planLink(this.image, "json", bytes);
    if (planned === undefined) {
      this.sizes.push(0);
      return;
    }
    const { chain, data, ...link } = planned;
    this.sizes.push(data.length);
    this.image = { type: "json", bytes, chain: [...chain, { ...link, offset: this.#data.push(Buffer.from(data)) - 1 }] };
  }

  /** The last value, from the stored data alone. */
  load(): string {
    let bytes: Buffer = Buffer.alloc(0);
    for (const [index, link] of (this.image?.chain ?? []).entries()) {
      const data = this.#data[link.offset] ?? Buffer.alloc(0);
      bytes = index === 0 ? Buffer.from(data) : splice(bytes, link, data);
    }
    return bytes.toString();
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("splices", () => {
  test("give back every value, whatever changed, and cut no character", () => {
    const text = fc.array(fc.constantFrom("a", "b", "ä", "€", "😀", '"', ","), { maxLength: 30 }).map((characters) => characters.join(""));
    const edit = fc.record({ at: fc.nat(200), drop: fc.nat(20), add: text });
    fc.assert(
      fc.property(text, fc.array(edit, { maxLength: 120 }), (first, edits) => {
        const stored = new Stored();
        let value = first;
        stored.put(value);
        for (const { at, drop, add } of edits) {
          const characters = Array.from(value);
          characters.splice(at % (characters.length + 1), drop, add);
          value = characters.join("");
          stored.put(value);
          expect(stored.load()).toBe(value);
          for (const { size } of stored.image?.chain ?? []) expect(size).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("store nothing of a value that did not change", () => {
    const stored = new Stored();
    for (const text of ["[1,2]", "[1,2]", "[1,2]"]) stored.put(text);
    expect(stored.sizes).toEqual([5, 0, 0]);
  });

  test("store of a list what was added, in put 10 as in put 1,100, and a load takes few of them", () => {
    const stored = new Stored();
    const items: string[] = [];
    const longest: number[] = [];
    for (let put = 0; put < 1_100; put++) {
      items.push(JSON.stringify({ id: 10_000 + put, text: "x".repeat(500) }));
      stored.put(`[${items.join(",")}]`);
      longest.push(stored.image?.chain.length ?? 0);
    }
    expect(stored.load()).toBe(`[${items.join(",")}]`);
    const item = `${items[0]},`.length;
    const plain = stored.sizes.filter((size) => size <= item).length;
    expect(plain).toBeGreaterThan(1_040);
    // Each byte is written once for each size class.
    expect(sum(stored.sizes)).toBeLessThan(3 * item * 1_100);
    const classes = Math.ceil(Math.log(1_100) / Math.log(splicesPerLevel));
    expect(Math.max(...longest)).toBeLessThanOrEqual(1 + classes * (splicesPerLevel - 1));
  });

  test("are replaced by the whole value where they would hold twice its bytes", () => {
    const stored = new Stored();
    for (let put = 0; put < 500; put++) stored.put(JSON.stringify({ count: put, filler: "x".repeat(5_000), last: -put }));
    const held = sum((stored.image?.chain ?? []).map(({ size }) => size));
    expect(held).toBeLessThan(2 * stored.load().length + 1_100);
  });
});
