import { cpSync, existsSync, globSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, entryFiles, readManifest, root, runCompiler } from "../root.ts";

/** What stands beside the code in the published package, where it exists. */
const companions = ["README.md", "CHANGELOG.md", "LICENSE", "etc/throughline.schema.json"];
/** Files that the code gives out as they are, laid out as in the repository. */
const givenOut = ["index.html", "chat.css", "chat.js", "view.js"].map((name) => join("examples/chat-page", name));

/** The manifest of the published package: compiled entry points, no development dependencies, no scripts. */
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
 * Compiles `src` into `target` and completes the folder to a package, laid out like the repository, so that relative paths hold in both.
 * What was in `target` is gone.
 */
export function buildPackage(target: string): void {
  rmSync(target, { recursive: true, force: true });
  const { code, output } = runCompiler(["-p", "tsconfig.build.json", "--outDir", join(target, "src")]);
  if (code !== 0) throw new Error(`The source does not compile:\n${output}`);
  // The compiler prints JSON with white space; the files as they are checked in are compact.
  for (const name of globSync("src/**/*.data.json", { cwd: root })) cpSync(join(root, name), join(target, name));
  for (const name of readdirSync(join(root, "bin"))) cpSync(join(root, "bin", name), join(target, "bin", name));
  for (const name of [...givenOut, ...companions.filter((file) => existsSync(join(root, file)))]) cpSync(join(root, name), join(target, name));
  writeFileSync(join(target, "package.json"), `${JSON.stringify(publishedManifest(readManifest()), null, 2)}\n`);
}
