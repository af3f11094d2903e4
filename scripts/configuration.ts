/** `npm run docs:configuration` writes docs/reference/configuration.md, docs/reference/manifest.md and etc/throughline.schema.json from the schema of the file; without `--write` it checks them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editorSchema } from "../packages/server/src/config/throughline-file.ts";
import { withManifest } from "./configuration/manifest.ts";
import { withTables } from "./configuration/tables.ts";
import { root } from "./root.ts";

const page = join(root, "docs/reference/configuration.md");
const manifest = join(root, "docs/reference/manifest.md");
const schema = join(root, "etc/throughline.schema.json");
const texts = new Map([
  [page, withTables(readFileSync(page, "utf8"))],
  [manifest, withManifest(readFileSync(manifest, "utf8"))],
  [schema, `${JSON.stringify(editorSchema(), null, 2)}\n`],
]);
if (process.argv.includes("--write")) for (const [path, text] of texts) writeFileSync(path, text);
const old = [...texts].filter(([path, text]) => readFileSync(path, "utf8") !== text);
for (const [path] of old) console.error(`${path} is not current: run \`npm run docs:configuration\`.`);
process.exitCode = old.length === 0 ? 0 : 1;
