/** `npm run build` compiles the package into dist/, a complete folder to pack, publish or link. */
import { resolve } from "node:path";
import { buildPackage } from "./build/package.ts";
import { root } from "./root.ts";

const target = resolve(root, process.argv[2] ?? "dist");
try {
  buildPackage(target);
  console.log(`Built ${target}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
