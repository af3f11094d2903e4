/** A database with two services and two workers on it, each a process of its own: what is posted to one service is read from the other. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../../../scripts/root.ts";
import { openStore } from "../../../packages/throughline/src/open-store.ts";
import type { WireEvent } from "../../../packages/server/src/protocol/wire-event.ts";
import { createKey } from "../../../packages/server/src/server/auth/api-keys.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import { emptyPostgresDatabase } from "../../setup/database.ts";
import { send, type Answered } from "../../setup/server.ts";
import { hangMs } from "../../setup/limits.ts";

/** A listed case. `timing` is one that states a time: it has five times as long, and a second try. `alone`: it kills what others need. */
export interface Case {
  readonly id: string;
  readonly what: string;
  readonly timing?: true;
  readonly alone?: true;
  readonly on?: "PostgreSQL";
  readonly run: (world: World) => Promise<unknown>;
}

type Ask = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answered>;

/** A service in a process of its own, asked with the key of the world. */
interface Place {
  readonly url: string;
  readonly ask: Ask;
}

/** A point that an agent waits at. */
interface Gate {
  readonly name: string;
  /** Waits until a worker has come to it that is none of these; its process. */
  readonly begun: (...others: readonly number[]) => Promise<number>;
  readonly open: () => void;
}

/** What is there for every case. */
export interface World {
  readonly database: "SQLite" | "PostgreSQL";
  readonly location: string;
  readonly folder: string;
  /** What no request can do. */
  readonly store: Store;
  readonly key: Readonly<Record<string, string>>;
  readonly one: Place;
  readonly two: Place;
  /** The two of them by turns. */
  readonly either: (turn: number) => Place;
  /** A name that nobody else has. */
  readonly name: (prefix: string) => string;
  /** A session of a new customer, Ada. */
  readonly make: (given?: object) => Promise<Answered["body"]>;
  readonly gate: () => Gate;
  readonly worker: () => Promise<ChildProcess>;
  readonly workers: Set<ChildProcess>;
  readonly close: () => Promise<void>;
}

const main = join(root, "packages/server/src/cli/main.ts");
const agents = ["a1", "eager"].flatMap((name) => ["--agent", join(import.meta.dirname, "agents", `${name}.ts`)]);

const configuration = `
server:
  heartbeat_seconds: 1
  limits: { body_bytes: 65536, event_bytes: 16384, customer: { waiters: 10, requests_per_minute: 120 } }
log: { level: error }
`;

/** Waits for something to become true, for as long as a test may wait at all. */
export async function until<Value>(look: () => Value | undefined | Promise<Value | undefined>, what: string): Promise<Value> {
  for (const end = performance.now() + hangMs; performance.now() < end; await delay(5)) {
    const value = await look();
    if (value !== undefined) return value;
  }
  throw new Error(`${what} has not happened`);
}

/** Starts a command; resolves with what it says of itself when it is ready. */
async function start(words: readonly string[], folder: string): Promise<{ readonly child: ChildProcess; readonly ready: string }> {
  const env = { ...process.env, CASES_FOLDER: folder };
  const child = spawn(process.execPath, [main, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const told: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        told.push(line);
        if (line.startsWith("Ready: ")) resolve(line);
      });
    child.once("exit", (code) => reject(new Error(`${words[2]} ended with ${code}: ${told.join("\n")}`)));
  });
  return { child, ready: await ready };
}

/** Two services and two workers that all start at the same moment, on a database that nobody has opened yet. */
export async function openWorld(database: World["database"]): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "throughline-cases-"));
  writeFileSync(join(folder, "throughline.yaml"), configuration);
  const location = database === "SQLite" ? join(folder, "store.db") : await emptyPostgresDatabase();
  const serve = () => start(["--db", location, "serve", "--port", "0", "--no-work", ...agents], folder);
  const workers = new Set<ChildProcess>();
  const worker = async (): Promise<ChildProcess> => {
    const { child } = await start(["--db", location, "worker", "--lease", "2", ...agents], folder);
    workers.add(child);
    child.once("exit", () => workers.delete(child));
    return child;
  };
  const [one, two] = await Promise.all([serve(), serve(), worker(), worker()]);
  const store = await openStore(location);
  const { key } = await createKey(store, { name: "cases", scopes: ["admin"] });
  const authorization = { authorization: `Bearer ${key}` };
  const placeOf = (ready: string): Place => {
    const url = /http:\/\/\S+/.exec(ready)?.[0] ?? "";
    return { url, ask: (method, path, body, headers) => send(url, method, path, body, { ...authorization, ...headers }) };
  };
  const world = { one: placeOf(one.ready), two: placeOf(two.ready) };
  const either = (turn: number): Place => (turn % 2 === 0 ? world.one : world.two);
  let names = 0;
  const name = (prefix: string): string => `${prefix}-${++names}`;
  return {
    ...{ database, location, folder, store, key: authorization, ...world, either, name, worker, workers },
    make: async (given = {}) => {
      const customer_id = name("ada");
      await world.one.ask("POST", "/v1/customers", { id: customer_id, name: "Ada" });
      return (await world.one.ask("POST", "/v1/sessions", { agent: "a1", customer_id, ...given })).body;
    },
    gate: () => gateIn(folder, name("gate")),
    close: async () => {
      const all = [one.child, two.child, ...workers];
      const ended = all.map(
        (child) => new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.once("exit", resolve) : resolve(null))),
      );
      for (const child of all) child.kill("SIGKILL");
      await Promise.all(ended);
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function gateIn(folder: string, name: string): Gate {
  const begunBy = (): readonly number[] =>
    readdirSync(folder).flatMap((file) => (file.startsWith(`${name}.`) && file.endsWith(".begun") ? [Number(file.split(".")[1])] : []));
  return {
    name,
    begun: (...others) => until(() => begunBy().find((process) => !others.includes(process)), `a worker at ${name}`),
    open: () => writeFileSync(join(folder, `${name}.open`), ""),
  };
}

