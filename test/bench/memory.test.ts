import { describe, expect, test } from "vitest";
import { others } from "../../bench/memory-engines.ts";
import { remembered } from "../../bench/memory-texts.ts";
import { product } from "../../eval/product.ts";

describe("texts to remember", () => {
  const { units, asked } = remembered(500, 40);

  test("are the same each time, and others under another seed", () => {
    expect(remembered(500, 40)).toEqual({ units, asked });
    expect(remembered(500, 40, 8).units[0]?.text).not.toBe(units[0]?.text);
  });
  test("have the length of messages, and words as unevenly common as those of people", () => {
    const lengths = units.map(({ text }) => text.length);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeGreaterThan(150);
    expect(mean).toBeLessThan(270);
    const counts = new Map<string, number>();
    for (const word of units.flatMap(({ text }) => text.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
    expect([...counts.values()].filter((count) => count === 1).length).toBeGreaterThan(counts.size / 3);
  });

  test.each([product(), ...others])("$name finds most of what is asked for by its own words", (engine) => {
    const opened = engine.open(units);
    const found = asked.filter(({ text, now, answer }) => opened.search({ text, now, limit: 10 }).includes(answer));
    expect(found.length).toBeGreaterThan(asked.length / 2);
    expect(opened.search({ text: "", now: 0, limit: 10 }).length).toBeLessThanOrEqual(10);
  });
});
