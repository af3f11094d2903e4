import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The parts of a package's package.json that the scripts read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
  readonly engines?: Readonly<Record<string, string>>;
}

/** The parts of the root's package.json that the scripts read. */
export interface RootManifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  /** Where the source is published. The packages take it over, each with its folder. */
  readonly repository: { readonly type: "git"; readonly url: string };
  readonly scripts: Readonly<Record<string, string>>;
}

/** A package of the repository: the name of its folder in packages/, and its manifest. */
export interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Reads the root's package.json. */
export const readManifest = (): RootManifest => JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as RootManifest;

/** The packages; each depends only on those before it. */
export const readPackages = (): readonly Package[] =>
  ["throughline", "client", "companion", "adapters", "inspector", "server", "create-throughline"].map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest,
  }));

/** The entry points among the exports of a package: subpath to source file. */
export const entryFiles = (manifest: Manifest): readonly (readonly [subpath: string, file: string])[] =>
  Object.entries(manifest.exports).filter(([, file]) => file.endsWith(".ts"));

/** Runs the TypeScript compiler; its exit code and everything it said. */
export function runCompiler(args: readonly string[]): { readonly code: number; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { code: status ?? 1, output: `${stdout}${stderr}` };
}
