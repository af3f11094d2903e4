/** `npm run transcript` plays a conversation with the companion and writes docs/reference/transcript.md; without `--write` this only checks that the page is current. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transcriptPage } from "./transcript/page.ts";
import { play } from "./transcript/play.ts";
import { conversation } from "./transcript/script.ts";
import { root } from "./root.ts";

const target = join(root, "docs/reference/transcript.md");
const page = transcriptPage(await play(conversation));
if (process.argv.includes("--write")) writeFileSync(target, page);
if (!existsSync(target) || readFileSync(target, "utf8") !== page) {
  console.error("docs/reference/transcript.md is not current: run `npm run transcript`.");
  process.exitCode = 1;
}
