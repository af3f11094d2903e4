/** One meaning for each word: what the glossary names is one type, and two entries export one name only for one thing. */
import { posix } from "node:path";
import { isSource, type SourceFile } from "./tree.ts";

const isEntry = ({ path }: SourceFile): boolean =>
  /^packages\/(?:throughline\/src\/[^/]+|(?:server\/src\/server|client\/src\/client))\.ts$/.test(path);

/** Names that two package entries export for different things. */
export function entryNameFaults(files: readonly SourceFile[]): readonly string[] {
  const first = new Map<string, { readonly target: string; readonly place: string }>();
  const faults: string[] = [];
  for (const { path, syntax } of files.filter(isEntry))
    for (const { line, name, original, specifier } of syntax.passedOn) {
      const target = `${posix.join(posix.dirname(path), specifier)}#${original}`;
      const place = `${path}:${line}`;
      const known = first.get(name);
      if (known === undefined) first.set(name, { target, place });
      else if (known.target !== target) faults.push(`${place}: ${name} is ${target} here, and ${known.target} in ${known.place}; rename one`);
    }
  return faults;
}

/** Types that the companion declares for its callers under a name that an entry of the library exports for something else. */
export function companionNameFaults(files: readonly SourceFile[]): readonly string[] {
  const taken = new Map(
    files.filter(isEntry).flatMap(({ path, syntax }) => syntax.passedOn.map(({ name, line }) => [name, `${path}:${line}`] as const)),
  );
  return files
    .filter(({ path }) => /^packages\/companion\/src\/[^/]+\.ts$/.test(path))
    .flatMap(({ path, syntax }) =>
      syntax.exportedTypes.flatMap((name) => {
        const place = taken.get(name);
        return place === undefined ? [] : [`${path}: ${name} is another type in ${place}; rename it`];
      }),
    );
}

/** The types that a glossary names: capitalized code in the last cell of its tables. */
export const glossaryTypes = (glossary: string): readonly string[] =>
  [...glossary.matchAll(/^\|.*\|([^|]*)\|$/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`([A-Z]\w*)`/g)].map(([, name = ""]) => name));

/** Types of the glossary that no source file exports, or more than one. */
export function glossaryFaults(files: readonly SourceFile[], glossary: string): readonly string[] {
  return glossaryTypes(glossary).flatMap((name) => {
    const places = files.filter(({ path, syntax }) => isSource(path) && syntax.exportedTypes.includes(name)).map(({ path }) => path);
    if (places.length === 1) return [];
    return [`docs/reference/glossary.md: ${name} is ${places.length === 0 ? "no exported type" : `a type in ${places.join(" and ")}; rename one`}`];
  });
}

/** The most names that the root entry may have. What fewer programs name belongs in a subpath. */
export const mostRootNames = 150;

/** More names in the root entry than a reader takes in at once. */
export function rootNameFaults(files: readonly SourceFile[]): readonly string[] {
  const count = files.find(({ path }) => path === "packages/throughline/src/index.ts")?.syntax.passedOn.length ?? 0;
  return count > mostRootNames
    ? [`packages/throughline/src/index.ts: ${count} names, at most ${mostRootNames}; export what fewer programs name from a subpath`]
    : [];
}
