/** Plays a stretch of the busiest hour: requests come by chance, wait for a process, then for their partition's database. */
import { chance } from "./chance.ts";
import { type Costs, operationNames } from "./costs.ts";
import { quantile } from "./figures.ts";
import type { Machines, Rates } from "./scale-model.ts";

/** What was seen. */
export interface Simulated {
  readonly requests: number;
  /** The busiest process and the busiest database. */
  readonly process: number;
  readonly database: number;
  /** Milliseconds that a request waited for others. */
  readonly delay_p50: number;
  readonly delay_p99: number;
  /** Milliseconds until a post was answered. */
  readonly post_p50: number;
  readonly post_p99: number;
}

interface Request {
  readonly name: keyof Costs;
  readonly partition: number;
  readonly process: number;
  readonly came: number;
  /** When it reaches the station that it comes to next. */
  at: number;
  waited: number;
}

/** As far apart as what comes by chance: many are short, few are long. */
const exponential = (next: () => number, mean: number): number => -mean * Math.log(1 - next());

/** Serves requests in the order in which they come, at stations of `servers` each; returns the work of the busiest station, in milliseconds. */
function serve(
  requests: readonly Request[],
  {
    servers,
    stationOf,
    workOf,
  }: { readonly servers: number; readonly stationOf: (request: Request) => number; readonly workOf: (request: Request) => number },
): number {
  const free = new Map<number, number[]>();
  const work = new Map<number, number>();
  for (const request of requests.toSorted((a, b) => a.at - b.at)) {
    const station = stationOf(request);
    const times = free.get(station) ?? Array.from({ length: servers }, () => 0);
    free.set(station, times);
    const server = times.indexOf(Math.min(...times));
    const begins = Math.max(request.at, times[server] ?? 0);
    const took = workOf(request);
    request.waited += begins - request.at;
    request.at = times[server] = begins + took;
    work.set(station, (work.get(station) ?? 0) + took);
  }
  return Math.max(0, ...work.values());
}

/** Requests of so many seconds: each kind by its rate, each in a partition and to a process of it that chance decides. */
function arrivals(rates: Rates, { partitions, processes }: Machines, seconds: number, next: () => number): Request[] {
  const requests: Request[] = [];
  for (const name of operationNames) {
    for (let came = exponential(next, 1000 / rates[name]); came < seconds * 1000; came += exponential(next, 1000 / rates[name])) {
      const partition = Math.floor(next() * partitions);
      requests.push({ name, partition, process: partition * processes + Math.floor(next() * processes), came, at: came, waited: 0 });
    }
  }
  return requests;
}

/** Plays so many seconds. The same seed plays the same. */
export function simulate(rates: Rates, costs: Costs, machines: Machines, options: { readonly seconds: number; readonly seed?: number }): Simulated {
  const { seconds, seed = 1 } = options;
  const { cores } = machines;
  const next = chance(seed);
  const requests = arrivals(rates, machines, seconds, next);
  const busyProcess = serve(requests, {
    servers: 1,
    stationOf: (request) => request.process,
    workOf: ({ name }) => exponential(next, costs[name].process_ms),
  });
  const database = { stationOf: ({ partition }: Request) => partition, workOf: ({ name }: Request) => exponential(next, costs[name].database_ms) };
  const busyDatabase = cores === 0 ? 0 : serve(requests, { servers: cores, ...database });
  // What is left of the wait that was measured is the disk's and the network's, which hold up nobody else.
  const rest = Math.max(0, costs.post.wait_ms - costs.post.process_ms - costs.post.database_ms);
  const posts = requests.flatMap(({ name, at, came }) => (name === "post" ? [at - came + rest] : []));
  const delays = requests.map(({ waited }) => waited);
  return {
    requests: requests.length,
    process: busyProcess / (seconds * 1000),
    database: busyDatabase / (seconds * 1000 * Math.max(1, cores)),
    delay_p50: quantile(delays, 0.5),
    delay_p99: quantile(delays, 0.99),
    post_p50: quantile(posts, 0.5),
    post_p99: quantile(posts, 0.99),
  };
}
