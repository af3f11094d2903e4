import { roomOf } from "./arrows.ts";
import { roomLines } from "./room-lines.ts";
import { ambientFiles, mostAnyPerThousandLines, mostFilesPerFolder, namedLikeAnEntry, sharedFileNames, vagueNames } from "./rooms.ts";
import { isSource, isTemplate, type SourceFile } from "./tree.ts";

/** The figures of the house, printed by the gate and in every failure. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly longest: string;
  readonly anyPerThousandLines: number;
}

const inSource = (file: SourceFile): boolean => isSource(file.path);

/** Counts the source. */
export function figuresOf(files: readonly SourceFile[]): Figures {
  const source = files.filter(inSource).toSorted((left, right) => left.lines - right.lines);
  const lines = source.reduce((sum, file) => sum + file.lines, 0);
  const anyTypes = source.reduce((sum, file) => sum + file.syntax.anyTypes.length, 0);
  const longest = source.at(-1);
  return {
    files: source.length,
    lines,
    median: source[Math.floor((source.length - 1) / 2)]?.lines ?? 0,
    longest: longest === undefined ? "none" : `${longest.path} (${longest.lines})`,
    anyPerThousandLines: lines === 0 ? 0 : Math.round((anyTypes / lines) * 100_000) / 100,
  };
}

/** More uses of `any` than source may have. */
export function anyFaults(files: readonly SourceFile[]): readonly string[] {
  const { anyPerThousandLines } = figuresOf(files);
  return anyPerThousandLines > mostAnyPerThousandLines
    ? [`${anyPerThousandLines} uses of any per 1,000 lines of source, at most ${mostAnyPerThousandLines}`]
    : [];
}

/** Folders with more files of ours than a reader takes in at once. */
export function folderFaults(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter((file) => file.path.startsWith("packages/"))) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) =>
    count > mostFilesPerFolder ? [`${folder}: ${count} files, at most ${mostFilesPerFolder}; group them, or merge small ones`] : [],
  );
}

/** Base names that more than one file of the packages has, besides those that are listed. Templates are projects of their own, so they may share names. */
export function fileNameFaults(
  files: readonly SourceFile[],
  listed: readonly string[] = [...namedLikeAnEntry, ...sharedFileNames],
): readonly string[] {
  const places = new Map<string, readonly string[]>();
  for (const { path } of files.filter((file) => file.path.startsWith("packages/") && !isTemplate(file.path))) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (!listed.includes(name)) places.set(name, [...(places.get(name) ?? []), path]);
  }
  return [...places].flatMap(([name, paths]) =>
    paths.length > 1 ? [`${name} is the name of ${paths.join(" and ")}; rename one, so that each is found by its name`] : [],
  );
}

/** Rooms with more lines than are recorded for them. */
export function roomSizeFaults(files: readonly SourceFile[], recorded: Readonly<Record<string, number>> = roomLines): readonly string[] {
  const lines = new Map<string, number>();
  for (const file of files) {
    const room = roomOf(file.path)?.name;
    if (room !== undefined) lines.set(room, (lines.get(room) ?? 0) + file.lines);
  }
  return [...lines].flatMap(([room, count]) => {
    const most = recorded[room] ?? 0;
    return count > most
      ? [
          `${room}: ${count} lines, ${most} are recorded in scripts/architecture/room-lines.ts; remove some, or record the number and why in docs/decisions`,
        ]
      : [];
  });
}

/** What the style forbids in a single file: default exports, hidden time and randomness, names that say nothing. */
export function styleFaults(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const folders = file.path.split("/");
    const name = folders.pop() ?? "";
    const vague = [
      ...folders.filter((folder) => vagueNames.folders.some((bad) => bad === folder)),
      ...vagueNames.files.filter((bad) => bad === name),
    ];
    const named = vague.map((word) => `${file.path}: \`${word}\` does not say what is inside`);
    if (!inSource(file)) return named;
    return [
      ...named,
      ...file.syntax.defaultExports.map((line) => `${file.path}:${line}: default export`),
      ...file.syntax.classes
        .filter(({ name: called }) => called.endsWith("Manager"))
        .map(({ line, name: called }) => `${file.path}:${line}: class ${called}: say what it does`),
      ...(ambientFiles.includes(file.path)
        ? []
        : file.syntax.ambient.map(({ line, what }) => `${file.path}:${line}: ${what}; take a Clock, Random or Ids instead`)),
    ];
  });
}
