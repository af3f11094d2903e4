import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Declaration, type DeclarationFile, readDeclarations } from "./declarations.ts";

/** One entry point: the name that users import, and its declaration file. */
export interface Entry {
  readonly name: string;
  readonly file: string;
}

/** The report as text, and every public name without a comment. */
export interface Report {
  readonly text: string;
  readonly undocumented: readonly string[];
}

/** Reads declaration files, each once. */
function createReader(): (path: string) => DeclarationFile {
  const read = new Map<string, DeclarationFile>();
  return (path) => {
    const known = read.get(path) ?? readDeclarations(path, readFileSync(path, "utf8"));
    read.set(path, known);
    return known;
  };
}

const declarationPath = (from: string, specifier: string): string => join(dirname(from), specifier.replace(/\.(ts|js)$/, ".d.ts"));
const outside = (specifier: string): boolean => !specifier.startsWith(".");

/** Follows a name through re-exports to where it is declared. */
function follow(read: (path: string) => DeclarationFile, path: string, name: string): Declaration | undefined {
  const file = read(path);
  const found = file.exports.get(name);
  if (found === undefined) {
    for (const star of file.stars.filter((specifier) => !outside(specifier))) {
      const declaration = follow(read, declarationPath(path, star), name);
      if (declaration !== undefined) return declaration;
    }
    return undefined;
  }
  if (found.kind === "declared") return file.declarations.get(found.local);
  if (outside(found.specifier)) {
    const texts = [`export { ${name} } from "${found.specifier}";`];
    const summary = `From \`${found.specifier}\`.`;
    return { texts, commented: texts, comment: summary, summary, file: found.specifier };
  }
  const target = declarationPath(path, found.specifier);
  if (found.kind === "from") return follow(read, target, found.imported);
  const texts = [`namespace ${name} { ${[...exportedNames(read, target)].toSorted().join(", ")} }`];
  return { texts, commented: texts, comment: undefined, summary: undefined, file: target };
}

/** Every name that a file exports, its own and those of modules that it re-exports whole. */
function exportedNames(read: (path: string) => DeclarationFile, path: string): ReadonlySet<string> {
  const file = read(path);
  const inherited = file.stars.map((specifier) => {
    if (outside(specifier)) throw new Error(`${path} re-exports all of ${specifier}; name what is meant.`);
    return exportedNames(read, declarationPath(path, specifier));
  });
  return new Set([...file.exports.keys(), ...inherited.flatMap((names) => [...names])]);
}

/** A public name: the entry that exports it, and what it stands for. */
export interface PublicName {
  readonly entry: string;
  readonly name: string;
  readonly declaration: Declaration;
}

/** Every public name of the entries, sorted within each. Throws for an entry without declarations. */
export function publicNames(entries: readonly Entry[]): readonly PublicName[] {
  const read = createReader();
  return entries.flatMap((entry) => {
    if (!existsSync(entry.file)) throw new Error(`The entry point ${entry.name} has no declarations at ${entry.file}.`);
    const names = [...exportedNames(read, entry.file)].toSorted((left, right) => (left < right ? -1 : 1));
    return names.map((name) => {
      const declaration = follow(read, entry.file, name);
      if (declaration === undefined) throw new Error(`${entry.name}: the declaration of ${name} cannot be found.`);
      return { entry: entry.name, name, declaration };
    });
  });
}

/** Writes the report of all entries: per entry the sorted names, with their declarations and the first sentence of their comments. */
export function apiReport(entries: readonly Entry[]): Report {
  const undocumented: string[] = [];
  const shown = new Map<Declaration, string>();
  const all = Map.groupBy(publicNames(entries), ({ entry }) => entry);
  const sections = entries.map((entry) => {
    const names = all.get(entry.name) ?? [];
    const parts = names.map(({ name, declaration }) => {
      if (declaration.summary === undefined) undocumented.push(`${entry.name}: ${name}`);
      const before = shown.get(declaration);
      shown.set(declaration, before ?? entry.name);
      if (before !== undefined && before !== entry.name) return `### ${name}\n\nThe same as in \`${before}\`.\n`;
      return `### ${name}\n\n${declaration.summary ?? "(undocumented)"}\n\n\`\`\`ts\n${declaration.texts.join("\n")}\n\`\`\`\n`;
    });
    return `## \`${entry.name}\`\n\n${names.length} names.\n\n${parts.join("\n")}`;
  });
  const head = "# The public API\n\nWritten by `npm run api` from the declarations that `tsc` emits. A change here is a change of the public API.\n";
  return { text: [head, ...sections].join("\n"), undocumented };
}
