import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Manifest, entryFiles, readManifest, readPackages, root, runCompiler } from "../root.ts";

/** What stands beside the code in a published package, where it exists in its folder, and what each takes from the root besides. */
const beside = ["README.md", "bin", "bin.js", "templates"];
/** The program of a package that builds its page into a folder of the published package, and that folder. */
const pages: Readonly<Record<string, readonly [program: string, folder: string]>> = { inspector: ["build-page.ts", "page"] };
const fromRoot: Readonly<Record<string, readonly string[]>> = {
  throughline: ["README.md", "CHANGELOG.md"],
  server: ["etc/throughline.schema.json"],
};

/** Where a published package has what the compiler makes of a source file. */
const compiled = (file: string, ending: string): string => file.replace(/^\.\/src\//, "./dist/").replace(/\.ts$/, ending);

/** The manifest of a published package: compiled entry points, no scripts. */
function publishedManifest(folder: string, manifest: Manifest): object {
  const entries = entryFiles(manifest).map(
    ([subpath, file]) => [subpath, { types: compiled(file, ".d.ts"), default: compiled(file, ".js") }] as const,
  );
  const { name, version, description, keywords, license, bin, engines, dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const repository = { ...readManifest().repository, directory: `packages/${folder}` };
  const facts = { name, version, description, keywords, license, repository, type: "module", sideEffects: false };
  const exports = { ...Object.fromEntries(entries), "./package.json": "./package.json" };
  // A package with a scope is private by default.
  const publishConfig = { access: "public" };
  return { ...facts, bin, exports, engines, dependencies, peerDependencies, peerDependenciesMeta, publishConfig };
}

/** Builds the page of a package that has one. */
function buildPage(folder: string, place: string): void {
  const [program, page] = pages[folder] ?? [];
  if (program === undefined || page === undefined) return;
  const { status, stderr } = spawnSync(process.execPath, [join(root, "packages", folder, program), join(place, page)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The page of packages/${folder} was not built:\n${stderr}`);
}

/** A page as it stands in a published package: links to files of the repository lead to the repository, as it was for this version. */
function publishedPage(text: string, page: string): string {
  const { version, repository } = readManifest();
  const place = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/v${version}`;
  return text.replaceAll(/\]\((?!\w+:|#)([^)\s]+)\)/g, (_link, target: string) => `](${place}/${join(dirname(page), target)})`);
}

/** The declaration files that `entries` import, with what those import, and themselves. */
function reachedDeclarations(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  // A set that grows while it is walked is walked to its new end.
  for (const file of reached)
    for (const [, from] of readFileSync(file, "utf8").matchAll(/(?:\bfrom |\bimport ?\(?)"(\.[^"]+)\.[jt]s"/g))
      reached.add(join(dirname(file), `${from}.d.ts`));
  return reached;
}

/**
 * Moves what was compiled to `dist/`. Keeps the declarations that the entries of the package reach, because nobody can import others. Puts their sources
 * into `src/` and makes the declaration maps lead there; the compiler writes maps that lead to this checkout.
 */
function besideSources(place: string, home: string, manifest: Manifest): void {
  if (!existsSync(join(place, "src"))) return;
  renameSync(join(place, "src"), join(place, "dist"));
  const reached = reachedDeclarations(entryFiles(manifest).map(([, file]) => join(place, compiled(file, ".d.ts"))));
  for (const name of globSync("dist/**/*.d.ts", { cwd: place })) {
    const file = join(place, name);
    const mapFile = `${file}.map`;
    if (!reached.has(file)) {
      rmSync(file);
      rmSync(mapFile);
      continue;
    }
    const source = name.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts");
    cpSync(join(home, source), join(place, source));
    const map = JSON.parse(readFileSync(mapFile, "utf8")) as { readonly sources: readonly string[] };
    writeFileSync(mapFile, JSON.stringify({ ...map, sources: [relative(dirname(file), join(place, source)).replaceAll("\\", "/")] }));
  }
}

/**
 * Compiles the packages into folders of `target` and completes each. `dist/` is laid out like `src/` in the repository, so that relative paths hold in
 * both. What was in `target` is gone. Returns the folders.
 */
export function buildPackages(target: string): readonly string[] {
  rmSync(target, { recursive: true, force: true });
  const { code, output } = runCompiler(["-p", "tsconfig.build.json", "--outDir", target]);
  if (code !== 0) throw new Error(`The source does not compile:\n${output}`);
  // The compiler prints JSON with white space; the files as they are checked in are compact.
  const schema = /\.schema\.json$/;
  for (const name of globSync("*/src/**/*.json", { cwd: join(root, "packages") }))
    if (!schema.test(name)) cpSync(join(root, "packages", name), join(target, name));
  return readPackages().map(({ folder, manifest }) => {
    const place = join(target, folder);
    const home = join(root, "packages", folder);
    mkdirSync(place, { recursive: true });
    buildPage(folder, place);
    besideSources(place, home, manifest);
    for (const name of beside.filter((file) => existsSync(join(home, file)))) cpSync(join(home, name), join(place, name), { recursive: true });
    for (const name of ["LICENSE", ...(fromRoot[folder] ?? [])]) cpSync(join(root, name), join(place, name));
    for (const name of ["README.md", "CHANGELOG.md"].filter((file) => existsSync(join(place, file)))) {
      const page = (fromRoot[folder] ?? []).includes(name) ? name : `packages/${folder}/${name}`;
      writeFileSync(join(place, name), publishedPage(readFileSync(join(place, name), "utf8"), page));
    }
    writeFileSync(join(place, "package.json"), `${JSON.stringify(publishedManifest(folder, manifest), null, 2)}\n`);
    return place;
  });
}
