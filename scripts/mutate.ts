/** `npm run mutate` prints the small changes of the source that no test notices; test/mutation/main.ts has the options. Stryker is installed the first time. */
import { join } from "node:path";
import { installApart, runIn } from "./apart.ts";
import { root } from "./root.ts";

const home = join(root, "test/mutation");
installApart(home, "Installing Stryker in test/mutation (about 65 MB).");
runIn(root, process.execPath, [join(home, "main.ts"), ...process.argv.slice(2)]);
