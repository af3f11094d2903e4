/**
 * `npm run runtimes` runs the packed packages on other runtimes: the oldest supported versions of Node, and Bun and Deno. Each runs the store kits, a
 * smoke suite and the snippets of the pages. `npm run runtimes -- node@24.8.0 bun` runs these two. `--only kits` or `--only pages` runs one part.
 * `--probe` lifts the limit on the version of Node in the installed copy: that is how the oldest versions were found.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { oldestNodes } from "../packages/throughline/src/kernel/process.ts";
import { startPostgres } from "../test/setup/start-postgres.ts";
import { knownFailures } from "../test/runtimes/known-failures.ts";
import { Consumer, packPackages } from "./build/packed.ts";
import { readPackages, root, runCompiler } from "./root.ts";
import { printsAsPromised, snippetsOf } from "./snippets/extract.ts";

/** A check that has run; it passed if it has no error. */
interface Outcome {
  readonly name: string;
  readonly error?: string;
}

/** The versions that are run unless the arguments name others. */
const usual = [...oldestNodes.map((version) => `node@${version}`), "bun@1.4.5", "deno@2.9.6"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, probe: { type: "boolean", default: false } },
});

/** Packages that the programs of the pages use besides ours, in the versions of this checkout. */
const others = ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "pg", "zod"];
const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")) as { readonly version: string }).version;

const importsOf = (code: string): readonly string[] => [...code.matchAll(/(?:\bfrom |\bimport\()"([^".][^"]*)"/g)].map((match) => match[1] ?? "");
const available = new Set([...others, ...readPackages().map(({ manifest }) => manifest.name)]);

/** Whether a program needs only our packages and `others`. Those for another library, with an adapter, are tested with that library. */
const isOurs = (code: string): boolean =>
  importsOf(code).every((name) => {
    const [scope = "", child = ""] = name.split("/");
    const owner = scope.startsWith("@") ? `${scope}/${child}` : scope;
    return name.startsWith("node:") || (available.has(owner) && owner !== "@throughline/adapters");
  });

/** The pages with their TypeScript programs. Files that a shell runs are left out. */
const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()].map((page) => ({
  page,
  snippets: snippetsOf(readFileSync(join(root, page), "utf8")).snippets.filter(
    ({ language, file, code }) => language === "ts" && file === undefined && isOurs(code),
  ),
}));

/** Where the programs of a page lie, below the folder of the installed packages. */
const folderOf = (page: string): string => join("pages", page.replaceAll(/\W/g, "-"));

/**
 * Writes the programs as TypeScript and compiles them, because older versions run no TypeScript and no `await using`. The types were checked where the
 * programs belong.
 */
function writePrograms(place: Consumer, programs: ReadonlyMap<string, string>): void {
  for (const [name, text] of programs) {
    mkdirSync(dirname(place.place(name)), { recursive: true });
    writeFileSync(place.place(name), `${text.replaceAll(/(["'][./][^"'\n]*)\.ts(?=["'])/g, "$1.js")}\nexport {};\n`);
  }
  const options = ["--ignoreConfig", "--noCheck", "--target", "ES2024", "--module", "NodeNext", "--verbatimModuleSyntax", "--skipLibCheck"];
  const { output } = runCompiler([
    ...options,
    "--rootDir",
    place.home,
    "--outDir",
    place.home,
    ...[...programs.keys()].map((name) => place.place(name)),
  ]);
  const missing = [...programs.keys()].filter((name) => !existsSync(place.place(name.replace(/\.ts$/, ".js"))));
  if (missing.length > 0) throw new Error(`${missing.join(", ")} did not compile:\n${output}`);
}

// Deno colors its output if the variable is there, whatever its value is.
const { FORCE_COLOR: _color, ...environment } = process.env;

/** What a program printed, and how it ended. */
function run(
  command: readonly string[],
  cwd: string,
  limitMs: number,
): Promise<{ readonly code: number | string; readonly stdout: string; readonly stderr: string }> {
  const [executable = "", ...args] = command;
  const child = spawn(executable, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...environment, NO_COLOR: "1" },
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: error.message, stdout, stderr }));
    child.on("close", (code, signal) => resolve({ code: signal ?? code ?? 1, stdout, stderr }));
  });
}

const minutes = 60_000;
const lastLines = (text: string): string => text.trim().split("\n").slice(-14).join(" ").slice(0, 900);

/** The store kits and the smoke suite. */
async function runKits(command: readonly string[], place: Consumer): Promise<readonly Outcome[]> {
  const { code, stdout, stderr } = await run([...command, place.place("suite.js")], place.home, 20 * minutes);
  const outcomes = stdout.split("\n").flatMap((line): readonly Outcome[] => (line.startsWith("{") ? [JSON.parse(line) as Outcome] : []));
  return code === 0 ? outcomes : [...outcomes, { name: "the kits come to their end", error: `ended with ${code}: ${lastLines(stderr)}` }];
}

