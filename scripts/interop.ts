/**
 * `npm run interop` runs Throughline against other libraries' contracts, `npm run bench:peers` beside them, `npm run bench:load` under the load that one
 * of them makes. They are installed in test/interop with a lock file of their own, when they are not there yet, and never with the package.
 */
import { join } from "node:path";
import { installApart, runIn } from "./apart.ts";
import { root } from "./root.ts";

const home = join(root, "test/interop");
const [what, ...rest] = process.argv.slice(2);

installApart(home, "Installing the other libraries in test/interop (about 420 MB).");
runIn(home, process.execPath, ["link.ts"]);
if (what === "bench") runIn(home, process.execPath, ["bench/main.ts", ...rest]);
else if (what === "load") runIn(home, process.execPath, ["load/main.ts", ...rest]);
else if (what === "test") runIn(home, process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...rest]);
else {
  console.error(`scripts/interop.ts takes "test", "bench" or "load", got ${JSON.stringify(what)}.`);
  process.exitCode = 1;
}
