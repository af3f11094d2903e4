/** The generated reference: every public name of every package has an entry with its comment, and every command its help. */
import { expect, test } from "vitest";
import { commandsPage } from "../../scripts/site/commands.ts";
import { commentParts, entriesOf, readNames, themePage } from "../../scripts/site/reference.ts";
import { themes } from "../../scripts/site/themes.ts";
import { entryFiles, readPackages } from "../../scripts/root.ts";

const read = readNames();
const entries = entriesOf(read);
const pages = new Map(themes.map((theme) => [theme.page, themePage(theme, entries).markdown]));

test("every entry point of every package is in it", () => {
  const all = readPackages().flatMap(({ manifest }) => entryFiles(manifest).map(([subpath]) => `${manifest.name}${subpath.slice(1)}`));
  const without = all.filter((name) => !read.names.some(({ entry }) => entry === name));
  expect(without.toSorted()).toEqual([
    "@throughline/server/cli",
    "throughline/internal",
    "throughline/internal/memory",
    "throughline/internal/runtime",
    "throughline/internal/safety",
  ]);
});

test("every public name has an entry with its comment, and says from which entry points it comes", () => {
  expect(read.names.length).toBeGreaterThan(800);
  const missing = read.names.filter(({ entry, name, declaration }) => {
    const own = entries.find((one) => one.name === name && one.entries.includes(entry));
    const text = pages.get(own?.page ?? "") ?? "";
    const comment = commentParts(declaration.comment ?? "").prose;
    return (
      own === undefined ||
      comment === "" ||
      !text.includes(`### ${name} {#${own.kind}-${name}}\n\n${comment}\n\nFrom ${own.entries.map((from) => `\`${from}\``).join(", ")}.`)
    );
  });
  expect(missing.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([]);
});

test("no page has two headings with one address", () => {
  for (const markdown of pages.values()) {
    const ids = [...markdown.matchAll(/^### .*\{#([\w-]+)\}$/gm)].map(([, id]) => id);
    expect(ids.length).toBe(new Set(ids).size);
    expect(ids.length).toBeGreaterThan(0);
  }
});

test("names stand with their theme", () => {
  const placeOf = (name: string, from = "throughline"): string | undefined =>
    entries.find((one) => one.name === name && one.entries.includes(from))?.page;
  expect(
    ["defineAgent", "loop", "defineState", "defineTool", "openaiCompatible", "createRuntime", "openStore", "ThroughlineError"].map((name) =>
      placeOf(name),
    ),
  ).toEqual(["agents", "agents", "state", "tools", "models", "sessions", "stores", "kernel"]);
  expect(placeOf("createClient", "@throughline/client")).toBe("client");
});

test("members keep their comments, and text does not become a template of the site", () => {
  expect(pages.get("agents")).toContain("/** Parts of the prompt, in order.");
  expect(commentParts("Takes `a<b>` and <c> and {{ d }}, see {@link E}.\n@example f(1)\n@example f(2)")).toEqual({
    prose: "Takes `a<b>` and &lt;c> and &#123;&#123; d }}, see `E`.",
    examples: ["```ts\nf(1)\n```", "```ts\nf(2)\n```"],
  });
});

test("every command has its help", () => {
  const { markdown } = commandsPage();
  for (const command of ["throughline", "throughline chat", "throughline sessions show", "throughline keys rotate", "throughline doctor"])
    expect(markdown).toMatch(new RegExp(`^## ${command}\n\n\`\`\`text\nUsage: ${command} `, "m"));
  expect(markdown).not.toContain("## throughline sessions\n");
});
