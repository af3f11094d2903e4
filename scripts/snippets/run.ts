import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { root, runCompiler } from "../root.ts";
import { type Snippet, printsAsPromised } from "./extract.ts";

/** A place to run the snippets of one page: programs lie in the repository, where `throughline` resolves; they run in a folder of their own. */
export interface Bench {
  /** What went wrong, as text to show; undefined if the snippet did what the page says. */
  run(snippet: Snippet): string | undefined;
  /** What the compiler says of the TypeScript snippets; undefined if nothing. */
  compile(snippets: readonly Snippet[]): string | undefined;
  close(): void;
}

const minute = 60_000;

/** `throughline` and `npx throughline` of the pages are this repository's. */
function installCommands(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "throughline"), `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/throughline.mjs")}" "$@"\n`);
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

  return {
    run(snippet) {
      const [command, args] =
        snippet.language === "ts" ? [process.execPath, [programOf(snippet)]] : ["bash", ["-euo", "pipefail", "-c", snippet.code]];
      const { status, signal, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: "utf8", timeout: minute, input: "" });
      if (status !== 0) return `The ${snippet.language} block at line ${snippet.line} ended with ${signal ?? status}.\n${stdout}${stderr}`;
      if (snippet.expected === undefined || printsAsPromised(stdout, snippet.expected)) return undefined;
      return `The ${snippet.language} block at line ${snippet.line} prints something else.\n--- the page says\n${snippet.expected}\n--- it prints\n${stdout}`;
    },
    compile(snippets) {
      const typescript = snippets.filter((snippet) => snippet.language === "ts");
      if (typescript.length === 0) return undefined;
      for (const snippet of typescript) programOf(snippet);

      writeFileSync(join(programs, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["*.ts"] }));
      const { code, output } = runCompiler(["-p", programs]);
      return code === 0 ? undefined : output;
    },
    close() {
      for (const path of [programs, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}
