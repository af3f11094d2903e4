/**
 * `npm run bench:scale -- [--measure] [--write]`: plays a million sessions on what operations cost. `--measure` measures that anew, into
 * `bench/costs.json`; `--write` puts the tables into docs/reference/scale.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { costs } from "./costs.ts";
import { postgres } from "./postgres.ts";
import { type MeasuredCosts, scaleTables, withTables } from "./scale-page.ts";
import { startService } from "./service-child.ts";
import { idleStreams } from "./service-idle.ts";
import { Sender } from "./load.ts";
import { sqlite } from "./sqlite.ts";

const { values } = parseArgs({ options: { measure: { type: "boolean", default: false }, write: { type: "boolean", default: false } } });
const measuredAt = new URL("./costs.json", import.meta.url);
const pageAt = new URL("../docs/reference/scale.md", import.meta.url);

async function streamsMb(): Promise<number> {
  const database = await sqlite.create();
  const service = await startService(database.location);
  const sender = new Sender(service);
  const sessions = await service.ask("sessions", { count: 1020 });
  const figures = await idleStreams({ engine: sqlite, quick: true, minutes: 0, first: service, second: service, sender, sessions });
  sender.close();
  await service.stop();
  await database.remove();
  return figures.find(({ id }) => id === "sqlite.streams_memory")?.value ?? Number.NaN;
}

async function measureAnew(): Promise<MeasuredCosts> {
  const server = await postgres();
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${process.platform} ${process.arch}, Node ${process.version}`;
  const count = 100;
  const measured = { machine, sqlite: await costs(sqlite, count), postgres: await costs(server, count), streams_mb: await streamsMb() };
  await server.close();
  return measured;
}

if (values.measure) writeFileSync(measuredAt, `${JSON.stringify(await measureAnew(), undefined, 2)}\n`);
const measured = JSON.parse(readFileSync(measuredAt, "utf8")) as MeasuredCosts;
console.log(scaleTables(measured));
if (values.write) writeFileSync(pageAt, withTables(readFileSync(pageAt, "utf8"), measured));