/** The text without what only the runtime's way to print values decides: white space, the kind of quotes and a comma after the last member. */
const plain = (text: string): string => text.replaceAll(/["'`\s]/g, "").replaceAll(/,(?=[}\]])/g, "");

/** Whether a program printed what its page says. Bun and Deno print values in their own way. */
const printsTheSame = (stdout: string, expected: string): boolean =>
  printsAsPromised(stdout, expected) || printsAsPromised(plain(stdout), plain(expected));

/** The TypeScript snippets of the pages. */
async function runPages(command: readonly string[], place: Consumer): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { page, snippets } of pages) {
    const files = place.place(folderOf(page), "files");
    // What another runtime has written is not there.
    rmSync(files, { recursive: true, force: true });
    for (const { line, expected } of snippets) {
      mkdirSync(files, { recursive: true });
      const { code: status, stdout, stderr } = await run([...command, place.place(folderOf(page), `line-${line}.js`)], files, minutes);
      const name = `${page}, line ${line}`;
      if (status !== 0) outcomes.push({ name, error: `ended with ${status}: ${lastLines(stderr)}` });
      else if (expected !== undefined && !printsTheSame(stdout, expected))
        outcomes.push({ name, error: `prints something else: ${lastLines(stdout)}` });
      else outcomes.push({ name });
    }
  }
  return outcomes;
}

/** Installs a runtime as npm offers it, and returns the command that starts it. */
function installRuntime(spec: string): { readonly place: Consumer; readonly command: readonly string[] } {
  const place = new Consumer();
  place.write("package.json", `{ "name": "runtime", "private": true }`);
  const { status, stderr } = place.npm("install", "--no-fund", "--save-exact", spec);
  if (status !== 0) throw new Error(`npm install ${spec} ended with ${status}:\n${stderr}`);
  const [name = ""] = spec.split("@");
  const executable = place.place("node_modules/.bin", name);
  return { place, command: name === "deno" ? [executable, "run", "--allow-all"] : [executable] };
}

/** The text by which a failure is known of the runtime. */
const knownText = (runtime: string, { error = "" }: Outcome): string | undefined =>
  Object.keys(knownFailures[runtime] ?? {}).find((text) => error.includes(text));

const packed = packPackages();
const place = new Consumer();
place.write("package.json", `{ "name": "runtimes", "private": true, "type": "module" }`);
place.install(...packed.tarballs.values(), ...others.map((name) => `${name}@${versionOf(name)}`));
const examples = globSync("examples/{journal-store,mcp-tool}/*.ts", { cwd: root });
writePrograms(
  place,
  new Map([
    ["suite.ts", readFileSync(join(root, "test/runtimes/suite.ts"), "utf8")],
    ...examples.map((name) => [name, readFileSync(join(root, name), "utf8")] as const),
    ...pages.flatMap(({ page, snippets }) => snippets.map(({ line, code }) => [join(folderOf(page), `line-${line}.ts`), code] as const)),
  ]),
);
if (values.probe) {
  const file = place.place("node_modules/throughline/dist/kernel/process.js");
  writeFileSync(file, readFileSync(file, "utf8").replace(/const oldestNodes = \[.*?\]/, `const oldestNodes = ["0.0.0"]`));
}
const postgres = await startPostgres({ durable: false });
process.env["DATABASE_URL"] = postgres.url;
try {
  for (const spec of positionals.length > 0 ? positionals : usual) {
    const installed = installRuntime(spec);
    const [runtime = ""] = spec.split("@");
    const outcomes = [
      ...(values.only === "pages" ? [] : await runKits(installed.command, place)),
      ...(values.only === "kits" ? [] : await runPages(installed.command, place)),
    ];
    installed.place.remove();
    const failed = outcomes.filter(({ error }) => error !== undefined);
    const unknown = failed.filter((outcome) => knownText(runtime, outcome) === undefined);
    const seen = new Set(failed.map((outcome) => knownText(runtime, outcome)));
    // A part of the checks does not show that a failure is gone.
    const repaired = values.only === undefined ? Object.keys(knownFailures[runtime] ?? {}).filter((text) => !seen.has(text)) : [];
    console.log(`${spec}: ${outcomes.length - failed.length} passed, ${failed.length} failed, of which ${failed.length - unknown.length} are known`);
    for (const { name, error } of unknown) console.log(`  ${name}\n    ${error}`);
    for (const text of repaired) console.log(`  "${text}" does not happen any more: remove it from test/runtimes/known-failures.ts`);
    if (unknown.length > 0 || repaired.length > 0 || outcomes.length === 0) process.exitCode = 1;
  }
} finally {
  await postgres.stop();
  place.remove();
  packed.remove();
}
