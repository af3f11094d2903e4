import { expect, it } from "vitest";
import { createScreen, type RulePack } from "../../src/safety.ts";

/** Messages by what they are: in danger now, thoughts of suicide or self-harm, to be asked about, nothing. */
export interface PackTable {
  readonly imminent: readonly string[];
  readonly high: readonly string[];
  readonly unclear: readonly string[];
  readonly none: readonly string[];
}

const least = [
  ["imminent", 3],
  ["high", 2],
  ["unclear", 1],
] as const;

/** Holds a pack to a table: no message is read as less than it is, and nothing is found in a harmless one. */
export function itReads(pack: RulePack, table: PackTable): void {
  const screen = createScreen([pack]);
  for (const [name, level] of least)
    it.each(table[name])(`is at least ${level} (${name}): %s`, (text) => {
      expect(screen(text).level).toBeGreaterThanOrEqual(level);
    });
  it.each(table.none)("is 0: %s", (text) => {
    expect(screen(text).level).toBe(0);
  });
}
