/** The pictures of the inspector: each that a page names exists and is made by the script, and each that the script makes is named and small. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { fileOf, mostBytes, pictures, themes } from "../../scripts/screenshots/picture-list.ts";

const folder = join(root, "docs/pictures/inspector");
const made = pictures.flatMap(({ name }) => themes.map((theme) => fileOf(name, theme))).toSorted();
const namedIn = (page: string): readonly string[] => {
  const names = [...readFileSync(join(root, page), "utf8").matchAll(/pictures\/inspector\/([\w.-]+)/g)].map(([, name = ""]) => name);
  return [...new Set(names)].toSorted();
};

test("the tour names every picture that the script makes, and no other", () => {
  expect(namedIn("docs/how-to/inspector.md")).toEqual(made);
});

test("the README has the picture of a reply whose process was killed, from the same script", () => {
  expect(namedIn("README.md")).toEqual(["resumed-light.png"]);
});

test("every picture exists, and is small", () => {
  expect(readdirSync(folder).toSorted()).toEqual(made);
  expect(made.filter((name) => statSync(join(folder, name)).size > mostBytes)).toEqual([]);
});
