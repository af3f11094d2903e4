import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Runtime, type Session, type SessionId, type Store, openStore } from "../../packages/throughline/src/index.ts";
import { agentNameOf, callsTools, chaosRuntime } from "./agent.ts";
import { type Seen, decide, talk } from "./client.ts";
import { type Chooser, createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { Doom } from "./doomed-store.ts";
import { type Done, doneIn, outsideIn } from "./outside.ts";
import { Died, Refused, Victim } from "./process.ts";
import { Trace, catchUp } from "./reader.ts";
import { type Answer, type Ask, serve } from "./serve.ts";
import { childrenIn } from "./tool-law.ts";
import { logOf } from "./law.ts";
import type { Role } from "./victim.ts";
import { hangMs } from "../setup/limits.ts";

export interface StormOptions {
  /** Where the store is: a file or a postgres:// URL. */
  readonly location: string;
  readonly kills: number;
  readonly seed: number;
  /** Conversations at the same time. */
  readonly sessions: number;
  /** Conversations with agents that call tools, besides; none by default. */
  readonly toolSessions?: number;
  /** Processes that run turns, at the same time. */
  readonly workers: number;
  /** Processes that accept messages and follow every session, at the same time. */
  readonly clients: number;
  /** Clients go on after the last kill until so many messages are acknowledged, for a machine that is too busy to get far in the storm; 0 by default. */
  readonly messages?: number;
  /** Harms the database; called every now and then. */
  readonly disturb?: (dice: Chooser) => Promise<void>;
  /** Whether the database was harmed enough: killing goes on until it was, however busy the machine is; always by default. */
  readonly harmed?: () => boolean;
  /** Called after each kill. */
  readonly progress?: (kills: number) => void;
}

/** Asks the living; a caller whose process dies hears of it, one who finds nobody waits. */
interface Crew {
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly add: (hands: (ask: Ask) => Promise<Answer>) => () => void;
}

function createCrew(dice: Chooser): Crew {
  const living = new Set<(ask: Ask) => Promise<Answer>>();
  return {
    async ask(ask) {
      while (living.size === 0) await delay(5);
      return dice.one([...living])(ask);
    },
    add: (hands) => {
      living.add(hands);
      return () => void living.delete(hands);
    },
  };
}

/**
 * Few die young: who does takes with it the turns that it has just taken over, and a turn that dies with two processes is given up as poisoned,
 * which proves less than an answer.
 */
const youngest = (dice: Chooser, most: number): number => (dice.chance(0.15) ? 1 : Math.ceil(most / 4));

function drawDoom(dice: Chooser, sqlite: boolean): Doom | undefined {
  if (dice.chance(0.3)) return undefined;
  const at = dice.one(sqlite ? (["before", "after", "statement", "statement"] as const) : (["before", "after", "during", "during"] as const));
  const most = at === "statement" ? 1500 : 120;
  return { at, count: dice.integer(youngest(dice, most), most), ms: dice.integer(0, 3) };
}

/** What all slots share. */
interface Shared {
  readonly options: StormOptions;
  readonly dice: Chooser;
  readonly crew: Crew;
  readonly seen: Seen;
  /** Folder in which tools do what cannot be taken back. */
  readonly outside: string;
  readonly count: { left: number; done: number };
}

/** Lets processes of a role live and die, one at a time, until enough have been killed in all slots together. */
async function slot({ options, dice, crew, seen, outside, count }: Shared, role: Role): Promise<void> {
  let next = new Victim();
  const { harmed = () => true } = options;
  while (count.left > 0 || !harmed()) {
    count.left -= 1;
    const victim = next;
    next = new Victim();
    const doom = drawDoom(dice, !options.location.startsWith("postgres"));
    const born = victim
      .live({ location: options.location, seed: dice.integer(0, 2 ** 31), role, outside, ...(doom === undefined ? {} : { doom }) })
      .then(() => (role.type === "client" ? crew.add((ask) => victim.ask(ask)) : () => {}));
    const leave = await born.catch((error: unknown) => {
      // A kill while it opens the store counts; a database that is away is tried again by the next one.
      if (!(error instanceof Died) && !(error instanceof Refused && /^store\.(unreachable|busy)$/.test(error.code))) throw error;
      return () => {};
    });
    // A worker that sleeps through its lease must not commit when it wakes.
    if (role.type === "worker" && dice.chance(0.1)) {
      await delay(dice.integer(0, 50));
      await victim.suspend(dice.integer(250, 450));
    }
    // One whose hour does not come by itself is killed at a time of its own.
    await Promise.race([victim.dead, delay(doom === undefined ? dice.integer(youngest(dice, 600), 600) : 1000)]);
    victim.kill();
    await victim.dead;
    leave();
    seen.wrong.push(...victim.complaints);
    count.done += 1;
    options.progress?.(count.done);
  }
  next.kill();
}

/** Waits until nothing in a session is open; says what is if that takes too long. */
async function drain(session: Session): Promise<string | undefined> {
  if ((await session.info()).mode === "manual") await session.setMode("auto");
  const until = performance.now() + hangMs;
  for (;;) {
    const { turns, waiting } = await session.pending();
    if (turns.length === 0 && waiting.length === 0) return undefined;
    if (performance.now() > until) return `still open after a minute: ${JSON.stringify({ turns, waiting })}`;
    // Messages that were sent to a person are answered when the agent is asked to.
    if (turns.length === 0) await session.resume();
    await delay(20);
  }
}

/** What is left after a storm: the store, open, and which session is which. */
export interface Aftermath {
  readonly store: Store;
  readonly sessions: ReadonlyMap<string, SessionId>;
  readonly seen: Seen;
  /** What tools have done, by the keys of their calls. */
  readonly done: ReadonlyMap<string, Done>;
  /** What each reader has seen of each session. */
  readonly traces: readonly { readonly session: string; readonly reader: string; readonly lines: readonly string[] }[];
}

/** Lets every reader see what it has not seen yet, and gives all that it has seen. */
async function tracesOf(last: Runtime, names: readonly string[], readers: readonly string[]): Promise<Aftermath["traces"]> {
  const traces: Aftermath["traces"][number][] = [];
  for (const session of names) {
    const handle = await last.sessions.open({ agent: agentNameOf(session), key: session });
    for (const folder of readers) {
      const trace = new Trace(join(folder, session));
      await catchUp(handle, trace);
      traces.push({ session, reader: folder.split("-").at(-1) ?? folder, lines: trace.lines });
    }
  }
  return traces;
}

/** Runs clients against processes that are killed, then lets all that is open come to its end. The store is handed back open. */
export async function storm(options: StormOptions): Promise<Aftermath> {
  const { location, kills, seed, sessions, toolSessions = 0, workers, clients: clientCount, messages = 0, disturb, harmed = () => true } = options;
  const dice = createChooser(seed);
  const crew = createCrew(dice);
  const seen: Seen = { acknowledged: [], resent: 0, wrong: [] };
  const named = (letter: string, length: number): readonly string[] => Array.from({ length }, (_, index) => `${letter}${index + 1}`);
  const names = [...named("s", sessions), ...named("t", toolSessions)];
  const count = { left: kills, done: 0 };
  const over = (): boolean => count.done >= kills && harmed();
  // The first to open an empty database makes its schema.
  await (await openStore(location)).close();
  const talking = { dice, ask: crew.ask, over: (): boolean => over() && seen.acknowledged.length >= messages, seen };
  const clients = names.map((session) => talk({ session, ...talking }));
  let quiet = false;
  const deciders = names.filter(callsTools).map((session) => decide({ session, dice, ask: crew.ask, over: () => quiet, seen }));
  const trouble = (async () => {
    if (disturb === undefined) return;
    while (!over()) {
      await delay(dice.integer(150, 800));
      await disturb(dice);
    }
  })();
  const folder = await mkdtemp(join(tmpdir(), "throughline-readers-"));
  const outside = join(folder, "outside");
  const readers = Array.from({ length: clientCount }, (_, index) => join(folder, `reader-${index + 1}`));
  const roles: readonly Role[] = [
    ...Array.from({ length: workers }, () => ({ type: "worker" }) as const),
    ...readers.map((traces) => ({ type: "client", traces, sessions: names }) as const),
  ];
  await Promise.all([trouble, ...roles.map((role) => slot({ options, dice, crew, seen, outside, count }, role))]);
  const store = await openStore(location);
  const last = await chaosRuntime(store, { dice, outside: outsideIn(outside) });
  crew.add((ask) => serve(last, ask));
  await Promise.all(clients);
  const ids = new Map<string, SessionId>();
  for (const name of names) {
    const session = await last.sessions.open({ agent: agentNameOf(name), key: name });
    ids.set(name, session.id);
    const open = await drain(session);
    if (open !== undefined) seen.wrong.push(`${name}: ${open}`);
    if (!callsTools(name)) continue;
    // A child whose parent was ended from outside comes to its end by itself.
    for (const id of await childrenIn(store, await logOf(store, session.id))) {
      const left = await drain(await last.sessions.get(id));
      if (left !== undefined) seen.wrong.push(`${name}: a child is ${left}`);
    }
  }
  quiet = true;
  await Promise.all(deciders);
  const traces = await tracesOf(last, names, readers);
  await last.close();
  const done = doneIn(outside);
  await rm(folder, { recursive: true, force: true });
  return { store, sessions: ids, seen, done, traces };
}
