/** `npm run docs:companion` writes docs/companion-state.md from the companion's code; without `--write` this only checks that it is current. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "../agents/companion/create.ts";
import { statePage } from "./companion/state-page.ts";
import { root } from "./root.ts";

const target = join(root, "docs/companion-state.md");
const text = statePage(createCompanion());
if (process.argv.includes("--write")) writeFileSync(target, text);
const current = existsSync(target) && readFileSync(target, "utf8") === text;
if (!current) console.error("docs/companion-state.md is not current: run `npm run docs:companion`.");
process.exitCode = current ? 0 : 1;
