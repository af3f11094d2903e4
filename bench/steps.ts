/** What a loop of model calls with tools costs: beside calling the functions directly, in commits, and over a thousand steps of one turn. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import {
  type Agent,
  type Model,
  type ModelPart,
  type Runtime,
  type Session,
  type Store,
  type ToolEffects,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  input,
  loop,
  openStore,
  reduced,
} from "../packages/throughline/src/index.ts";
import type { NewEvent, SessionChange } from "../packages/throughline/src/store/port.ts";
import { recording, textOf } from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, round, timed } from "./figures.ts";
import { createBareSession } from "./session.ts";

const state = defineState({
  message: input(z.string()),
  left: reduced(z.number(), { reduce: counter() }),
  right: reduced(z.number(), { reduce: counter() }),
});

/** What the tools do, called directly or by a model. */
const work = (n: number): { readonly n: number; readonly text: string } => ({ n, text: textOf(80, n) });

const toolOf = (name: "left" | "right", effects: ToolEffects) =>
  defineTool({
    ...{ name, description: `Counts on the ${name}.`, state, effects, parameters: z.object({ n: z.number() }) },
    outputsToState: { [name]: { source: "n" } },
    execute: ({ n }: { readonly n: number }) => work(n),
  });

/** A model that works for as many steps as the message says, with a sentence and `calls` calls each, and then answers. It keeps nothing. */
function workerModel(calls: readonly ("left" | "right")[], asked: (step: number) => Promise<void> | void = () => {}): Model {
  return {
    name: "worker",
    async *stream({ messages }, { signal }): AsyncIterable<ModelPart> {
      const since = messages.findLastIndex(({ role }) => role === "user");
      const step = (messages.length - since - 1) / (1 + calls.length);
      await asked(step);
      signal.throwIfAborted();
      const over = step >= Number(messages[since]?.text);
      if (over) yield { type: "text_delta", text: "All of it is done." };
      else {
        yield { type: "text_delta", text: textOf(60, step) };
        for (const name of calls) yield { type: "tool_call", call: { call_id: name, name, arguments: { n: step + 1 } } };
      }
      const usage = { input: 100, output: 20, cache_write: 0, cache_read: 0, reasoning: 0 };
      yield { type: "finish", reason: over ? "stop" : "tool_calls", usage };
    },
  };
}

const agentOf = (model: Model, effects: ToolEffects): Agent =>
  defineAgent({
    ...{ name: "steps", version: 1, state, budget: { steps: 10_000 } },
    reply: loop({ model, tools: [toolOf("left", effects), toolOf("right", effects)] }),
  });

const both = ["left", "right"] as const;

/** A turn has a lease and reads besides its commits; on PostgreSQL each is a round trip, and a row has a header of its own. */
const limits = { sqlite: { tools: 5, bytes: 8 }, postgres: { tools: 10, bytes: 18 } } as const;

async function opened(store: Store, agent: Agent): Promise<{ readonly runtime: Runtime; readonly session: Session }> {
  const runtime = await createRuntime({ store, agents: [agent] });
  return { runtime, session: await runtime.sessions.create({ agent: "steps" }) };
}

async function send(session: Session, steps: number): Promise<void> {
  const { status } = await session.send(String(steps));
  if (status !== "completed") throw new Error(`A turn of the benchmark ended as ${status}.`);
}

/** Commits of a turn with one step of two tools, and those of a turn without. */
async function commitsOf(engine: Engine, effects: ToolEffects): Promise<{ readonly extra: number; readonly turn: readonly SessionChange[] }> {
  const database = await engine.create();
  const { store, changes } = recording(await openStore(database.location, { durability: "relaxed" }));
  const { runtime, session } = await opened(store, agentOf(workerModel(both), effects));
  const counted = async (steps: number): Promise<readonly SessionChange[]> => {
    const before = changes.length;
    await send(session, steps);
    return changes.slice(before);
  };
  await counted(1);
  const plain = await counted(0);
  const turn = await counted(1);
  await runtime.close();
  await store.close();
  await database.remove();
  return { extra: turn.length - plain.length, turn };
}

/** Does by hand what a turn does: the same functions, and commits with the same events. */
async function byHand(store: Store, turn: readonly SessionChange[]): Promise<(number: number) => Promise<void>> {
  const session_id = await createBareSession(store);
  return async (number) => {
    const [accepted, ...rest] = turn;
    await store.commit({ commit_id: `${session_id}-${number}-0`, at: number, session: { ...accepted, session_id, depends: {} } });
    both.forEach(() => work(number));
    for (const [index, { events = [] }] of rest.entries()) {
      const own = events.map((event): NewEvent => ({ ...event, turn: number }));
      const last = index === rest.length - 1;
      const session = { session_id, events: own, ...(last ? { end_turns: [number] } : {}) };
      await store.commit({ commit_id: `${session_id}-${number}-${index + 1}`, at: number, session });
    }
  };
}

/** A turn with a step of two tools against the same functions and the same commits by hand, in turn on one machine. */
async function againstHand(engine: Engine, quick: boolean, turn: readonly SessionChange[]): Promise<Figure> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "full" });
  const { runtime, session } = await opened(store, agentOf(workerModel(both), "once"));
  const hand = await byHand(store, turn);
  let number = 0;
  const rounds = quick ? 20 : 200;
  const samples = await timed({ loop: () => send(session, 1), hand: () => hand((number += 1)) }, { rounds, warmUp: quick ? 10 : 50 });
  await runtime.close();
  await store.close();
  await database.remove();
  const [ours, direct] = [median(samples.loop), median(samples.hand)];
  return {
    id: `${engine.name}.two_tools`,
    what: "a turn with a step of two `once` tools, against the functions called directly with the same commits",
    value: round(ours / direct),
    unit: "x",
    limit: limits[engine.name].tools,
    timing: true,
    details: { turn_ms: round(ours), direct_ms: round(direct), commits: turn.length },
  };
}

