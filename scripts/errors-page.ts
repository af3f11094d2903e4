/** `npm run docs:errors` writes docs/reference/errors.md from the error catalogue; without `--write` this only checks that it is current. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorsPage } from "./errors/page.ts";
import { root } from "./root.ts";

const target = join(root, "docs/reference/errors.md");
const text = errorsPage();
if (process.argv.includes("--write")) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
const current = existsSync(target) && readFileSync(target, "utf8") === text;
if (!current) console.error("docs/reference/errors.md is not current: run `npm run docs:errors`.");
process.exitCode = current ? 0 : 1;
