import { join } from "node:path";
import { entryFiles, readPackages, runCompiler } from "../root.ts";
import type { Entry } from "./report.ts";

/** An entry point with its declarations, and the packages that come with it. */
export interface EmittedEntry extends Entry {
  /** What comes with the package: its declarations may import nothing else. An adapter is for who has its peer. */
  readonly dependencies: readonly string[];
}

/** Writes the declarations of all packages into a folder, and returns the entry points. Throws if the source does not compile. */
export function emitEntries(folder: string): readonly EmittedEntry[] {
  const { code, output } = runCompiler(["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder]);
  if (code !== 0) throw new Error(`The declarations cannot be emitted:\n${output}`);
  return readPackages().flatMap(({ folder: home, manifest }) =>
    entryFiles(manifest).map(([subpath, file]) => ({
      name: `${manifest.name}${subpath.slice(1)}`,
      file: join(folder, home, file.replace(/\.ts$/, ".d.ts")),
      dependencies: Object.keys({ ...manifest.dependencies, ...(manifest.name === "@throughline/adapters" ? manifest.peerDependencies : {}) }),
    })),
  );
}

/** Whether an entry is for programs. The command line's is a program itself. */
export const isApi = ({ name }: Entry): boolean => name !== "@throughline/server/cli";
