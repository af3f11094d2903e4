/** What importing the package costs a process that has just begun. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPackages } from "../scripts/build/package.ts";
import { type Figure, median, round } from "./figures.ts";

const timing = `const began = performance.now(); await import(process.argv[1]); console.log(performance.now() - began);`;

/** Prints every module that the import loads: those of Node by name, others by URL. */
const listing = `
import { registerHooks } from "node:module";
const before = new Set(process.moduleLoadList);
const urls = [];
registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); urls.push(found.url); return found; } });
await import(process.argv[1]);
const builtin = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.replace(/^.* /, ""));
console.log(JSON.stringify([...new Set([...builtin, ...urls])]));
`;

/** A database or HTTP: of Node, of a package, or of ours. */
const unwanted = /^(?:node:)?(?:sqlite|http|https|http2|net|tls)$|\/node_modules\/(?:pg|undici|hono)\/|\/store\/(?:sqlite|postgres)\//;

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a script in a new process; it prints JSON. */
const run = (script: string, entry: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script, entry], { encoding: "utf8", cwd: root }));

const importTimes = (entry: string, quick: boolean): readonly number[] => Array.from({ length: quick ? 5 : 15 }, () => run(timing, entry) as number);

/** Time and modules of a cold import: of the package as it is published, and of its source as it is run while developing. */
export function coldImport(quick: boolean): readonly Figure[] {
  const folder = mkdtempSync(join(tmpdir(), "throughline-built-"));
  try {
    buildPackages(folder);
    // What it depends on is beside it, as where it is installed.
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const built = pathToFileURL(join(folder, "throughline/dist/index.js")).href;
    const source = pathToFileURL(join(root, "packages/throughline/src/index.ts")).href;
    const [times, sourceTimes] = [importTimes(built, quick), importTimes(source, quick)];
    const modules = run(listing, built) as readonly string[];
    const heavy = modules.filter((name) => unwanted.test(name));
    const what = "cold import of the main entry point";
    return [
      { id: "import.ms", what, value: round(median(times)), unit: "ms", limit: 100, timing: true, details: { modules: modules.length } },
      { id: "import.source_ms", what: `${what}, its source unbuilt`, value: round(median(sourceTimes)), unit: "ms", timing: true },
      {
        id: "import.heavy",
        what: "databases and HTTP modules that the import loads",
        value: heavy.length,
        unit: "modules",
        limit: 0,
        timing: false,
        details: { modules: heavy.join(", ") },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
