/** `npm run build` compiles the packages into dist/, each a complete folder to pack, publish or link. */
import { resolve } from "node:path";
import { buildPackages } from "./build/package.ts";
import { root } from "./root.ts";

const target = resolve(root, process.argv[2] ?? "dist");
try {
  for (const folder of buildPackages(target)) console.log(`Built ${folder}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
