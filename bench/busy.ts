/**
 * Many sessions at once in one process: what they get done together, what that does to the event loop, and what a slow session does to the one beside
 * it.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  type Agent,
  type Runtime,
  type Session,
  type Store,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../packages/throughline/src/index.ts";
import { textOf, turnBytes } from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, quantile, round } from "./figures.ts";

/** Sessions that are busy at the same time. */
const many = 64;

/** Milliseconds that the model takes, as a fast one would. */
const modelMs = 20;

const state = defineState({
  message: input(z.string()),
  turns: reduced(z.number(), { reduce: counter() }),
  notes: reduced(z.array(z.string())),
});

/** Counts turns and adds so many notes in each; the model answers after `ms` in two pieces. */
function busyAgent(name: string, ms: number, notes = 0): Agent {
  const added = Array.from({ length: notes }, (_, index) => textOf(100, index));
  const note = stage("note", { state, writes: ["turns", "notes"] }, () => ({ turns: 1, ...(notes === 0 ? {} : { notes: added }) }));
  const model = scripted((_request, call) => {
    const text = textOf(turnBytes / 2, call);
    let waited = false;
    const wait = async (): Promise<void> => {
      if (ms > 0 && !waited) await delay(ms);
      waited = true;
    };
    return { text: [text.slice(0, 100), text.slice(100)], wait };
  });
  return defineAgent({ name, version: 1, state, stages: [note], reply: loop({ model }) });
}

const runtimeOf = (store: Store, agents: readonly Agent[]): Promise<Runtime> => createRuntime({ store, agents, concurrency: 2 * many });

const sessionsOf = (runtime: Runtime, agent: string, count: number): Promise<readonly Session[]> =>
  Promise.all(Array.from({ length: count }, () => runtime.sessions.create({ agent })));

async function turn(session: Session, number: number): Promise<number> {
  const began = performance.now();
  const { status } = await session.send(textOf(turnBytes / 2, number));
  if (status !== "completed") throw new Error(`A turn of the benchmark ended as ${status}.`);
  return performance.now() - began;
}

/** Each session sends one message after the other until the time is up; turns per second of all together. */
async function rate(sessions: readonly Session[], ms: number): Promise<number> {
  const began = performance.now();
  let turns = 0;
  const talk = async (session: Session): Promise<void> => {
    while (performance.now() - began < ms) {
      await turn(session, turns);
      turns += 1;
    }
  };
  await Promise.all(sessions.map(talk));
  return (turns * 1000) / (performance.now() - began);
}

/** Runs `work`; the 99th percentile of how late the event loop's timers were meanwhile, in milliseconds. */
async function withLoopDelay<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly p99: number; readonly max: number }> {
  const resolution = 1;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  const result = await work();
  histogram.disable();
  const late = (ns: number): number => Math.max(0, ns / 1e6 - resolution);
  return { result, p99: late(histogram.percentile(99)), max: late(histogram.max) };
}

/** 64 busy sessions against one, with a model of `ms`. */
async function throughput(engine: Engine, ms: number, quick: boolean, asserted: boolean): Promise<readonly Figure[]> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "full" });
  const runtime = await runtimeOf(store, [busyAgent("busy", ms)]);
  const sessions = await sessionsOf(runtime, "busy", many);
  const [first] = sessions;
  if (first === undefined) throw new Error("There is no session.");
  const span = quick ? 400 : 3000;
  await rate(sessions, span / 2);
  const alone = await rate([first], span);
  const together = await withLoopDelay(() => rate(sessions, span));
  await runtime.close();
  await store.close();
  await database.remove();
  const details = { one_per_s: round(alone), many_per_s: round(together.result), times: round(together.result / alone), model_ms: ms };
  const id = `${engine.name}.busy_${ms}ms`;
  return [
    {
      id,
      what: `turns per second of one session as a part of those of ${many}, all at FULL, the model takes ${ms} ms`,
      value: round(alone / together.result),
      unit: "x",
      ...(asserted ? { limit: 0.1 } : {}),
      timing: true,
      details,
    },
    {
      id: `${id}_loop`,
      what: `delay of the event loop with ${many} busy sessions, 99th percentile`,
      value: round(together.p99),
      unit: "ms",
      // A short look on a machine that does other things too says little about single milliseconds.
      ...(asserted && !quick ? { limit: 20 } : {}),
      timing: true,
      details: { max_ms: round(together.max) },
    },
  ];
}

/** Latency of a session's turns by itself and beside one with a slow model and a large state, by turns, so that both see the same machine. */
async function neighbour(engine: Engine, quick: boolean): Promise<Figure> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "full" });
  const slowMs = 10 * modelMs;
  const runtime = await runtimeOf(store, [busyAgent("quick", modelMs), busyAgent("slow", slowMs, 50)]);
  const [session] = await sessionsOf(runtime, "quick", 1);
  const [other] = await sessionsOf(runtime, "slow", 1);
  if (session === undefined || other === undefined) throw new Error("There is no session.");
  const notes = Array.from({ length: quick ? 2000 : 10_000 }, (_, index) => textOf(100, index));
  await other.edit({ notes });
  const alone: number[] = [];
  const beside: number[] = [];
  const [rounds, each] = quick ? [2, 20] : [10, 50];
  for (let number = 0; number < each; number++) await turn(session, number);
  for (let round = 0; round < rounds; round++) {
    for (let number = 0; number < each; number++) alone.push(await turn(session, number));
    const over = new AbortController();
    const talk = async (): Promise<void> => {
      while (!over.signal.aborted) await turn(other, round);
    };
    const talking = talk();
    for (let number = 0; number < each; number++) beside.push(await turn(session, number));
    over.abort();
    await talking;
  }
  const stateBytes = JSON.stringify((await other.state()).document).length;
  await runtime.close();
  await store.close();
  await database.remove();
  const [p99, p99Beside] = [quantile(alone, 0.99), quantile(beside, 0.99)];
  return {
    id: `${engine.name}.beside_slow`,
    what: "99th percentile of a session's turns beside a session with a slow model and a large state, against without",
    value: round(p99Beside / p99),
    unit: "x",
    limit: 2,
    timing: true,
    details: {
      p99_ms: round(p99),
      beside_p99_ms: round(p99Beside),
      median_ms: round(median(alone)),
      beside_median_ms: round(median(beside)),
      slow_model_ms: slowMs,
      state_bytes: stateBytes,
    },
  };
}

/** What many sessions in one process get done, and what they do to each other. */
export async function busy(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  return [
    // The server shares the machine that is measured, so on PostgreSQL the figures are for information.
    ...(await throughput(engine, modelMs, quick, engine.name === "sqlite")),
    ...(quick ? [] : await throughput(engine, 0, quick, false)),
    await neighbour(engine, quick),
  ];
}
