#!/usr/bin/env node
// Hands over to the command line of `@throughline/server`, a package of its own. Plain ES2020 on purpose: see find-node.mjs.
import { createRequire } from "module";
import { dirname, join } from "path";
import { fileURLToPath, pathToFileURL } from "url";
import { findNode, isIn, supportedNodes, tooOld } from "./find-node.mjs";
import { runNode } from "./run-node.mjs";

const home = dirname(dirname(fileURLToPath(import.meta.url)));

/** The file of the command line: installed beside this package, or in the folder where it was called. */
function commandLine() {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href]) {
    try {
      return createRequire(from).resolve("@throughline/server/cli");
    } catch {
      // Not there: the next place may have it.
    }
  }
  return undefined;
}

const main = commandLine();
const range = supportedNodes(home);
// A Node that came with `npm install`, in the folder that holds this package.
const executable = isIn(process.version, range) ? process.execPath : findNode(dirname(dirname(home)), range);
if (executable === undefined) {
  process.stderr.write(`${tooOld(home, range)}\n`);
  process.exitCode = 1;
} else if (main === undefined) {
  process.stderr.write(
    "The command line is a package of its own. Install it, and the companion that `throughline chat` talks with: npm install @throughline/server @throughline/companion\n",
  );
  process.exitCode = 1;
} else if (executable === process.execPath) {
  // The command line reads its arguments after its own path, as if it had been started directly.
  process.argv[1] = main;
  import(pathToFileURL(main).href).catch((error) => {
    process.stderr.write(`${main} cannot be loaded: ${error && error.stack ? error.stack : error}\n`);
    process.exitCode = 1;
  });
} else {
  runNode(executable, [main, ...process.argv.slice(2)]);
}
