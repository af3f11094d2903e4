import type { SessionId, Store } from "../../packages/throughline/src/index.ts";
import { foldState } from "../../packages/throughline/src/session/fold.ts";
import { callsTools } from "./agent.ts";
import { type Verdict, judge, logOf } from "./law.ts";
import type { Done } from "./outside.ts";
import { judgeTrace } from "./reader.ts";
import type { Aftermath } from "./storm.ts";
import { type ToolCounts, childrenIn, judgeTools, keysIn, noCalls } from "./tool-law.ts";

export interface StormReport extends Omit<Verdict, "violations">, ToolCounts {
  readonly sessions: number;
  readonly acknowledged: number;
  readonly resent: number;
  /** Events that readers have seen, all readers together. */
  readonly delivered: number;
  /** Each with the session that it is about. */
  readonly violations: readonly string[];
  /** Logs of the sessions that broke a law, as JSON lines. */
  readonly logs: readonly string[];
}

async function dump(store: Store, name: string, session_id: SessionId): Promise<string> {
  const row = await store.open({ session_id });
  const lines: string[] = [`# ${name}: ${JSON.stringify(row)}`];
  const head = row?.head ?? -1;
  for (let min_offset = 0; min_offset <= head; min_offset += 1000) {
    const page = await store.read({ session_id, min_offset, max_offset: min_offset + 999, withdrawn: true, limit: 1000 });
    for (const { offset, kind, source, turn_id, data } of page?.events ?? [])
      lines.push(JSON.stringify({ offset, kind, source, turn: turn_id?.split("_").at(-1), data }));
  }
  return lines.join("\n");
}

const add = <Counts extends object>(sum: Counts, more: Counts): Counts =>
  Object.fromEntries(Object.entries(sum).map(([name, count]) => [name, count + (more as Readonly<Record<string, number>>)[name]])) as Counts;

/** What is to be said of the calls of a session, and of those of its child agents. */
export interface ToolVerdict {
  readonly counts: ToolCounts;
  /** Keys of the calls that are on record. */
  readonly keys: readonly string[];
  readonly violations: readonly string[];
  /** Sessions of child agents, as JSON lines, if anything is wrong. */
  readonly logs: readonly string[];
}

/** Judges the calls of a session, and its child agents by all laws. */
export async function judgeFamily(store: Store, session_id: SessionId, done: ReadonlyMap<string, Done>): Promise<ToolVerdict> {
  const violations: string[] = [];
  const logs: string[] = [];
  const events = await logOf(store, session_id);
  const loaded = await store.load({ session_id, messages: 0 });
  if (loaded === undefined) throw new Error(`Session ${session_id} is gone.`);
  let counts = judgeTools(events, { state: foldState(loaded).document, done, wrong: (text) => void violations.push(text) });
  const keys = [...keysIn(events)];
  for (const child of await childrenIn(store, events)) {
    const own = await judge(store, child, []);
    const verdict = await judgeFamily(store, child, done);
    counts = add(counts, { ...verdict.counts, children: verdict.counts.children + 1 });
    keys.push(...verdict.keys);
    const wrong = [...own.violations, ...verdict.violations];
    violations.push(...wrong.map((text) => `child ${child}: ${text}`));
    if (wrong.length > 0) logs.push(await dump(store, "child", child), ...verdict.logs);
  }
  return { counts, keys, violations, logs };
}

/** Judges all sessions of a storm. */
export async function reportOn({ store, sessions, seen, done, traces }: Aftermath): Promise<StormReport> {
  const violations = [...seen.wrong];
  const logs: string[] = [];
  const sum = { events: 0, accepted: 0, answered: 0, stopped: 0, superseded: 0, poisoned: 0, withdrawn: 0, lost: 0, doubled: 0, checkpoints: 0 };
  let counts = noCalls;
  const keys = new Set<string>();
  for (const [name, session_id] of sessions) {
    const verdict = await judge(
      store,
      session_id,
      seen.acknowledged.filter((message) => message.session === name),
    );
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += verdict[key];
    const log = await logOf(store, session_id);
    const misread = traces
      .filter((trace) => trace.session === name)
      .flatMap(({ reader, lines }) => judgeTrace(lines, log).map((violation) => `reader ${reader}: ${violation}`));
    const tools = callsTools(name) ? await judgeFamily(store, session_id, done) : undefined;
    if (tools !== undefined) counts = add(counts, tools.counts);
    for (const key of tools?.keys ?? []) keys.add(key);
    const broken = [...verdict.violations, ...misread, ...(tools?.violations ?? [])];
    violations.push(...broken.map((violation) => `${name}: ${violation}`));
    if (broken.length > 0) logs.push(await dump(store, name, session_id), ...(tools?.logs ?? []));
  }
  for (const key of done.keys()) if (!keys.has(key)) violations.push(`${key} was done, and no log says that it was begun`);
  const delivered = traces.reduce((total, { lines }) => total + lines.length, 0);
  return { ...sum, ...counts, sessions: sessions.size, acknowledged: seen.acknowledged.length, resent: seen.resent, delivered, violations, logs };
}
