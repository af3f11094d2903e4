/**
 * `npm run bench:peers -- [--marks 10,100,300,1000] [--only text] [--write]`: the same conversation in each library's storage, one after the
 * other, in one run. `--write` puts the table into docs/reference/benchmarks.md.
 */
import { parseArgs } from "node:util";
import { barePostgres, bareSqlite } from "./bare.ts";
import type { Contestant } from "./contestant.ts";
import { postgresSaver, sqliteSaver, throughlineSaver } from "./langgraph.ts";
import { mastra } from "./mastra.ts";
import { measure, type Measured } from "./measure.ts";
import { memorySession, throughlineSession } from "./openai.ts";
import { writePage } from "./page.ts";
import { openPlaces } from "./places.ts";
import { tableOf } from "./table.ts";
import { throughlineStore, throughlineTurns } from "./throughline.ts";

const contestants: readonly Contestant[] = [
  bareSqlite("FULL"),
  bareSqlite("NORMAL"),
  throughlineStore("sqlite", "full"),
  throughlineStore("sqlite", "relaxed"),
  mastra,
  memorySession,
  throughlineSession("relaxed"),
  throughlineSaver("sqlite", "relaxed"),
  sqliteSaver,
  barePostgres,
  throughlineStore("postgres", "full"),
  throughlineStore("postgres", "relaxed"),
  throughlineSaver("postgres", "full"),
  postgresSaver,
  throughlineTurns("sqlite", "full"),
  throughlineTurns("sqlite", "relaxed"),
  throughlineTurns("postgres", "full"),
];

const { values } = parseArgs({
  options: {
    marks: { type: "string", default: "10,100,300,1000" },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
  },
});
const marks = values.marks.split(",").map(Number);
if (marks.some((mark) => !Number.isInteger(mark) || mark < 10)) throw new Error(`--marks are numbers of turns from 10, got "${values.marks}".`);

const places = await openPlaces();
const measured: Measured[] = [];
const leftOut: string[] = [];
for (const contestant of contestants.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()))) {
  if (contestant.engine === "postgres" && places.noPostgres !== undefined) {
    leftOut.push(`${contestant.name} (PostgreSQL): ${places.noPostgres}`);
    continue;
  }
  process.stderr.write(`… ${contestant.name}, ${contestant.engine}\n`);
  const place = await places.create(contestant.engine);
  try {
    measured.push(await measure(contestant, place, marks));
  } catch (error) {
    leftOut.push(`${contestant.name} (${contestant.engine}): ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await place.remove();
  }
}
const { postgresVersion } = places;
await places.close();

console.log(tableOf(measured));
for (const reason of leftOut) console.log(`left out: ${reason}`);
if (values.write) writePage({ measured, leftOut, marks, postgresVersion });
process.exit(measured.length > 0 ? 0 : 1);
