import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./rooms.ts";
import { type FileSyntax, readSyntax } from "./syntax.ts";

/** One file of our own, read and parsed. */
export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  /** 0 for a generated file. */
  readonly lines: number;
  readonly syntax: FileSyntax;
}

const folders = ["packages", "examples", "bench", "eval", "scripts", "bin", "test"];
/** Whether a path is source of the library, the service, the client or the inspector. The companion stands where a user stands. */
export const isSource = (path: string): boolean => /^packages\/(?:throughline|server|client|inspector)\/src\//.test(path);
/** Whether a path belongs to a template of `create-throughline`, a project of its own. */
export const isTemplate = (path: string): boolean => path.startsWith("packages/create-throughline/templates/");

const ours = /\.(tsx?|mts|mjs)$/;

/** A file from its path and text. */
export function sourceFile(path: string, text: string): SourceFile {
  const lines = generatedFiles.includes(path) ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return { path, lines, syntax: readSyntax(path, text) };
}

/** Reads every file of our own below `root`, without installed packages and fixtures of the tests. */
export function readTree(root: string): readonly SourceFile[] {
  const found = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => {
      const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
      return names.filter((name) => ours.test(name) && !name.startsWith("test/fixtures/") && !name.includes("/node_modules/"));
    });
  return found.toSorted().map((path) => sourceFile(path, readFileSync(join(root, path), "utf8")));
}
