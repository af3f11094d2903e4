/**
 * `npm run chaos:gate -- [--turns 10000] [--seed S] [--store memory|sqlite|postgres] [--db URL]`: conversations with a gated agent whose store, model, classifiers,
 * sink, spool, screen and clock fail at random, judged by what holds of every reply. Exit code 1 when a law is broken; the seed repeats the run.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { openPlace } from "./places.ts";
import { gateRun, type GateReport } from "./run.ts";

// Parts fail on purpose here. What they throw would fill the output.
process.env["THROUGHLINE_ERRORS"] ??= "off";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "10000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    store: { type: "string", default: "memory" },
    db: { type: "string" },
  },
});

function whole(name: "turns" | "seed"): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1, got "${values[name]}".`);
  return value;
}

const { store } = values;
if (store !== "memory" && store !== "sqlite" && store !== "postgres") throw new Error(`--store is "memory", "sqlite" or "postgres", got "${store}".`);
const [turns, seed] = [whole("turns"), whole("seed")];
console.log(`chaos of the gate: ${turns} turns on ${store}, seed ${seed}`);
const began = performance.now();
const seconds = (): number => Math.round((performance.now() - began) / 1_000);
const place = await openPlace(store, values.db);
const progress = (done: number): void => console.log(`${done} turns, ${seconds()} s`);
const run = async (): Promise<GateReport> => {
  try {
    // A database takes real time, and one on a server measures its leases by it.
    const real = { ...(store === "memory" ? {} : { patienceMs: 5 }), ...(store === "postgres" ? { leaseMs: 600 } : {}) };
    return await gateRun({ turns, seed, open: place.open, progress, ...real });
  } finally {
    await place.remove();
  }
};
const { violations, by_level, ...figures } = await run();
const levels = Object.fromEntries(Object.entries(by_level).map(([level, count]) => [`level_${level}`, count]));
for (const [name, value] of Object.entries({ ...figures, ...levels, violations: violations.length, seconds: seconds() }))
  console.log(`${name.padEnd(16)} ${value}`);
if (violations.length > 0) console.error(`Broken, seed ${seed}:\n${violations.slice(0, 50).join("\n")}`);
process.exit(violations.length > 0 ? 1 : 0);
