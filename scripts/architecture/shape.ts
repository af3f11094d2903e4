import { ambientFiles, limits, longFiles, vagueNames } from "./rooms.ts";
import type { SourceFile } from "./tree.ts";

/** The figures of the house, printed by the gate and in every failure. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly longest: string;
  readonly anyPerThousandLines: number;
}

const inSource = (file: SourceFile): boolean => file.path.startsWith("src/");

/** Counts `src`. */
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

/** Files and the whole that are longer than they may be, and exceptions that no longer are any. */
export function sizeFaults(files: readonly SourceFile[], allowed: Readonly<Record<string, string>> = longFiles): readonly string[] {
  const limitOf = (path: string): number =>
    path === "src/runtime/turn.ts" ? limits.turnLines : path.startsWith("test/") ? limits.testLines : limits.lines;
  const long = files.filter((file) => file.lines > limitOf(file.path));
  const { median, anyPerThousandLines } = figuresOf(files);
  return [
    ...long.filter((file) => !Object.hasOwn(allowed, file.path)).map((file) => `${file.path}: ${file.lines} lines, at most ${limitOf(file.path)}`),
    ...Object.keys(allowed)
      .filter((path) => !long.some((file) => file.path === path))
      .map((path) => `${path}: is not too long; remove its exception`),
    ...(Object.keys(allowed).length > 3 ? [`${Object.keys(allowed).length} exceptions of length, at most 3`] : []),
    ...(median > limits.medianLines ? [`the median file of src has ${median} lines, at most ${limits.medianLines}`] : []),
    ...(anyPerThousandLines > limits.anyPerThousandLines
      ? [`${anyPerThousandLines} uses of any per 1,000 lines of src, at most ${limits.anyPerThousandLines}`]
      : []),
  ];
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
