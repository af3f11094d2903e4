/**
 * `npm run interleave -- [--rounds 300] [--seed S] [--store sqlite|postgres] [--db URL]`: callers and readers of a service of two servers and two workers, which are
 * killed, ended and put to sleep, over connections that are cut; then judges every log, what callers were told and what readers were shown. Exit code 1 when a law is
 * broken; the seed repeats the choices, though not the timing.
 */
import { randomInt } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresPlace, sqlitePlace } from "../chaos/place.ts";
import { run } from "./run.ts";

// Parts fail on purpose here. What they throw would fill the output.
process.env["THROUGHLINE_ERRORS"] ??= "off";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "300" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    store: { type: "string", default: "sqlite" },
    db: { type: "string" },
  },
});

function whole(name: "rounds" | "seed"): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1, got "${values[name]}".`);
  return value;
}

if (values.store !== "sqlite" && values.store !== "postgres") throw new Error(`--store is "sqlite" or "postgres", got "${values.store}".`);
const [rounds, seed] = [whole("rounds"), whole("seed")];
const { db } = values;
const place = values.store === "sqlite" ? await sqlitePlace() : await postgresPlace({ ...(db === undefined ? {} : { url: db }), crashes: 0 });
const began = performance.now();
const seconds = (): number => Math.round((performance.now() - began) / 1000);
console.log(`interleave: ${rounds} rounds on ${values.store}, seed ${seed}`);
const progress = (done: number): void => {
  if (done % 25 === 0) console.log(`${done} rounds, ${seconds()} s`);
};
try {
  const { figures, done, violations, worlds } = await run({ location: place.location, rounds, seed, progress });
  for (const [name, count] of Object.entries({ seed, rounds, ...figures, violations: violations.length, seconds: seconds() }))
    console.log(`${name.padEnd(16)}  ${count}`);
  console.log(`done: ${JSON.stringify(done)}`);
  if (violations.length > 0) {
    console.error(`Broken, seed ${seed}:\n${violations.slice(0, 50).join("\n")}`);
    const file = join(await mkdtemp(join(tmpdir(), "throughline-interleave-")), "worlds.json");
    await writeFile(file, JSON.stringify(worlds, undefined, 1));
    console.error(`The rounds concerned are in ${file}.`);
    process.exitCode = 1;
  }
} finally {
  await place.remove();
}
process.exit();
