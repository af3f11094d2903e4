/** `npm run docs` builds the site into docs/.vitepress/dist; `npm run docs -- dev` serves it and follows changes; `npm run docs -- preview` serves what was built. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";
import { commandsPage } from "./site/commands.ts";
import { generatedFile } from "./site/generated.ts";
import { referencePages } from "./site/reference.ts";

const [action = "build", ...rest] = process.argv.slice(2);
if (action !== "preview") {
  mkdirSync(dirname(generatedFile), { recursive: true });
  writeFileSync(generatedFile, JSON.stringify([...referencePages(), commandsPage()]));
}
const { status } = spawnSync(process.execPath, [join(root, "node_modules/vitepress/bin/vitepress.js"), action, join(root, "docs"), ...rest], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
