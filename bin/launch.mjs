#!/usr/bin/env node
// Every npm script starts here: `node bin/launch.mjs <file> [arguments]` runs the file with a Node that is new enough.
// A path is meant from the root of the package. Plain ES2020 on purpose: see find-node.mjs.
import { existsSync } from "fs";
import { dirname, join, resolve } from "path";
import { fileURLToPath } from "url";
import { findNode, supportedNodes, tooOld } from "../packages/throughline/bin/find-node.mjs";
import { runNode } from "../packages/throughline/bin/run-node.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [target, ...rest] = process.argv.slice(2);
// The source runs unbuilt here, on newer versions than the packages need.
const range = supportedNodes(root);
const executable = findNode(root, range);

if (target === undefined) {
  process.stderr.write("Name the file to run: node bin/launch.mjs <file> [arguments].\n");
  process.exitCode = 1;
} else if (executable === undefined) {
  process.stderr.write(`${tooOld(root, range)}\n`);
  process.exitCode = 1;
} else if (existsSync(join(root, "packages/throughline/package.json")) && !existsSync(join(root, "node_modules/throughline/package.json"))) {
  process.stderr.write("The packages of this checkout are not installed, or not linked: run `npm ci`.\n");
  process.exitCode = 1;
} else {
  runNode(executable, [resolve(root, target), ...rest]);
}