/** How often something that must happen once was done. */
export const paid = ({ folder }: World, { name }: Gate, count: (path: string) => number): number =>
  existsSync(join(folder, `${name}.paid`)) ? count(join(folder, `${name}.paid`)) : 0;

/** Whether a process has locked the database as a whole, as one does with a SQLite file while it writes. Waits for locks that are let go. */
export function isLocked({ database, location }: World): boolean {
  if (database !== "SQLite") return false;
  const file = new DatabaseSync(location, { timeout: 2_000 });
  try {
    file.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  } finally {
    file.close();
  }
}

interface Session {
  readonly id: string;
}

/** The address of a session, or of something of it. */
export const at = ({ id }: Session, rest = ""): string => `/v1/sessions/${id}${rest}`;

/** Posts a customer's message to the first service; its event. */
export async function say({ one }: World, session: Session, text: string, headers: Readonly<Record<string, string>> = {}): Promise<WireEvent> {
  const { status, body } = await one.ask("POST", at(session, "/events"), { kind: "message", source: "customer", text }, headers);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

const every = "kinds=message,tool,status,custom,state,turn,session";

/** The log of a session as the second service has it. */
export async function logOf({ two }: World, session: Session, query = every): Promise<readonly WireEvent[]> {
  return (await two.ask("GET", at(session, `/events?limit=1000&${query}`))).body.items;
}

/** Follows a session's log by the second service, in long polls, until it has what is looked for; all of it. */
export async function follow(
  { two }: World,
  session: Session,
  found: (events: readonly WireEvent[]) => boolean,
  { from = 0, query = every }: { readonly from?: number; readonly query?: string } = {},
): Promise<readonly WireEvent[]> {
  const events: WireEvent[] = [];
  const end = performance.now() + hangMs;
  for (let next = from; !found(events);) {
    if (performance.now() > end) throw new Error(`the log has only ${outline(events).join(", ")}`);
    const { status, headers, body, text } = await two.ask("GET", at(session, `/events?min_offset=${next}&wait=5&limit=1000&${query}`));
    if (status !== 200 && status !== 204) throw new Error(`${status} ${text}`);
    if (status === 200) events.push(...body.items);
    next = status === 200 ? body.next_offset : Number(headers.get("next-offset"));
  }
  return events;
}

const isEnd = ({ kind, data }: WireEvent): boolean => kind === "turn" && data["type"] === "ended";

/** Waits until so many turns have ended; the log until then. */
export const ended = (world: World, session: Session, turns = 1): Promise<readonly WireEvent[]> =>
  follow(world, session, (events) => events.filter(isEnd).length >= turns);

/** What was said, as a text. */
export const textOf = (event: WireEvent | undefined): string =>
  event?.kind === "message" ? event.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";

const shortSource: Readonly<Record<string, string>> = { ai_agent: "agent", human_agent: "person", human_agent_on_behalf_of_ai_agent: "for agent" };

/** Events in words: `customer:hi`, `status:ready`, `turn:ended`. */
export const outline = (events: readonly WireEvent[]): readonly string[] =>
  events.map((event) => {
    if (event.kind === "message") return `${shortSource[event.source] ?? event.source}:${textOf(event)}`;
    if (event.kind === "status") return `status:${event.data.status}`;
    return "type" in event.data ? `${event.kind}:${event.data["type"]}` : event.kind;
  });

/** The lines of these kinds alone. */
export const only = (events: readonly WireEvent[], ...kinds: readonly WireEvent["kind"][]): readonly string[] =>
  outline(events.filter(({ kind }) => kinds.includes(kind)));

/** An answer that is a problem. */
export const problem = (status: number, code: string): object => ({ status, body: { status, code } });

/** Says something in another session, and waits for its answer: workers have looked at what there was before. */
export async function lookedAround(world: World): Promise<void> {
  const others = await Promise.all([world.make(), world.make()]);
  await Promise.all(others.map(async (other) => (await say(world, other, "anything?"), ended(world, other))));
}
