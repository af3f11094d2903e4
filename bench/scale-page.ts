/** The tables of docs/reference/scale.md, from what was measured. */
import { type Costs, type EngineCosts, operationNames } from "./costs.ts";
import { round } from "./figures.ts";
import { type Machines, type Population, boundsOf, busyAtMost, connectionsAtMost, process, ratesOf } from "./scale-model.ts";
import { simulate } from "./scale-simulation.ts";

/** What was measured, and where. */
export interface MeasuredCosts {
  readonly machine: string;
  readonly sqlite: EngineCosts;
  readonly postgres: EngineCosts;
  /** MB that 1,000 open streams take. */
  readonly streams_mb: number;
}

/** What people do, but for how often they write. */
const habits: Omit<Population, "sessions" | "turns_per_session_per_day"> = {
  peak: 3,
  pages_per_turn: 2,
  opens_per_turn: 0.2,
  streams: 0.02,
};

interface Case {
  readonly engine: "sqlite" | "postgres";
  readonly sessions: number;
  readonly turns: number;
  readonly machines: Machines;
}

const postgres = (sessions: number, turns: number, [partitions, processes, cores]: readonly [number, number, number]): Case => ({
  engine: "postgres",
  sessions,
  turns,
  machines: { partitions, processes, cores },
});

/** From one process to a million sessions on one database and on several. */
export const cases: readonly Case[] = [
  { engine: "sqlite", sessions: 10_000, turns: 4, machines: { partitions: 1, processes: 1, cores: 0 } },
  { engine: "sqlite", sessions: 10_000, turns: 40, machines: { partitions: 1, processes: 1, cores: 0 } },
  postgres(100_000, 4, [1, 2, 4]),
  postgres(1_000_000, 4, [1, 8, 8]),
  postgres(1_000_000, 40, [1, 8, 8]),
  postgres(1_000_000, 40, [4, 8, 8]),
  postgres(1_000_000, 40, [16, 4, 4]),
];

const number = (value: number): string => value.toLocaleString("en-US");
const percent = (part: number): string => `${Math.round(part * 100)} %`;
const placed = ({ partitions, processes, cores }: Machines): string =>
  cores === 0 ? "1 process with SQLite" : `${partitions} × (${processes} processes, database of ${cores} cores)`;

function row({ engine, sessions, turns, machines }: Case, measured: MeasuredCosts): string {
  const rates = ratesOf({ ...habits, sessions, turns_per_session_per_day: turns });
  const seconds = Math.min(600, Math.max(60, 40_000 / rates.turn));
  const seen = simulate(rates, measured[engine], machines, { seconds });
  const isOver = seen.process >= 1 || seen.database >= 1;
  const times = [seen.delay_p50, seen.delay_p99, seen.post_p50, seen.post_p99].map((ms) => (isOver ? "grows" : String(round(ms))));
  const busy = [percent(seen.process), machines.cores === 0 ? "–" : percent(seen.database)];
  return `| ${[number(sessions), turns, placed(machines), Math.round(rates.turn), ...busy, ...times].join(" | ")} |`;
}

function costRows(name: string, costs: Costs): readonly string[] {
  return operationNames.map((operation) => {
    const { process_ms, database_ms, wait_ms } = costs[operation];
    return `| ${name} | ${operation} | ${process_ms} | ${database_ms === 0 ? "–" : database_ms} | ${wait_ms} |`;
  });
}

/** What lies between the marks of docs/reference/scale.md. */
export function scaleTables(measured: MeasuredCosts): string {
  const unit: Machines = { partitions: 1, processes: 4, cores: 4 };
  const bounds = boundsOf({ ...habits, sessions: 1, turns_per_session_per_day: 40 }, measured.postgres, unit, measured.streams_mb);
  return [
    `Measured by \`npm run bench:scale -- --measure\` on ${measured.machine}.`,
    "",
    "| database | operation | processor of the service, ms | processor of the database, ms | the caller waits, ms |",
    "| --- | --- | ---: | ---: | ---: |",
    ...costRows("SQLite", measured.sqlite),
    ...costRows("PostgreSQL", measured.postgres),
    "",
    "| sessions | turns a day | on | turns/s | busiest process | busiest database | delay p50, ms | p99 | post p50, ms | p99 |",
    "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...cases.map((one) => row(one, measured)),
    "",
    `With 40 turns a day: one partition of ${unit.processes} processes and a database of ${unit.cores} cores, kept below ${percent(busyAtMost)}; processes have ${number(process.memory_mb)} MB and`,
    `${process.connections} connections each, the database gives ${connectionsAtMost}. What breaks first:`,
    "",
    "| | sessions |",
    "| --- | ---: |",
    ...bounds.map(({ what, sessions }) => `| ${what} | ${number(Math.floor(sessions / 1000) * 1000)} |`),
  ].join("\n");
}

const [begin, end] = ["<!-- scale:begin -->", "<!-- scale:end -->"];

/** A page with the tables of these costs between its marks. */
export function withTables(page: string, measured: MeasuredCosts): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${scaleTables(measured)}\n\n${page.slice(to)}`;
}
