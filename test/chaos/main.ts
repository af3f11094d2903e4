/**
 * `npm run chaos -- [--kills 500] [--seed S] [--store sqlite|postgres] [--db URL] [--agent all|plain|tools] [--sessions 8] [--workers 2] [--clients 2]`: kills
 * processes that run turns and processes that accept messages and follow sessions, then judges every log and what every reader saw. Exit code 1 when a law is broken;
 * the seed repeats the choices, though not the timing.
 */
import { randomInt } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresPlace, sqlitePlace } from "./place.ts";
import { type StormReport, reportOn } from "./report.ts";
import { storm } from "./storm.ts";

// Parts fail on purpose here. What they throw would fill the output.
process.env["THROUGHLINE_ERRORS"] ??= "off";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "500" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    store: { type: "string", default: "sqlite" },
    db: { type: "string" },
    agent: { type: "string", default: "all" },
    sessions: { type: "string", default: "8" },
    workers: { type: "string", default: "2" },
    clients: { type: "string", default: "2" },
  },
});

function whole(name: "kills" | "seed" | "sessions" | "workers" | "clients"): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is a whole number from 1, got "${values[name]}".`);
  return value;
}

/** The summary, one figure a line. */
function table(figures: Readonly<Record<string, number | string>>): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
}

async function run(): Promise<StormReport> {
  const [kills, seed] = [whole("kills"), whole("seed")];
  if (values.store !== "sqlite" && values.store !== "postgres") throw new Error(`--store is "sqlite" or "postgres", got "${values.store}".`);
  const { db, agent } = values;
  const shares: Readonly<Record<string, number>> = { plain: 0, all: 0.5, tools: 1 };
  const share = shares[agent];
  if (share === undefined) throw new Error(`--agent is "all", "plain" or "tools", got "${agent}".`);
  const toolSessions = Math.ceil(whole("sessions") * share);
  const place =
    values.store === "sqlite"
      ? await sqlitePlace()
      : await postgresPlace({ ...(db === undefined ? {} : { url: db }), crashes: Math.ceil(kills / 25) });
  console.log(`chaos: ${kills} kills on ${values.store}, seed ${seed}`);
  const began = performance.now();
  const { disturb } = place;
  const progress = (done: number): void => {
    if (done % 25 === 0) console.log(`${done} kills, ${Math.round((performance.now() - began) / 1000)} s`);
  };
  try {
    const aftermath = await storm({
      location: place.location,
      kills,
      seed,
      sessions: whole("sessions") - toolSessions,
      toolSessions,
      workers: whole("workers"),
      clients: whole("clients"),
      progress,
      ...(disturb === undefined ? {} : { disturb }),
    });
    const report = await reportOn(aftermath);
    await aftermath.store.close();
    const { violations, logs: _logs, ...figures } = report;
    console.log(
      table({
        seed,
        kills,
        backends_terminated: place.harm.terminated,
        server_crashes: place.harm.crashes,
        ...figures,
        violations: violations.length,
        seconds: Math.round((performance.now() - began) / 1000),
      }),
    );
    return report;
  } finally {
    await place.remove();
  }
}

const { violations, logs } = await run();
if (violations.length > 0) {
  console.error(`Broken, seed ${values.seed}:\n${violations.slice(0, 50).join("\n")}`);
  const file = join(await mkdtemp(join(tmpdir(), "throughline-chaos-logs-")), "logs.jsonl");
  await writeFile(file, logs.join("\n\n"));
  console.error(`The logs of the sessions concerned are in ${file}.`);
}
process.exit(violations.length > 0 ? 1 : 0);
