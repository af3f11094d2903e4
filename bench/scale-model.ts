/** Many sessions on several databases: what is asked in a second, and how busy that makes processes and databases. */
import type { Costs, EngineCosts } from "./costs.ts";
import { operationNames } from "./costs.ts";

/** How many sessions there are, and what people do. */
export interface Population {
  readonly sessions: number;
  readonly turns_per_session_per_day: number;
  /** The busiest hour against the mean one. */
  readonly peak: number;
  /** Pages that are read for each turn, besides the stream that the reply comes on. */
  readonly pages_per_turn: number;
  /** Sessions that are opened for each turn. */
  readonly opens_per_turn: number;
  /** The part of the sessions that has a stream open in the busiest hour. */
  readonly streams: number;
}

/** What it runs on. Each partition is a database of its own, with processes of its own. */
export interface Machines {
  readonly partitions: number;
  /** Processes of the service in one partition; each has a core. */
  readonly processes: number;
  /** Cores of one database; 0 where the database is in the process. */
  readonly cores: number;
}

/** What is asked of all partitions together, in a second of the busiest hour. */
export type Rates = Readonly<Record<keyof Costs, number>>;

/** The rates of a population. */
export function ratesOf(population: Population): Rates {
  const { sessions, turns_per_session_per_day, peak, pages_per_turn, opens_per_turn } = population;
  const turns = (sessions * turns_per_session_per_day * peak) / 86_400;
  return { open: turns * opens_per_turn, post: turns, turn: turns, page: turns * pages_per_turn };
}

/** How busy one process and one database are, from 0 to 1 and beyond. */
export interface Utilisation {
  readonly process: number;
  readonly database: number;
}

const workOf = (rates: Rates, costs: Costs, of: "process_ms" | "database_ms"): number =>
  operationNames.reduce((sum, name) => sum + (rates[name] * costs[name][of]) / 1000, 0);

/** The utilisation that the rates bring about, if they are spread evenly. */
export const utilisationOf = (rates: Rates, costs: Costs, { partitions, processes, cores }: Machines): Utilisation => ({
  process: workOf(rates, costs, "process_ms") / (partitions * processes),
  database: cores === 0 ? 0 : workOf(rates, costs, "database_ms") / (partitions * cores),
});

/** What sets the limit of one partition, and how many sessions that is. */
export interface Bound {
  readonly what:
    | "processors of the service"
    | "processors of the database"
    | "memory for streams"
    | "connections to the database"
    | "news of commits, which every process hears";
  readonly sessions: number;
}

/** What is set aside: above that, waiting grows faster than work. */
export const busyAtMost = 0.7;

/** What a process may have: memory for streams in MB, and what it takes of the database's connections. */
export const process = { memory_mb: 4096, connections: 11 } as const;
/** What a database gives out. */
export const connectionsAtMost = 500;

/** Commits of one turn, with that of its message and those of its key. */
const commitsPerTurn = 6;

/** What one partition can hold before something of it is used up, the first to break first. `streams_mb` is what 1,000 open streams take. */
export function boundsOf(population: Population, costs: EngineCosts, { processes, cores }: Machines, streams_mb: number): readonly Bound[] {
  const one = ratesOf({ ...population, sessions: 1 });
  const shared = { partitions: 1, processes, cores };
  const each = utilisationOf(one, costs, shared);
  const bounds: Bound[] = [
    { what: "processors of the service", sessions: busyAtMost / each.process },
    { what: "memory for streams", sessions: ((process.memory_mb / streams_mb) * 1000 * processes) / population.streams },
  ];
  if (cores > 0) {
    // Each process may spend as much on news of others' work as on work of its own, at most.
    const news = (one.turn * commitsPerTurn * costs.heard_ms) / 1000;
    bounds.push({ what: "news of commits, which every process hears", sessions: busyAtMost / 2 / news });
    bounds.push({ what: "processors of the database", sessions: busyAtMost / each.database });
    // More processes than the database has connections for cannot be started; each of them carries as much as another.
    const most = Math.floor(connectionsAtMost / process.connections);
    bounds.push({ what: "connections to the database", sessions: (busyAtMost / each.process / processes) * most });
  }
  return bounds.toSorted((a, b) => a.sessions - b.sessions);
}
