/** `npm run docs:companion` writes docs/reference/companion-state.md, docs/reference/protocol.md and the tables of exercises and calls in docs/reference/companion.md from the companion's code; without `--write` this only checks that they are current. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "../packages/companion/src/create-companion.ts";
import { protocolOf } from "../packages/throughline/src/safety/published-protocol.ts";
import { safetyOf } from "../packages/throughline/src/safety/safety-settings.ts";
import { callTable, playScenes, withTable } from "./companion/call-table.ts";
import { withExercises } from "./companion/exercises-table.ts";
import { statePage } from "./companion/state-page.ts";
import { root } from "./root.ts";

const companion = createCompanion();
const { name } = companion;
const safety = safetyOf(companion);
if (safety === undefined) throw new Error("The companion has no gate.");
const companionPage = "docs/reference/companion.md";
const pages = {
  [companionPage]: withTable(withExercises(readFileSync(join(root, companionPage), "utf8")), callTable(await playScenes())),
  "docs/reference/companion-state.md": statePage(companion),
  "docs/reference/protocol.md": protocolOf(safety, { agent: `the ${name}` }),
};

for (const [path, text] of Object.entries(pages)) {
  const target = join(root, path);
  if (process.argv.includes("--write")) writeFileSync(target, text);
  if (existsSync(target) && readFileSync(target, "utf8") === text) continue;
  console.error(`${path} is not current: run \`npm run docs:companion\`.`);
  process.exitCode = 1;
}
