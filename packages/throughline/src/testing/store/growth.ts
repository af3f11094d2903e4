/** Growth kit: the cost of a session must not grow with its length. */
import { ok } from "node:assert/strict";
import { systemClock } from "../../kernel/clock.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import { event, message, asked, queue, append, newSession } from "./fixtures.ts";

/** Maximum ratios of figures at the end to those at the beginning. Times are compared within one run, so the speed of the machine does not matter. */
export interface StoreGrowthLimits {
  /** Bytes per turn. Default 1.3. */
  readonly bytes: number;
  /** Time of a turn's commits, relative to a session of 30 turns. Default 3. */
  readonly commit: number;
  /** Time of loading the state and the last 20 messages, relative to a session of 30 turns. Default 3. */
  readonly load: number;
  /** Time of reading a page of 50 events at the end and in the middle of the log, relative to its beginning. Default 3. */
  readonly read: number;
}

/** Options of {@link checkStoreGrowth}. */
export interface StoreGrowthOptions {
  /** Number of turns of the long session. Default 1,000, at least 200. */
  readonly turns?: number;
  /** Returns the size of the database in bytes, including data not yet copied into its files. If absent, bytes are not measured. */
  readonly measure?: () => Promise<number>;
  readonly limits?: Partial<StoreGrowthLimits>;
}

/** A figure at the beginning, one at the end, and their ratio. */
export interface GrowthFigure {
  readonly first: number;
  readonly last: number;
  readonly ratio: number;
}

/** Measured figures: bytes per turn, and milliseconds. */
export interface StoreGrowthReport {
  readonly turns: number;
  readonly bytes?: GrowthFigure;
  readonly commit: GrowthFigure;
  readonly load: GrowthFigure;
  readonly read: GrowthFigure;
}

const shortSession = 30;
/** Checkpoints have equal distances, so that every part of the session has the same number. */
const checkpointEvery = 25;
const text = "It had slept badly and would rather talk about the weather than about the garden. ".repeat(5);

const figure = (first: number, last: number): GrowthFigure => ({ first, last, ratio: last / Math.max(first, Number.EPSILON) });

/** Returns the lower quartile. A pause of the machine makes single calls slower, never faster. */
const lowerQuartile = (times: readonly number[]): number => times.toSorted((left, right) => left - right)[Math.floor(times.length / 4)] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - began;
}

/** Writes a turn as a runtime does: a message, then the reply with its results. */
async function turn(store: Store, session_id: SessionId, number: number): Promise<void> {
  await append(store, session_id, {
    events: [asked(`${number} ${text}`)],
    queue: queue(),
    idempotency: { key: `message-${number}`, body_hash: "b" },
  });
  await append(store, session_id, {
    events: [
      event("turn", { type: "started" }, { turn: number }),
      event("state", { patch: [{ op: "replace", path: "/turns", value: number }] }, { turn: number }),
      message(`${number} ${text}`, { turn: number, source: "ai_agent" }),
      event("turn", { type: "ended" }, { turn: number }),
    ],
    start_turn: { number, event: 0 },
    end_turns: [number],
    ...(number % checkpointEvery === 0 ? { checkpoint: { turns: number } } : {}),
  });
}

/** Measures two kinds of work alternately, so that other load affects both. */
async function compared(first: () => Promise<unknown>, last: () => Promise<unknown>): Promise<GrowthFigure> {
  const times: [number[], number[]] = [[], []];
  for (let sample = 0; sample < 60; sample++) {
    times[0].push(await timed(first));
    times[1].push(await timed(last));
  }
  return figure(lowerQuartile(times[0]), lowerQuartile(times[1]));
}

/** Writes the long session and returns the bytes per turn in its first and last part. */
async function lengthen(
  store: Store,
  session_id: SessionId,
  options: { readonly turns: number; readonly measure: StoreGrowthOptions["measure"] },
): Promise<GrowthFigure | undefined> {
  const { turns, measure } = options;
  const part = Math.floor(turns / 4 / checkpointEvery) * checkpointEvery;
  const marks = new Set([checkpointEvery, checkpointEvery + part, turns - part, turns]);
  const sizes: number[] = [];
  for (let number = 1; number <= turns; number++) {
    await turn(store, session_id, number);
    if (measure !== undefined && marks.has(number)) sizes.push(await measure());
  }
  const [first = 0, second = 0, third = 0, last = 0] = sizes;
  return measure === undefined ? undefined : figure((second - first) / part, (last - third) / part);
}

/**
 * Writes one session of many turns. Measures bytes and time per turn, loading the state with the last 20 messages, and reading a page. Rejects with
 * all figures if one of them exceeds its limit, else resolves with them. The store from `open` must be empty.
 */
export async function checkStoreGrowth(open: () => Promise<Store>, options: StoreGrowthOptions = {}): Promise<StoreGrowthReport> {
  const { turns: asked = 1000, measure, limits: given } = options;
  const turns = Math.ceil(Math.max(200, asked) / checkpointEvery) * checkpointEvery;
  const limits: StoreGrowthLimits = { bytes: 1.3, commit: 3, load: 3, read: 3, ...given };
  const store = await open();
  try {
    const [short, long] = [await newSession(store), await newSession(store)];
    for (let number = 1; number <= shortSession; number++) await turn(store, short, number);
    const bytes = await lengthen(store, long, { turns, measure });
    let [shorter, longer] = [shortSession, turns];
    const commit = await compared(
      () => turn(store, short, ++shorter),
      () => turn(store, long, ++longer),
    );
    const page = (session_id: SessionId, min_offset: number) => (): Promise<unknown> => store.read({ session_id, min_offset, limit: 50 });
    const load = await compared(
      () => store.load({ session_id: short, messages: 20 }),
      () => store.load({ session_id: long, messages: 20 }),
    );
    const end = await compared(page(short, 0), page(long, turns * 5 - 60));
    const middle = await compared(page(short, 0), page(long, Math.floor(turns * 2.5)));
    const report = { turns, ...(bytes && { bytes }), commit, load, read: end.ratio > middle.ratio ? end : middle };
    const over = (["bytes", "commit", "load", "read"] as const).filter((name) => (report[name]?.ratio ?? 0) > limits[name]);
    const lines = over.map((name) => `  ${name}: ${describe(report[name])}, at most ${limits[name]} times as much`);
    ok(over.length === 0, `The cost of a session grows with its length (${turns} turns):\n${lines.join("\n")}`);
    return report;
  } finally {
    await store.close();
  }
}

const describe = (found: GrowthFigure | undefined): string =>
  found === undefined ? "" : `${found.first.toFixed(3)} at first, ${found.last.toFixed(3)} at last, ${found.ratio.toFixed(2)} times as much`;
