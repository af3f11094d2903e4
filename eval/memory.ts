/**
 * `npm run eval:memory -- [--data FILE] [--json] [--held] [--weights FILE] [--fixtures [--assert] [--write]]`: how well memory finds what was said.
 * `--data` is a file in the format of LoCoMo, `--fixtures` the conversations in eval/fixtures. Prints figures, and no text of what it reads.
 */
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { defaultWeights, type RetrievalWeights } from "../packages/throughline/src/memory/recall/weights.ts";
import { readBaseline, writeBaseline } from "./baseline.ts";
import { answers } from "./fixture-run.ts";
import { fixtureTable } from "./fixture-table.ts";
import { floorFigures } from "./floor.ts";
import { readFixtures } from "./fixtures.ts";
import { fixtureReport } from "./gates.ts";
import { developmentSamples, identify } from "./known-files.ts";
import { BadFile, readLocomo } from "./locomo.ts";
import { search } from "./outcome.ts";
import { product } from "./product.ts";
import { report } from "./report.ts";
import { table } from "./table.ts";

/** Where the data lies for those who have it. */
const usualPlace = new URL("../../shared/data/locomo-dev.json", import.meta.url);

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    json: { type: "boolean", default: false },
    held: { type: "boolean", default: false },
    weights: { type: "string" },
    fixtures: { type: "boolean", default: false },
    assert: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

/** The file to evaluate; undefined if none is named and none lies in the usual place. */
function dataFile(): string | URL | undefined {
  const named = values.data ?? process.env["MEMORY_EVAL_DATA"];
  if (named !== undefined && named !== "") return named;
  return existsSync(usualPlace) ? usualPlace : undefined;
}

function bytesOf(file: string | URL): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new BadFile(`${String(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

const weightShape = z.record(z.string(), z.union([z.number(), z.string(), z.array(z.number())]));

/** The weights in force, with those of a file instead of them. */
function weights(): RetrievalWeights {
  if (values.weights === undefined) return defaultWeights;
  const changed = weightShape.parse(JSON.parse(bytesOf(values.weights).toString("utf8")));
  const unknown = Object.keys(changed).filter((name) => !(name in defaultWeights));
  if (unknown.length > 0) throw new BadFile(`${values.weights}: there is no weight ${unknown.join(", ")}.`);
  return { ...defaultWeights, ...changed };
}

function evaluate(file: string | URL): void {
  const bytes = bytesOf(file);
  const { sha256, name, verified } = identify(bytes);
  const engine = product(weights());
  const corpora = readLocomo(bytes.toString("utf8")).filter((corpus) => !values.held || !developmentSamples.includes(corpus.name));
  if (corpora.length === 0) throw new BadFile("The file has no conversation that is held out.");
  const figures = report(
    corpora.map((corpus) => search(engine, corpus)),
    corpora.reduce((sum, { skipped }) => sum + skipped, 0),
  );
  const floor = floorFigures(engine, corpora);
  const data = { name, verified, sha256, conversations: corpora.length, weights: weights().id };
  if (values.json) console.log(JSON.stringify({ ...figures, floor, data }, undefined, 2));
  else console.log(`${name}, ${corpora.length} conversations, weights ${data.weights}\nSHA-256 ${sha256}\n\n${table(figures)}`);
  if (!values.json)
    console.log(
      `The floor keeps ${floor.own_kept} % of ${floor.own} own questions and turns away ${floor.foreign_rejected} % of ${floor.foreign} foreign ones.`,
    );
}

/** Aggregates that may be kept: no question, and no text, of other people's data. */
function developmentFigures(): Readonly<Record<string, number>> {
  const bytes = bytesOf(usualPlace);
  if (!identify(bytes).verified) throw new BadFile("The data is not what the baseline was measured on.");
  const searched = readLocomo(bytes.toString("utf8")).map((corpus) => search(product(), corpus));
  const { answerable, by_category, sessions, budget } = report(searched, 0);
  return {
    answerable_recall_at_5: answerable.recall_at_5,
    answerable_recall_at_10: answerable.recall_at_10,
    answerable_recall_at_20: answerable.recall_at_20,
    answerable_mrr: answerable.mrr,
    adversarial_recall_at_10: by_category["5"]?.recall_at_10 ?? 0,
    sessions_recall_at_10: sessions.recall_at_10,
    evidence_in_600_tokens: budget["600"],
  };
}

function evaluateFixtures(): void {
  const fixtures = readFixtures();
  const before = readBaseline();
  const result = fixtureReport(fixtures, weights(), values.write ? undefined : before);
  if (values.write) {
    const { ranking_sha256 } = result;
    const development = existsSync(usualPlace) ? developmentFigures() : before?.locomo_development;
    const ranks = Object.fromEntries(answers(fixtures, weights()).map(({ id, ranks }) => [id, [...ranks]]));
    writeBaseline({ weights: weights().id, ranking_sha256, ...(development === undefined ? {} : { locomo_development: development }), ranks });
  }
  console.log(values.json ? JSON.stringify(result, undefined, 2) : fixtureTable(result));
  if (!values.assert || result.gates.every(({ ok }) => ok)) return;
  console.error("After a change that is meant, look at the figures and run `npm run eval:memory -- --fixtures --write`.");
  process.exitCode = 1;
}

function evaluateData(): void {
  const file = dataFile();
  if (file === undefined) console.log("Skipped: no data. Name a file in the format of LoCoMo with --data FILE or MEMORY_EVAL_DATA.");
  else evaluate(file);
}

try {
  if (values.fixtures) evaluateFixtures();
  else evaluateData();
} catch (error) {
  if (!(error instanceof BadFile)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