/** Commits that a step of two tools adds to a turn. */
async function commitFigures(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  // The message with the calls is committed before any of them runs, and their results before the next answer is shown; then a start for each call.
  const most = { none: 2, idempotent: 3, once: 5 } as const;
  for (const effects of ["none", "idempotent", "once"] as const) {
    const { extra, turn } = await commitsOf(engine, effects);
    const what = `commits that a step of two \`${effects}\` tools adds to a turn`;
    figures.push({ id: `${engine.name}.step_${effects}`, what, value: extra, unit: "commits", limit: most[effects], timing: false });
    if (effects === "once") figures.push(await againstHand(engine, quick, turn));
  }
  return figures;
}

/** Bytes of the heap that are in use, after what is not was collected. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

interface Long {
  /** Bytes that the turn added to the database. */
  readonly bytes: number;
  /** Milliseconds of each step. */
  readonly ms: readonly number[];
  /** Bytes of the heap at the last step, above those at the first. */
  readonly memory: number;
}

/** One turn of so many steps in a database of its own. */
async function longTurn(engine: Engine, steps: number): Promise<Long> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const stamps: number[] = [];
  let began = 0;
  let memory = 0;
  const model = workerModel(both, (step) => {
    stamps.push(performance.now());
    if (step === 0 && steps > 0) began = heap();
    else if (step === steps) memory = heap() - began;
  });
  const { runtime, session } = await opened(store, agentOf(model, "none"));
  await send(session, steps);
  await runtime.close();
  await database.tidy();
  const bytes = await database.bytes();
  await store.close();
  await database.remove();
  return { bytes, memory, ms: stamps.slice(1).map((stamp, index) => stamp - (stamps[index] ?? stamp)) };
}

/** Text, arguments and results of a step: what the conversation grows by. */
function conversationBytes(steps: number): number {
  const size = (step: number): number =>
    textOf(60, step).length + both.length * (JSON.stringify({ n: step + 1 }).length + JSON.stringify(work(step + 1)).length);
  return Array.from({ length: steps }, (_, step) => size(step)).reduce((sum, bytes) => sum + bytes, 0);
}

async function growth(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const [few, many] = quick ? [60, 240] : [100, 1000];
  const none = await longTurn(engine, 0);
  const short = await longTurn(engine, few);
  const described = quick ? undefined : await longTurn(engine, 160);
  const long = await longTurn(engine, many);
  const perStep = (turn: Long, steps: number): number => (turn.bytes - none.bytes) / steps;
  const [early, late] = [perStep(short, few), perStep(long, many)];
  // The first steps warm the machine up.
  const [first, last] = [median(long.ms.slice(few / 2, few)), median(long.ms.slice(-few / 2))];
  const at = described === undefined ? few : 160;
  const times = (perStep(described ?? short, at) * at) / conversationBytes(at);
  return [
    {
      id: `${engine.name}.steps_flat`,
      what: `bytes per step of a turn of ${many} steps against one of ${few}`,
      value: round(late / early),
      unit: "x",
      limit: 1.1,
      timing: false,
      details: { bytes_per_step: Math.round(late), at_few: Math.round(early) },
    },
    {
      id: `${engine.name}.steps_times`,
      what: `bytes of a turn of ${at} steps, as a multiple of its conversation (the described system: 85 at 160 steps)`,
      value: round(times),
      unit: "x",
      limit: limits[engine.name].bytes,
      timing: false,
    },
    {
      id: `${engine.name}.steps_time`,
      what: `milliseconds of the last steps of ${many} against those of the first ${few}`,
      value: round(last / first),
      unit: "x",
      limit: 3,
      timing: true,
      details: { first_ms: round(first), last_ms: round(last), heap_kb_per_step: round(long.memory / many / 1024) },
    },
  ];
}

/** A turn that is killed in the middle: how long it takes another process to be where it was, and to read the session. */
async function goingOn(engine: Engine, quick: boolean): Promise<Figure> {
  const steps = quick ? 120 : 1000;
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const held = Promise.withResolvers<void>();
  const hangs = workerModel(both, (step) => {
    if (step < steps / 2) return undefined;
    held.resolve();
    return new Promise<void>(() => {});
  });
  const dying = await opened(store, agentOf(hangs, "idempotent"));
  const { offset } = await dying.session.post(String(steps));
  await held.promise;
  await dying.runtime.close({ drainMs: 0 });
  const asked = Promise.withResolvers<number>();
  const model = workerModel(both, () => asked.resolve(performance.now()));
  const began = performance.now();
  const runtime = await createRuntime({ store, agents: [agentOf(model, "idempotent")] });
  const session = await runtime.sessions.get(dying.session.id);
  const outcome = session.outcome(offset);
  const resumed = (await asked.promise) - began;
  const { status } = await outcome;
  if (status !== "completed") throw new Error(`A turn that goes on ended as ${status}.`);
  const loaded = performance.now();
  await session.state();
  await session.messages({ last: 20 });
  const load = performance.now() - loaded;
  await runtime.close();
  await store.close();
  await database.remove();
  return {
    id: `${engine.name}.steps_resume`,
    what: `from the start of a process to the next model call of a turn of ${steps} steps that was killed at ${steps / 2}`,
    value: round(resumed),
    unit: "ms",
    limit: 1_000,
    timing: true,
    details: { load_ms: round(load) },
  };
}

/** What steps and tools cost. */
export async function steps(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  return [...(await commitFigures(engine, quick)), ...(await growth(engine, quick)), await goingOn(engine, quick)];
}
