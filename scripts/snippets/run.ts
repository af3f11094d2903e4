import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { root, runCompiler } from "../root.ts";
import { type Snippet, printsAsPromised } from "./extract.ts";

/** A place to run the snippets of one page: programs lie in the repository, where `throughline` resolves; they run in a folder of their own. */
export interface Bench {
  /** What went wrong, as text to show; undefined if the snippet did what the page says. */
  run(snippet: Snippet): string | undefined;
  /** Where the programs lie. */
  readonly programs: string;
  /** Puts the TypeScript snippets where the compiler finds them. */
  write(snippets: readonly Snippet[]): void;
  close(): void;
}

const minute = 60_000;

/** `throughline` and `npx throughline` of the pages are this repository's. */
function installCommands(folder: string): void {
  mkdirSync(folder);
  writeFileSync(
    join(folder, "throughline"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "packages/throughline/bin/throughline.mjs")}" "$@"\n`,
  );
  writeFileSync(join(folder, "npx"), `#!/bin/sh\nexec "$@"\n`);
  for (const name of ["throughline", "npx"]) chmodSync(join(folder, name), 0o755);
}

/** Opens a bench for the page called `name`. */
export function openBench(name: string): Bench {
  mkdirSync(join(root, ".snippets"), { recursive: true });
  const programs = mkdtempSync(join(root, ".snippets", `${name.replaceAll(/[^\w-]/g, "-")}-`));
  const folder = mkdtempSync(join(tmpdir(), "throughline-page-"));
  const commands = join(programs, "bin");
  installCommands(commands);
  const env = { ...process.env, PATH: [commands, dirname(process.execPath), process.env["PATH"]].join(delimiter), FORCE_COLOR: "0" };
  const programOf = (snippet: Snippet): string => {
    const path = join(programs, `line-${snippet.line}.ts`);
    writeFileSync(path, `${snippet.code}\nexport {};\n`);
    return path;
  };
  /** Saves a file where the reader would. Packages are found there as after `npm install`. */
  const save = ({ code }: Snippet, file: string): undefined => {
    if (!existsSync(join(folder, "node_modules"))) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, file), `${code}\n`);
  };
  /** Puts each state of the page's files into a folder of its own for the compiler, because a file that grows is shown several times. */
  const writeFiles = (snippets: readonly Snippet[]): void => {
    const files = new Map<string, string>();
    for (const { file, code, line } of snippets) {
      if (file === undefined) continue;
      files.set(file, `${code}\nexport {};\n`);
      const state = join(programs, `line-${line}`);
      mkdirSync(state);
      for (const [name, text] of files) writeFileSync(join(state, name), text);
    }
  };

  return {
    run(snippet) {
      if (snippet.file !== undefined) return save(snippet, snippet.file);
      const [command, args] =
        snippet.language === "ts" ? [process.execPath, [programOf(snippet)]] : ["bash", ["-euo", "pipefail", "-c", snippet.code]];
      const { status, signal, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: minute, input: "" });
      if (status !== 0) return `The ${snippet.language} block at line ${snippet.line} ended with ${signal ?? status}.\n${stdout}${stderr}`;
      if (snippet.expected === undefined || printsAsPromised(stdout, snippet.expected)) return undefined;
      return `The ${snippet.language} block at line ${snippet.line} prints something else.\n--- the page says\n${snippet.expected}\n--- it prints\n${stdout}`;
    },
    programs,
    write(snippets) {
      for (const snippet of snippets) if (snippet.language === "ts" && snippet.file === undefined) programOf(snippet);
      writeFiles(snippets);
    },
    close() {
      for (const path of [programs, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** What the compiler says of all programs that were written to the benches, in one run; one text for each bench, undefined if nothing. */
export function compileAll(benches: readonly Bench[]): readonly (string | undefined)[] {
  const folder = mkdtempSync(join(root, ".snippets", "all-"));
  try {
    const include = benches.map(({ programs }) => join(programs, "**/*.ts"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json"), include, exclude: [] }));
    const { code, output } = runCompiler(["-p", folder]);
    if (code === 0) return benches.map(() => undefined);
    const faults = output.split(/\n(?=\S)/);
    const of = ({ programs }: Bench): string => faults.filter((fault) => fault.includes(basename(programs))).join("\n");
    const elsewhere = faults.filter((fault) => !benches.some(({ programs }) => fault.includes(basename(programs))));
    // What is wrong in the sources is wrong on every page.
    return benches.map((bench) => [of(bench), ...elsewhere].filter((text) => text !== "").join("\n") || undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
