/**
 * `npm run mutate` changes the source in many small ways and prints the changes that no test notices. `-- worker` mutates one area,
 * `-- packages/throughline/src/runtime/turn/lease.ts` the files of the areas below a path, `--sample 100 --seed 1` tries 100 mutants of each area,
 * `--tests 'test/x/*.test.ts'` runs other tests than the area's. Fails below 85 %.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { numbersFrom } from "../../packages/throughline/src/testing/test-clock.ts";
import { areas } from "./areas.ts";
import { type Mutant, mutate } from "./run.ts";
import { root } from "../../scripts/root.ts";

const floor = 0.85;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
    concurrency: { type: "string", default: "1" },
  },
});

/** A survivor that no test can kill, or need not. It is found by the end of its path and the text of its line, so that both may move. */
const explained = z
  .array(z.strictObject({ file: z.string(), code: z.string(), original: z.string(), replacement: z.string(), reason: z.string().min(20) }))
  .parse(JSON.parse(readFileSync(join(root, "test/mutation/explained.json"), "utf8")));
const reasonFor = (mutant: Mutant): string | undefined =>
  explained.find(
    ({ file, ...entry }) =>
      `/${mutant.file}`.endsWith(`/${file}`) && (["code", "original", "replacement"] as const).every((key) => entry[key] === mutant[key]),
  )?.reason;

/** Which indexes of `total` belong to the sample: the first of a shuffled deck. */
function sampled(count: number, seed: number): (total: number) => (index: number) => boolean {
  return (total) => {
    const next = numbersFrom(seed);
    const deck = Array.from({ length: total }, (_, index) => ({ index, rank: next() })).toSorted((left, right) => left.rank - right.rank);
    const chosen = new Set(deck.slice(0, count).map(({ index }) => index));
    return (index) => chosen.has(index);
  };
}

const below = (file: string, area: string): boolean =>
  positionals.length === 0 || positionals.some((path) => area === path || file === path || file.startsWith(`${path.replace(/\/$/, "")}/`));
const sources = areas.map(({ name, sources: globs, tests }) => ({
  name,
  tests,
  files: globSync([...globs], { cwd: root })
    .filter((file) => below(file, name))
    .toSorted(),
}));
const empty = areas.filter((area) => globSync([...area.sources], { cwd: root }).length * globSync([...area.tests], { cwd: root }).length === 0);
if (empty.length > 0)
  throw new Error(`No sources or no tests: ${empty.map(({ name }) => name).join(", ")}. The areas are in test/mutation/areas.ts.`);
const chosenAreas = sources.filter(({ files }) => files.length > 0);
const strays = positionals.filter((path) => !chosenAreas.some(({ name, files }) => name === path || files.some((file) => file.startsWith(path))));
if (strays.length > 0 || chosenAreas.length === 0) {
  console.error(`No area has ${strays.join(", ") || "files"}. The areas are in test/mutation/areas.ts.`);
  process.exit(1);
}

process.chdir(root);
const mutants: Mutant[] = [];
const tried: { readonly name: string; readonly total: number; readonly mutants: readonly Mutant[] }[] = [];
for (const { name, files, tests } of chosenAreas) {
  console.log(`${name}: ${files.length} files`);
  let total = 0;
  const choose = (count: number): ((index: number) => boolean) => {
    total = count;
    return values.sample === undefined ? () => true : sampled(Number(values.sample), Number(values.seed))(count);
  };
  const of = await mutate(files, { tests: values.tests ?? tests, choose, concurrency: Number(values.concurrency) });
  mutants.push(...of);
  tried.push({ name, total, mutants: of });
}

const isKilled = ({ status }: Mutant): boolean => status === "Killed" || status === "Timeout" || status === "RuntimeError";
const survivors = mutants.filter((mutant) => !isKilled(mutant));
for (const mutant of survivors) {
  const reason = reasonFor(mutant);
  console.log(`\n${mutant.file}:${mutant.line}:${mutant.column} ${mutant.mutator} ${reason === undefined ? mutant.status : "explained"}`);
  console.log(`  ${mutant.code}\n- ${mutant.original}\n+ ${mutant.replacement}${reason === undefined ? "" : `\n  ${reason}`}`);
}

/** One line of the table: how many mutants were killed, timed out, and survived with and without an explanation. */
function row(name: string, of: readonly Mutant[]): string {
  const count = (status: Mutant["status"]): number => of.filter((mutant) => mutant.status === status).length;
  const left = of.filter((mutant) => !isKilled(mutant));
  const known = left.filter((mutant) => reasonFor(mutant) !== undefined).length;
  const share = of.length === 0 ? 1 : 1 - left.length / of.length;
  return [
    name.padEnd(44),
    `${(100 * share).toFixed(1).padStart(5)} %`,
    `${of.length} mutants`,
    `${count("Killed") + count("RuntimeError")} killed`,
    `${count("Timeout")} timed out`,
    `${left.length - known} survived`,
    `${known} explained`,
  ].join("  ");
}

/** The 95 % interval (Wilson's) of the share of all mutants that tests notice, from a sample. */
function interval(of: readonly Mutant[]): string {
  const [count, z] = [of.length, 1.96];
  const share = of.filter(isKilled).length / count;
  const [middle, reach] = [share + z ** 2 / (2 * count), z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))];
  const [low, high] = [middle - reach, middle + reach].map((end) => ((100 * end) / (1 + z ** 2 / count)).toFixed(1));
  return `${low} to ${high} %`;
}
console.log();
for (const [file, of] of Map.groupBy(mutants, ({ file }) => file)) console.log(row(file, of));
for (const area of tried) {
  const sample =
    values.sample === undefined || area.mutants.length === 0
      ? ""
      : `  of ${area.total}, seed ${values.seed}, 95 % interval ${interval(area.mutants)}`;
  console.log(row(area.name, area.mutants) + sample);
}
console.log(row("all", mutants));
if (survivors.length > (1 - floor) * mutants.length) {
  console.error(`Fewer than ${100 * floor} % of the mutants were killed.`);
  process.exitCode = 1;
}
