/** What single operations of the service cost: processor time of its processes and of the database, and how long the caller waits. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "pg";
import type { Engine } from "./engine.ts";
import { median, round } from "./figures.ts";
import { Sender, StreamReader } from "./load.ts";
import { message, offsetOf } from "./service-bench.ts";
import { type ServiceChild, startService } from "./service-child.ts";

/** Milliseconds of one operation. */
export interface Cost {
  /** Of the processor, in all processes of the service together. */
  readonly process_ms: number;
  /** Of the processor, in the database's own processes; 0 where the database is in the service's. */
  readonly database_ms: number;
  /** From sending the request until its answer; of a turn, from sending the message until its reply is on the stream. */
  readonly wait_ms: number;
}

export const operationNames = ["open", "post", "turn", "page"] as const;

/** What an engine costs. `heard_ms`: of the processor, in every process that only hears of a commit of another one. */
export interface EngineCosts extends Costs {
  readonly heard_ms: number;
}

/** By operation: a session is opened for a new customer; a message is posted, with a key; it is answered and read from a stream; a page of 20 is read. */
export type Costs = Readonly<Record<(typeof operationNames)[number], Cost>>;

/** Milliseconds of the processor that the connections to a PostgreSQL of this machine have had. */
async function databaseMs(location: string): Promise<number> {
  if (!location.startsWith("postgres")) return 0;
  const client = new Client({ connectionString: location });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await client.end();
  let ticks = 0;
  for (const { pid } of rows) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [user = "0", system = "0"] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    ticks += Number(user) + Number(system);
  }
  return ticks * 10;
}

/** Clients at the same time while processors are timed, each in a session of its own: a service at work, with its code compiled. */
const clients = 8;

/** Has each client do the work so many times, after as many times that warm it up; the wait is that of a client by itself. */
async function costOf(
  { location, services, count }: { readonly location: string; readonly services: readonly ServiceChild[]; readonly count: number },
  work: (client: number) => Promise<void>,
): Promise<Cost> {
  const together = async (): Promise<void> => {
    const one = async (client: number): Promise<void> => {
      for (let number = 0; number < count; number++) await work(client);
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  };
  await together();
  const spent = async (): Promise<number> => {
    let ms = 0;
    for (const service of services) ms += (await service.ask("spent", {})).processor_ms;
    return ms;
  };
  await spent();
  const before = await databaseMs(location);
  await together();
  const all = clients * count;
  const timed = { process_ms: (await spent()) / all, database_ms: ((await databaseMs(location)) - before) / all };
  const waits: number[] = [];
  for (let number = 0; number < count; number++) {
    const began = performance.now();
    await work(0);
    waits.push(performance.now() - began);
  }
  return { ...timed, wait_ms: median(waits) };
}

const rounded = ({ process_ms, database_ms, wait_ms }: Cost): Cost => ({
  process_ms: round(process_ms),
  database_ms: round(database_ms),
  wait_ms: round(wait_ms),
});

/** Measures the operations on an engine: one process answers, another one runs the turns. */
export async function costs(engine: Engine, count: number): Promise<EngineCosts> {
  const database = await engine.create();
  const answering = await startService(database.location);
  const working = await startService(database.location, { work: true });
  const sender = new Sender(answering);
  const around = { location: database.location, services: [answering, working], count };
  const quiet = await answering.ask("sessions", { count: clients });
  const talking = await answering.ask("sessions", { count: clients });
  const once = (): Readonly<Record<string, string>> => ({ "idempotency-key": randomUUID() });
  const events = (session: string | undefined): string => `/v1/sessions/${session ?? ""}/events`;
  const open = await costOf(around, async () => {
    const body = { agent: "bench", customer_id: randomUUID() };
    await sender.send(201, "POST", "/v1/sessions/open", body, once());
  });
  const write = async (client: number): Promise<void> => void (await sender.send(201, "POST", events(quiet[client]), message));
  const heard = await costOf({ ...around, services: [working] }, write);
  const post = await costOf(around, async (client) => void (await sender.send(201, "POST", events(quiet[client]), message, once())));
  const page = await costOf(around, async (client) => void (await sender.send(200, "GET", `${events(quiet[client])}?limit=20`)));
  const opened = talking.map((session) => sender.open("GET", `${events(session)}?format=sse&kinds=message`));
  const readers = (await Promise.all(opened)).map((incoming) => new StreamReader(incoming));
  const both = await costOf(around, async (client) => {
    const asked = { kind: "message", source: "customer", text: "Where is my order?" };
    await readers[client]?.until(offsetOf(await sender.send(201, "POST", events(talking[client]), asked, once())) + 1);
  });
  const turn = { ...both, process_ms: Math.max(0, both.process_ms - post.process_ms), database_ms: Math.max(0, both.database_ms - post.database_ms) };
  for (const reader of readers) reader.close();
  sender.close();
  await Promise.all([answering.stop(), working.stop()]);
  await database.remove();
  return { open: rounded(open), post: rounded(post), turn: rounded(turn), page: rounded(page), heard_ms: round(heard.process_ms) };
}
