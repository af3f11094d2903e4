/**
 * `npm run bench -- [--json] [--quick] [--assert] [--store sqlite|postgres] [--only service|webhooks|memory|safety|inspector] [--minutes 10]`: what Throughline costs, as ratios measured
 * in one run. With `--assert` a figure over its limit ends the process with exit code 1.
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { type Figure, within } from "./figures.ts";
import { measure } from "./measure.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    assert: { type: "boolean", default: false },
    store: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string" },
  },
});
if (values.store !== undefined && values.store !== "sqlite" && values.store !== "postgres")
  throw new Error(`--store is "sqlite" or "postgres", got "${values.store}".`);
const parts = ["service", "webhooks", "memory", "safety", "inspector"] as const;
const only = parts.find((part) => part === values.only);
if (values.only !== undefined && only === undefined) throw new Error(`--only is one of ${parts.join(", ")}, got "${values.only}".`);
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (minutes !== undefined && !(minutes > 0)) throw new Error(`--minutes is a number above 0, got "${values.minutes}".`);

function line(figure: Figure): string {
  const { id, value, unit, limit, what, details = {} } = figure;
  const verdict = limit === undefined ? "    " : within(figure) ? "PASS" : "over";
  const bound = limit === undefined ? "" : ` (at most ${limit})`;
  const more = Object.entries(details).filter(([, detail]) => detail !== "");
  const shown = more.length === 0 ? "" : ` [${more.map(([name, detail]) => `${name} ${detail}`).join(", ")}]`;
  return `${verdict}  ${id.padEnd(26)} ${`${value} ${unit}${bound}`.padEnd(28)} ${what}${shown}`;
}

const machine = { node: process.version, platform: `${process.platform} ${process.arch}`, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
const progress = (what: string): void => void process.stderr.write(`… ${what}\n`);
const { figures, skipped } = await measure({
  quick: values.quick,
  engines: values.store === undefined ? ["sqlite", "postgres"] : [values.store],
  minutes,
  only,
  progress,
});
if (values.json)
  console.log(
    JSON.stringify({ machine, quick: values.quick, figures: figures.map((figure) => ({ ...figure, ok: within(figure) })), skipped }, undefined, 2),
  );
else {
  console.log(`Node ${machine.node}, ${machine.platform}, ${machine.cores} × ${machine.cpu}${values.quick ? ", quick" : ""}`);
  for (const figure of figures) console.log(line(figure));
  for (const { id, reason } of skipped) console.log(`skip  ${id.padEnd(26)} ${reason}`);
}
process.exit(values.assert && !figures.every(within) ? 1 : 0);
