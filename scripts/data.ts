/** `npm run data` compiles the YAML data files into the JSON modules beside them; without `--write` it checks that they are current. */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileData } from "./data/compile.ts";
import { root } from "./root.ts";

const folders = "packages";
const sources = globSync(`${folders}/**/*.yaml`, { cwd: root }).toSorted();
const moduleOf = (source: string): string => source.replace(/\.yaml$/u, ".data.json");
const orphans = globSync(`${folders}/**/*.data.json`, { cwd: root }).filter((file) => !sources.some((source) => moduleOf(source) === file));
const write = process.argv.includes("--write");
const complaints: string[] = [];

for (const source of sources) {
  const compiled = compileData(join(root, source));
  const module = join(root, moduleOf(source));
  if ("faults" in compiled) complaints.push(...compiled.faults.map(({ line, message }) => `${source}:${line}: ${message}`));
  else if (write) writeFileSync(module, compiled.text);
  else if (!existsSync(module) || readFileSync(module, "utf8") !== compiled.text)
    complaints.push(`${moduleOf(source)} differs from ${source}: edit the YAML file, then run \`npm run data\`.`);
}
for (const orphan of orphans) {
  if (write) rmSync(join(root, orphan));
  else complaints.push(`${orphan} has no YAML file: run \`npm run data\`.`);
}
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
