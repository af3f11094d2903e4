/** `npm run api` writes etc/throughline.api.md; without `--write` this checks that it is current and that every public name is documented. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { emitEntries, isApi } from "./api/emit.ts";
import { importedPackages } from "./api/packages.ts";
import { apiReport } from "./api/report.ts";
import { root } from "./root.ts";

const target = join(root, "etc/throughline.api.md");
const emitted = mkdtempSync(join(tmpdir(), "throughline-api-"));
try {
  const entries = emitEntries(emitted);
  const { text, undocumented } = apiReport(entries.filter(isApi));
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
