/**
 * `npm run pairs -- [--pairs 10000] [--store sqlite|postgres] [--db URL]`: that many pairs of parallel writes to one session, on the store itself and
 * through two runtimes, in this process and across four. Exit code 1 when anything was lost.
 */
import { parseArgs } from "node:util";
import { openStore } from "../../packages/throughline/src/index.ts";
import { checkStorePairs, storeProcess } from "../../packages/throughline/src/testing.ts";
import { type Place, postgresPlace, sqlitePlace } from "../chaos/place.ts";
import { checkRuntimePairs } from "./pairs.ts";

// Parts fail on purpose here. What they throw would fill the output.
process.env["THROUGHLINE_ERRORS"] ??= "off";

const { values } = parseArgs({ options: { pairs: { type: "string", default: "10000" }, store: { type: "string" }, db: { type: "string" } } });
const pairs = Number(values.pairs);
if (!Number.isSafeInteger(pairs) || pairs < 1) throw new Error(`--pairs is a whole number from 1, got "${values.pairs}".`);

const library = new URL("../../packages/throughline/src/index.ts", import.meta.url);

/** Each run has a database of its own. */
const runs: Readonly<Record<string, (location: string) => Promise<unknown>>> = {
  "store, two connections": (location) => checkStorePairs(() => openStore(location), { pairs }),
  "store, four processes": (location) => checkStorePairs(() => storeProcess({ module: library, with: [location] }), { pairs, stores: 4 }),
  "runtime, two in one process": (location) => checkRuntimePairs(location, { pairs, processes: 0 }),
  "runtime, four processes": (location) => checkRuntimePairs(location, { pairs, processes: 4 }),
};

const engines: Readonly<Record<string, () => Promise<Place>>> = {
  sqlite: sqlitePlace,
  postgres: () => postgresPlace({ ...(values.db === undefined ? {} : { url: values.db }), crashes: 0 }),
};

for (const [engine, open] of Object.entries(engines)) {
  if (values.store !== undefined && values.store !== engine) continue;
  for (const [name, run] of Object.entries(runs)) {
    const place = await open();
    const began = performance.now();
    try {
      const report = await run(place.location);
      const seconds = (performance.now() - began) / 1000;
      console.log(`${engine}, ${name}: ${pairs} pairs in ${seconds.toFixed(1)} s, ${JSON.stringify(report)}`);
    } catch (error) {
      console.error(`${engine}, ${name}: ${error instanceof Error ? error.stack : String(error)}`);
      process.exitCode = 1;
    } finally {
      await place.remove();
    }
  }
}
