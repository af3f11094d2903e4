/** `npm run api` writes etc/throughline.api.md; without `--write` this checks that it is current and that every public name is documented. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { importedPackages } from "./api/packages.ts";
import { apiReport } from "./api/report.ts";
import { entryFiles, readPackages, root, runCompiler } from "./root.ts";

const target = join(root, "etc/throughline.api.md");
const emitted = mkdtempSync(join(tmpdir(), "throughline-api-"));
try {
  const { code, output } = runCompiler(["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", emitted]);
  if (code !== 0) throw new Error(`The declarations cannot be emitted:\n${output}`);
  const entries = readPackages().flatMap(({ folder, manifest }) =>
    entryFiles(manifest).map(([subpath, file]) => ({
      name: `${manifest.name}${subpath.slice(1)}`,
      file: join(emitted, folder, file.replace(/\.ts$/, ".d.ts")),
      // What comes with the package: its declarations may import nothing else. An adapter is for who has its peer.
      dependencies: Object.keys({ ...manifest.dependencies, ...(manifest.name === "@throughline/adapters" ? manifest.peerDependencies : {}) }),
    })),
  );
  const { text, undocumented } = apiReport(entries.filter(({ name }) => name !== "@throughline/server/cli"));
  const foreign = entries.flatMap(({ name, file, dependencies }) =>
    [...importedPackages(file)].flatMap(([imported, place]) =>
      dependencies.includes(imported) ? [] : [`${name} imports ${imported} in ${relative(emitted, place)}`],
    ),
  );
  if (process.argv.includes("--write")) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const current = existsSync(target) && readFileSync(target, "utf8") === text;
  for (const found of foreign) console.error(`The declarations of ${found}, which does not come with it.`);
  for (const name of undocumented) console.error(`${name} is public and has no doc comment.`);
  if (!current) console.error("etc/throughline.api.md is not current: run `npm run api` and look at what changed.");
  process.exitCode = current && undocumented.length === 0 && foreign.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(emitted, { recursive: true, force: true });
}
