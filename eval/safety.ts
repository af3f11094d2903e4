/**
 * `npm run eval:safety -- [--data FILE] [--set everyday|hard|sealed] [--split dev|test|all] [--json] [--misses] [--assert] [--write]`: what the companion's screen makes of messages
 * whose level a person gave, without a model. `--data` is a file with `{"text", "level", "context"?, "language"?, "slice"?}` a line instead of our own
 * messages; `--set` takes another of our sets. Prints figures; `--assert` holds our own messages, everyday talk and the hard ones to their limits; `--misses` prints what was answered wrong, by id, and only of what rules may be written from.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ThroughlineError } from "../packages/throughline/src/kernel/error.ts";
import { readSafetyBaseline, writeSafetyBaseline } from "./safety/baseline.ts";
import { figuresOf, type Outcome } from "./safety/figures.ts";
import { safetyGates } from "./safety/gates.ts";
import { BadMessages, type Labelled, labelledIn, ownMessages } from "./safety/labelled.ts";
import { stability } from "./safety/noise.ts";
import { outcomesOf, product, safetyReport } from "./safety/report.ts";
import { isSetName, messageSets, setGates, setTable } from "./safety/sets.ts";
import { gateLines, safetyTable } from "./safety/table.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    set: { type: "string" },
    split: { type: "string", default: "all" },
    json: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    assert: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BadMessages(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** The messages that are asked for; other people's are not split. */
function messages(): readonly Labelled[] {
  const { data, split } = values;
  if (data !== undefined) return labelledIn(textOf(data), data);
  if (!["all", "dev", "test"].includes(split)) throw new BadMessages(`There is no split ${split}: dev, test or all.`);
  return ownMessages().filter((message) => split === "all" || message.split === split);
}

const missLine = ({ message, got }: Outcome): string => [message.id, `expected ${message.level}`, `got ${got}`, message.slice].join("\t");

function printMisses(outcomes: readonly Outcome[]): void {
  if (values.data !== undefined) throw new BadMessages("--misses is for our own messages.");
  console.log(
    outcomes
      .filter(({ message, got }) => message.split === "dev" && message.level !== got)
      .map(missLine)
      .join("\n"),
  );
}

/** Fails where something that must hold does not. */
function assertGates(some: readonly Labelled[]): void {
  const kept = stability(product, some)["all"];
  if (kept === undefined) return;
  const isOwn = values.data === undefined;
  const sets = isOwn ? (["everyday", "hard"] as const) : [];
  const gates = [
    ...safetyGates(outcomesOf(product, some), kept, isOwn ? readSafetyBaseline() : undefined),
    ...sets.flatMap((set) => setGates(set, messageSets[set].outcomes())),
  ];
  console.log(gateLines(gates));
  if (gates.every(({ ok }) => ok)) return;
  console.error("After a change that is meant, look at the figures and run `npm run eval:safety -- --write`.");
  process.exitCode = 1;
}

/** Another of our sets, as it is asked for. */
function evaluateSet(name: string): void {
  if (!isSetName(name)) throw new BadMessages(`There is no set ${name}: ${Object.keys(messageSets).join(", ")}.`);
  const outcomes = messageSets[name].outcomes();
  console.log(values.json ? JSON.stringify({ unit: "percent", set: name, all: figuresOf(outcomes) }, undefined, 2) : setTable(name, outcomes));
}

function evaluate(): void {
  if (values.set !== undefined) {
    evaluateSet(values.set);
    return;
  }
  const some = messages();
  if (some.length === 0) throw new BadMessages("There are no messages.");
  if (values.write) {
    if (values.data !== undefined || values.split !== "all") throw new BadMessages("--write keeps the levels of all our own messages.");
    writeSafetyBaseline(outcomesOf(product, some));
  }
  if (values.misses) printMisses(outcomesOf(product, some));
  else if (values.assert) assertGates(some);
  else if (values.json) console.log(JSON.stringify({ ...safetyReport(some), messages: values.data ?? `own, ${values.split}` }, undefined, 2));
  else console.log(safetyTable(safetyReport(some)));
}

try {
  evaluate();
} catch (error) {
  if (!(error instanceof BadMessages || error instanceof ThroughlineError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
