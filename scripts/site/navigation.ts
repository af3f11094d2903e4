/** The pages of the site in their sections, with the titles that the pages have. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";

/** A page in the navigation. */
export interface PageLink {
  readonly text: string;
  readonly link: string;
}

/** A heading of the navigation with its pages. */
export interface PageGroup {
  readonly text: string;
  readonly items: PageLink[];
}

/** A part of the site: the folders that it shows, and where it begins. */
export interface Section {
  readonly name: string;
  readonly link: string;
  readonly groups: PageGroup[];
}

/** Pages that come first in their folder, in this order. The others follow by title. */
const first: Readonly<Record<string, readonly string[]>> = {
  tutorial: ["index"],
  "how-to": [
    "models",
    "browser-chat",
    "client",
    "add-memory",
    "approval",
    "routines",
    "handover",
    "subagents",
    "mcp",
    "testing",
    "inspector",
    "debugging",
    "voice",
    "evaluation",
    "service",
    "webhooks",
    "deploy",
    "operate",
    "telemetry",
  ],
  concepts: ["one-log", "turn", "effects", "memory", "gate", "words"],
  reference: [
    "sessions",
    "state",
    "tools",
    "context",
    "hooks",
    "budgets",
    "variables",
    "memory",
    "safety",
    "extensions",
    "execution",
    "storage",
    "processes",
  ],
};

/** Pages of the reference about the companion. They stand below a heading of their own. */
const companion = new Set(["companion", "companion-state", "evaluation", "protocol", "transcript"]);

/** Pages of the reference with tables to look something up in. */
const tables = new Set([
  "errors",
  "configuration",
  "manifest",
  "command-line",
  "limits",
  "glossary",
  "migrating",
  "api-stability",
  "runtimes",
  "benchmarks",
  "scale",
]);

/** The title of a page: its first heading, without marks. */
export function titleOf(markdown: string): string {
  const heading = /^# (.+)$/m.exec(markdown)?.[1];
  if (heading === undefined) throw new Error("A page has no heading.");
  return heading.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** The pages of a folder, in order. */
function pagesOf(folder: string, { only = () => true }: { readonly only?: (name: string) => boolean } = {}): PageLink[] {
  const place = join(root, "docs", folder);
  const names = (existsSync(place) ? readdirSync(place) : []).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
  const rank = (name: string): number => (first[folder]?.indexOf(name) ?? -1) + 1 || Number.MAX_SAFE_INTEGER;
  return names
    .filter(only)
    .map((name) => ({ name, text: titleOf(readFileSync(join(place, `${name}.md`), "utf8")) }))
    .toSorted((one, other) => rank(one.name) - rank(other.name) || one.text.localeCompare(other.text, "en"))
    .map(({ name, text }) => ({ text, link: `/${folder}/${name === "index" ? "" : name}` }));
}

/** The four sections. `api` are the generated pages. */
export function sections(api: PageLink[]): readonly Section[] {
  const comparison = existsSync(join(root, "docs/comparison.md")) ? [{ text: "Throughline and its peers", link: "/comparison" }] : [];
  return [
    { name: "Tutorial", link: "/tutorial/", groups: [{ text: "Tutorial", items: pagesOf("tutorial") }] },
    {
      name: "How-to",
      link: pagesOf("how-to")[0]?.link ?? "/",
      groups: [
        { text: "How-to", items: pagesOf("how-to") },
        { text: "Coming from", items: pagesOf("migrate") },
      ].filter(({ items }) => items.length > 0),
    },
    { name: "Concepts", link: pagesOf("concepts")[0]?.link ?? "/", groups: [{ text: "Concepts", items: [...pagesOf("concepts"), ...comparison] }] },
    {
      name: "Reference",
      link: "/reference/sessions",
      groups: [
        { text: "By theme", items: pagesOf("reference", { only: (name) => !companion.has(name) && !tables.has(name) }) },
        { text: "To look up", items: pagesOf("reference", { only: (name) => tables.has(name) }) },
        { text: "API", items: api },
        { text: "The companion", items: pagesOf("reference", { only: (name) => companion.has(name) }) },
      ],
    },
  ];
}

/** The navigation next to the pages of each folder: that of the section that has them. */
export function sidebarsOf(parts: readonly Section[]): Record<string, PageGroup[]> {
  const sidebars: Record<string, PageGroup[]> = {};
  for (const { groups } of parts)
    for (const { link } of groups.flatMap(({ items }) => items))
      sidebars[link.lastIndexOf("/") === 0 ? link : link.slice(0, link.lastIndexOf("/") + 1)] = groups;
  return sidebars;
}
