import { cpSync, existsSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, entryFiles, readPackages, root, runCompiler } from "../root.ts";

/** What stands beside the code in a published package, where it exists in its folder, and what each takes from the root besides. */
const beside = ["README.md", "bin", "chat-page/index.html", "chat-page/chat.css", "chat-page/chat.js", "chat-page/view.js"];
const fromRoot: Readonly<Record<string, readonly string[]>> = {
  throughline: ["README.md", "CHANGELOG.md"],
  server: ["etc/throughline.schema.json"],
};

/** The manifest of a published package: compiled entry points, no scripts. */
function publishedManifest(manifest: Manifest): object {
  const compiled = (file: string, ending: string): string => file.replace(/\.ts$/, ending);
  const entries = entryFiles(manifest).map(
    ([subpath, file]) => [subpath, { types: compiled(file, ".d.ts"), default: compiled(file, ".js") }] as const,
  );
  const { name, version, description, keywords, license, bin, engines, dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const facts = { name, version, description, keywords, license, type: "module", sideEffects: false };
  const exports = { ...Object.fromEntries(entries), "./package.json": "./package.json" };
  return { ...facts, bin, exports, engines, dependencies, peerDependencies, peerDependenciesMeta };
}

/**
 * Compiles the packages into folders of `target` and completes each, laid out like its folder in the repository, so that relative paths hold in both.
 * What was in `target` is gone. Returns the folders.
 */
export function buildPackages(target: string): readonly string[] {
  rmSync(target, { recursive: true, force: true });
  const { code, output } = runCompiler(["-p", "tsconfig.build.json", "--outDir", target]);
  if (code !== 0) throw new Error(`The source does not compile:\n${output}`);
  // The compiler prints JSON with white space; the files as they are checked in are compact.
  for (const name of globSync("*/src/**/*.json", { cwd: join(root, "packages") })) cpSync(join(root, "packages", name), join(target, name));
  return readPackages().map(({ folder, manifest }) => {
    const place = join(target, folder);
    const home = join(root, "packages", folder);
    for (const name of beside.filter((file) => existsSync(join(home, file)))) cpSync(join(home, name), join(place, name), { recursive: true });
    for (const name of ["LICENSE", ...(fromRoot[folder] ?? [])]) cpSync(join(root, name), join(place, name));
    writeFileSync(join(place, "package.json"), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
    return place;
  });
}
