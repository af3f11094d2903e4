/** Which cases are held: each that the description shows, of 1 to 60 and of 97 on, has a test that says so in its title. */
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("./", import.meta.url);

/** Ids after "case" in the titles of tests. */
const idsIn = (text: string): readonly number[] =>
  (text.match(/\bcases? \d+(?:, \d+)*/gu) ?? []).flatMap((found) => (found.match(/\d+/gu) ?? []).map(Number));

it("every case has a test", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".test.ts") && name !== "index.test.ts");
  const titles = (await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")))).flatMap((text) =>
    text.split("\n").filter((line) => !/^\s*(?:\/\*\*|\*|\/\/)/u.test(line)),
  );
  const held = new Set(titles.flatMap(idsIn));
  const shown = [
    ...[1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21, 23, 25, 26, 28, 30, 31, 33, 35, 38, 40, 41, 43, 45, 46, 48, 50, 51, 53, 55, 56, 58, 60],
    ...[98, 100, 101, 103, 105, 106, 108, 110, 111, 113, 115],
  ];
  expect(shown.filter((id) => !held.has(id))).toEqual([]);
});
