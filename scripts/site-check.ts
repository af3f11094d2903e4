/**
 * `npm run docs:check` looks at what `npm run docs` built: dead links and anchors, resources of other hosts, and in Chromium the findings of axe in both
 * themes and two widths. `-- reference/state.html` looks at these pages alone.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startBrowser } from "../test/setup/browser.ts";
import { root } from "./root.ts";
import { browse } from "./site/browse.ts";
import { deadLinks } from "./site/links.ts";

const folder = join(root, "docs/.vitepress/dist");
const files = globSync("**/*", { cwd: folder }).map((file) => file.replaceAll("\\", "/"));
const pages = files.filter((file) => file.endsWith(".html"));
if (pages.length === 0) throw new Error("There is no site: run `npm run docs` first.");

const faults = [...deadLinks({ pages: new Map(pages.map((file) => [file, readFileSync(join(folder, file), "utf8")])), files: new Set(files) })];
console.log(`${pages.length} pages, ${faults.length} dead links`);
const wanted = process.argv.slice(2);
const browser = await startBrowser();
if (typeof browser === "string") {
  faults.push(browser);
} else {
  const shown = wanted.length > 0 ? wanted : pages.filter((page) => !/^(?:decisions\/|deviations|404)/.test(page));
  const found = await browse(browser, { folder, pages: shown });
  await browser.close();
  console.log(`${shown.length} pages in two themes and two widths, ${found.length} faults`);
  faults.push(...found);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
