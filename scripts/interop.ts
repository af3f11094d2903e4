/**
 * `npm run interop` runs Throughline against other libraries' contracts, `npm run bench:peers` beside them, `npm run bench:load` under the load that one
 * of them makes. They are installed in test/interop with a lock file of their own, when they are not there yet, and never with the package.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

const home = join(root, "test/interop");
const [what, ...rest] = process.argv.slice(2);

/** Runs a program in test/interop; ends this one if it fails. */
function run(file: string, args: readonly string[]): void {
  const { status, error } = spawnSync(file, args, { cwd: home, stdio: "inherit" });
  if (status === 0) return;
  if (error !== undefined) console.error(error.message);
  process.exit(status ?? 1);
}

/** Without install scripts: what runs here needs none of them. */
function install(): void {
  if (existsSync(join(home, "node_modules/.package-lock.json"))) return;
  console.error("Installing the other libraries in test/interop (about 420 MB).");
  const { npm_execpath: npm } = process.env;
  const args = ["ci", "--ignore-scripts"];
  if (npm === undefined) run("npm", args);
  else run(process.execPath, [npm, ...args]);
}

install();
run(process.execPath, ["link.ts"]);
if (what === "bench") run(process.execPath, ["bench/main.ts", ...rest]);
else if (what === "load") run(process.execPath, ["load/main.ts", ...rest]);
else if (what === "test") run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...rest]);
else {
  console.error(`scripts/interop.ts takes "test", "bench" or "load", got ${JSON.stringify(what)}.`);
  process.exitCode = 1;
}
