/** The gate of `npm run check`: the same rules that test/architecture.test.ts proves, on the tree as it is. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forbiddenImports, importCycles, tableFaults, typeCycles } from "./arrows.ts";
import { companionNameFaults, entryNameFaults, glossaryFaults, rootNameFaults } from "./names.ts";
import { anyFaults, figuresOf, fileNameFaults, folderFaults, roomSizeFaults, styleFaults } from "./shape.ts";
import { readTree } from "./tree.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const files = readTree(root);
const nameFaults = [
  ...entryNameFaults(files),
  ...companionNameFaults(files),
  ...rootNameFaults(files),
  ...glossaryFaults(files, readFileSync(join(root, "docs/reference/glossary.md"), "utf8")),
];
const faults = [
  ...tableFaults(),
  ...forbiddenImports(files),
  ...importCycles(files),
  ...typeCycles(files),
  ...anyFaults(files),
  ...styleFaults(files),
  ...folderFaults(files),
  ...fileNameFaults(files),
  ...roomSizeFaults(files),
  ...nameFaults,
];
for (const fault of faults) console.error(fault);
const { files: count, lines, median, longest, anyPerThousandLines } = figuresOf(files);
console.log(`source: ${count} files, ${lines} lines, median ${median}, longest ${longest}, any per 1,000 lines ${anyPerThousandLines}`);
process.exitCode = faults.length === 0 ? 0 : 1;
