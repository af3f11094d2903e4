import { expect, test } from "vitest";
import { setRecent } from "../../packages/throughline/src/kernel/recent.ts";

test("a map of recent entries keeps those that were set last, in that order", () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const)
    setRecent(map, key, value, 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
