/** The pages of the API: one for each theme, with every public name, its comment and its declaration. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { emitEntries, isApi } from "../api/emit.ts";
import { type PublicName, publicNames } from "../api/report.ts";
import { type Theme, themes } from "./themes.ts";

/** A name of the reference, once, with the entries that export it. */
export interface Entry {
  readonly name: string;
  readonly page: string;
  readonly entries: readonly string[];
  readonly comment: string;
  readonly declaration: string;
  readonly kind: "value" | "type";
}

/** A generated page. */
export interface GeneratedPage {
  readonly page: string;
  readonly title: string;
  readonly markdown: string;
}

/** Entries for the parts of Throughline itself, which may change in any version. */
const isInternal = (entry: string): boolean => entry.startsWith("throughline/internal");

/** The public names of all packages, from their declarations. */
export function readNames(): { readonly names: readonly PublicName[]; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "throughline-reference-"));
  try {
    const names = publicNames(emitEntries(folder).filter((entry) => isApi(entry) && !isInternal(entry.name)));
    return { names, folder };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The theme of a declaration: that of its source in the library, or else that of an entry that exports it. */
function themeOf(file: string, entries: readonly string[]): Theme {
  const source = /^throughline\/(?:src\/)?(.*)$/.exec(file)?.[1];
  const bySource = source === undefined ? undefined : themes.find(({ sources }) => sources.some((place) => source.startsWith(place)));
  const byEntry = themes.find(({ entries: own }) => entries.some((entry) => own.includes(entry)));
  // Helpers for tests are declared anywhere, and are found where they are exported.
  const found = entries.every((entry) => entry === "throughline/testing") ? byEntry : (bySource ?? byEntry);
  if (found === undefined) throw new Error(`${entries.join(" and ")} export a name of ${file}, which no theme of scripts/site/themes.ts has.`);
  return found;
}

/** Joins the names of all entries: a name that several entries export is one entry of the reference. */
export function entriesOf({ names, folder }: { readonly names: readonly PublicName[]; readonly folder: string }): readonly Entry[] {
  const same = Map.groupBy(names, ({ name, declaration }) => `${name} ${declaration.file} ${declaration.texts[0] ?? ""}`);
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { name, declaration } = first;
    const entries = group.map(({ entry }) => entry);
    return [
      {
        name,
        page: themeOf(relative(folder, declaration.file), entries).page,
        entries,
        comment: declaration.comment ?? "",
        declaration: declaration.commented.join("\n"),
        kind: /^(interface|type)\b/.test(declaration.texts[0] ?? "") ? "type" : "value",
      },
    ];
  });
}

/** Text for a page: outside of code, nothing that the site's templates would read. */
const plain = (text: string): string =>
  text
    .split(/(```[\s\S]*?```|`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");

const code = (text: string): string => `\`\`\`ts\n${text.trim()}\n\`\`\``;

/** A comment as Markdown: its text, in which links are code, and its examples. */
export function commentParts(comment: string): { readonly prose: string; readonly examples: readonly string[] } {
  const [prose = "", ...examples] = comment.replaceAll(/\{@link (\w+)[^}]*\}/g, "`$1`").split(/^@example\s+/m);
  return { prose: plain(prose.trim()), examples: examples.map(code) };
}

/** The part of a page for one name. */
function entryText({ name, kind, entries, comment, declaration }: Entry): string {
  const from = entries.map((entry) => `\`${entry}\``).join(", ");
  const { prose, examples } = commentParts(comment);
  return [
    `### ${name} {#${kind}-${name}}`,
    prose,
    `From ${from}.`,
    code(declaration),
    ...(examples.length > 0 ? ["For example:", ...examples] : []),
  ].join("\n\n");
}

/** The page of a theme. */
export function themePage({ page, title, about }: Theme, all: readonly Entry[]): GeneratedPage {
  const own = all.filter((entry) => entry.page === page).toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  const part = (heading: string, kind: Entry["kind"]): readonly string[] => {
    const some = own.filter((entry) => entry.kind === kind);
    return some.length === 0 ? [] : [`## ${heading}`, ...some.map(entryText)];
  };
  const markdown = [`# ${title}`, about, ...part("Functions and values", "value"), ...part("Types", "type")].join("\n\n");
  return { page, title, markdown: `${markdown}\n` };
}

/** All pages of the API. */
export function referencePages(): readonly GeneratedPage[] {
  const all = entriesOf(readNames());
  return themes.map((theme) => themePage(theme, all));
}
