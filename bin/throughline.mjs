#!/usr/bin/env node
// The command line: unbuilt in the repository, compiled in the published package. Plain ES2020 on purpose: see find-node.mjs.
import { existsSync } from "fs";
import { dirname, join } from "path";
import { fileURLToPath, pathToFileURL } from "url";
import { atLeast, findNode, floor, tooOld } from "./find-node.mjs";
import { runNode } from "./run-node.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "src", "cli", "main.ts");
const main = existsSync(source) ? source : join(root, "src", "cli", "main.js");

if (atLeast(process.version, floor)) {
  // The command line reads its arguments after its own path, as if it had been started directly.
  process.argv[1] = main;
  import(pathToFileURL(main).href).catch((error) => {
    process.stderr.write(`${main} cannot be loaded: ${error && error.stack ? error.stack : error}\n`);
    process.exitCode = 1;
  });
} else {
  const executable = findNode(root);
  if (executable === undefined) {
    process.stderr.write(`${tooOld(root)}\n`);
    process.exitCode = 1;
  } else {
    runNode(executable, [main, ...process.argv.slice(2)]);
  }
}
