import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { root } from "../../scripts/root.ts";

/** One small change of the source, and what the tests made of it. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The source line where it begins, and what replaces the part between its columns, each on one line. */
  readonly code: string;
  readonly original: string;
  readonly replacement: string;
  readonly mutator: string;
  readonly status: MutantResult["status"];
}

export interface MutateOptions {
  readonly tests: readonly string[];
  /** Decides, among all mutants of the files, which ones are tried. */
  readonly choose: (total: number) => (index: number) => boolean;
  readonly concurrency: number;
}

type Path = { readonly node: object; isExpressionStatement(): boolean };
type Mutator = { readonly name: string; mutate(path: Path): Iterable<object> };

/** Stryker empties whole blocks, but drops no single statement. Its list of mutators is no public part of it: the version is pinned. */
const dropStatement: Mutator = {
  name: "DropStatement",
  *mutate(path) {
    if (path.isExpressionStatement()) yield { type: "EmptyStatement" };
  },
};
const inside = import.meta.resolve("@stryker-mutator/instrumenter").replace(/index\.js$/, "mutators/mutate.js");
const { allMutators } = (await import(inside)) as { readonly allMutators: Mutator[] };
allMutators.push(dropStatement);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const cut = (lines: readonly string[], { start, end }: MutantResult["location"]): string =>
  lines
    .slice(start.line, end.line + 1)
    .map((line, index, part) => line.slice(index === 0 ? start.column : 0, index === part.length - 1 ? end.column : undefined))
    .join("\n");

/** What a person reads may change without a test that fails: only strings without a space are mutated. */
const isProse = (mutator: string, original: string): boolean => mutator === "StringLiteral" && (/\s/.test(original) || original.length <= 2);

/** Makes all mutants of `files`, tries the chosen ones against `tests`, and says how each ended. */
export async function mutate(files: readonly string[], { tests, choose, concurrency }: MutateOptions): Promise<readonly Mutant[]> {
  const tempDirName = await mkdtemp(join(tmpdir(), "throughline-mutate-"));
  const texts = new Map(await Promise.all(files.map(async (file) => [file, (await readFile(join(root, file), "utf8")).split("\n")] as const)));
  const found = new Map<string, Omit<Mutant, "status">>();
  const stryker: { instrument: (this: Instrumenter, ...call: Parameters<Instrumenter["instrument"]>) => ReturnType<Instrumenter["instrument"]> } =
    Instrumenter.prototype;
  const { instrument } = stryker;
  stryker.instrument = async function (...call) {
    const made = await instrument.apply(this, call);
    for (const { id, fileName, location, mutatorName: mutator, replacement } of made.mutants) {
      const file = relative(root, fileName);
      const lines = texts.get(file) ?? [];
      const [original, code] = [oneLine(cut(lines, location)), oneLine(lines[location.start.line] ?? "")];
      if (!isProse(mutator, original))
        found.set(id, {
          file,
          line: location.start.line + 1,
          column: location.start.column + 1,
          code,
          original,
          replacement: oneLine(replacement),
          mutator,
        });
    }
    const chosen = choose(found.size);
    const kept = new Set([...found.keys()].filter((_, index) => chosen(index)));
    return { ...made, mutants: made.mutants.map((mutant) => (kept.has(mutant.id) ? mutant : { ...mutant, status: "Ignored" as const })) };
  };
  process.env["MUTATE_TESTS"] = globSync([...tests], { cwd: root, exclude: ["**/*.slow.test.ts"] }).join("\n");
  try {
    const run = new Stryker({
      mutate: [...files],
      testRunner: "vitest",
      plugins: ["@stryker-mutator/vitest-runner"],
      // `related` asks for all tests that import a file, however far away: most of the suite.
      vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
      coverageAnalysis: "perTest",
      ignoreStatic: true,
      concurrency,
      // Three times the default: a timeout counts as noticed, and a busy machine must not make it so.
      timeoutMS: 15_000,
      tempDirName,
      // Stryker rewrites a tsconfig.json with a function that TypeScript 7 does not have; nothing here reads that file.
      tsconfigFile: "none",
      disableTypeChecks: false,
      reporters: ["progress-append-only"],
      dryRunTimeoutMinutes: 20,
      allowConsoleColors: false,
    });
    const results = await run.runMutationTest();
    return results.flatMap(({ id, status }) => {
      const mutant = found.get(id);
      return mutant === undefined || status === "Ignored" ? [] : [{ ...mutant, status }];
    });
  } finally {
    stryker.instrument = instrument;
    await rm(tempDirName, { recursive: true, force: true });
  }
}
