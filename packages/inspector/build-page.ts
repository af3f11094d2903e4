/**
 * Builds the page of the inspector into a folder and prints that folder. With an argument, into that folder, for a published package. Without one, into a
 * cache that the sources name by their hash, for a checkout: a page that is built already is not built again.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";

const home = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(home));
/** What the page consists of besides packages, whose versions the lock file names. */
const sources = [
  "packages/inspector/{build-page.ts,chat.html,index.html,package.json}",
  "packages/inspector/src/**/*.{ts,tsx,css}",
  "packages/client/src/**/*.ts",
];

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const name of [...globSync(sources, { cwd: root }).toSorted(), "package-lock.json"])
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(root, name)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** The packages whose code the page holds. Their licenses go with it. */
const bundled = ["preact", "@preact/signals", "@preact/signals-core"];

type Context = Rolldown.ChunkingContext;

/** Returns the pages and the modules loaded on demand that load a module with them. */
function rootsOf(id: string, context: Context, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(id)) return new Set();
  seen.add(id);
  const info = context.getModuleInfo(id);
  if (info === null) return new Set();
  // The arrays of the context are reused by the next call.
  const [importers, isRoot] = [[...info.importers], info.isEntry || info.dynamicImporters.length > 0];
  return new Set([...(isRoot ? [id] : []), ...importers.flatMap((importer) => [...rootsOf(importer, context, seen)])]);
}

/**
 * Gathers what pages and screens share into three files, because each file is a request: what both pages load, what one page loads and screens use that
 * are loaded on demand, and what only such screens and dialogs share.
 */
function fileOf(id: string, context: Context): string | null {
  const roots = [...rootsOf(id, context)];
  if (roots.length < 2) return null;
  const pages = roots.filter((root) => context.getModuleInfo(root)?.isEntry === true);
  return ["later", "first", "both"][pages.length] ?? null;
}

async function buildInto(folder: string): Promise<void> {
  // In any other environment the page holds the names of its source files.
  process.env["NODE_ENV"] = "production";
  await build({
    root: home,
    configFile: false,
    base: "/inspector/",
    logLevel: "warn",
    // Two copies of Preact would not know of each other's components.
    // The hook of the client is made for React, and the chat has Preact.
    resolve: { dedupe: ["preact"], alias: { react: "preact/compat" } },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: folder,
      rolldownOptions: {
        input: [join(home, "index.html"), join(home, "chat.html")],
        output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: fileOf, debugName: "shared files" }] } },
      },
      emptyOutDir: true,
      target: ["chrome123", "firefox121", "safari17.5"],
      assetsDir: "assets",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      assetsInlineLimit: 0,
    },
  });
  const resolve = createRequire(import.meta.url).resolve;
  for (const name of bundled) {
    const [place = ""] =
      resolve
        .paths(name)
        ?.map((path) => join(path, name))
        .filter((path) => existsSync(join(path, "LICENSE"))) ?? [];
    cpSync(join(place, "LICENSE"), join(folder, `license-${name.replace(/^@/, "").replace("/", "-")}.txt`));
  }
}

const [, , given] = process.argv;
if (given === undefined) {
  const folder = join(root, "node_modules/.cache/throughline-inspector", hashOfSources());
  if (!existsSync(folder)) {
    // Processes may build at the same time: the first one that is done wins.
    const own = `${folder}.${process.pid}`;
    mkdirSync(dirname(folder), { recursive: true });
    await buildInto(own);
    if (existsSync(folder)) rmSync(own, { recursive: true });
    else renameSync(own, folder);
  }
  console.log(folder);
} else {
  await buildInto(given);
  console.log(given);
}
