/** The navigation of the site: every page for readers is in it once. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { sections, titleOf } from "../../scripts/site/navigation.ts";
import { apiPages, themes } from "../../scripts/site/themes.ts";

const parts = sections(apiPages);
const links = parts.flatMap(({ groups }) => groups.flatMap(({ items }) => items.map(({ link }) => link)));

test("there are four sections, and each begins with a page of its own", () => {
  expect(parts.map(({ name }) => name)).toEqual(["Tutorial", "How-to", "Concepts", "Reference"]);
  for (const { link, groups } of parts) expect(groups.flatMap(({ items }) => items.map((item) => item.link))).toContain(link);
});

test("every page of docs/ is in the navigation once, without decisions and deviations", () => {
  const pages = globSync("**/*.md", { cwd: join(root, "docs"), exclude: ["decisions/**", "reference/api/**", ".vitepress/**"] })
    .map((page) => page.replaceAll("\\", "/"))
    .filter((page) => page !== "index.md" && page !== "deviations.md")
    .map((page) => `/${page.replace(/(^|(?<=\/))index\.md$|\.md$/, "")}`);
  expect(pages.length).toBeGreaterThan(40);
  expect(links.filter((link) => !link.startsWith("/reference/api/")).toSorted()).toEqual(pages.toSorted());
});

test("the generated pages are in the navigation, and their names are different", () => {
  expect(links).toEqual(expect.arrayContaining(apiPages.map(({ link }) => link)));
  expect(new Set(themes.map(({ page }) => page)).size).toBe(themes.length);
});

test("a title is the first heading, without marks", () => {
  expect(titleOf("text\n\n# The `sessions` of [a customer](x.md)\n\n# Other")).toBe("The sessions of a customer");
  expect(() => titleOf("## Part")).toThrow("no heading");
});
