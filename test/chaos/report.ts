import type { SessionId, Store } from "../../src/index.ts";
import { type Verdict, judge, logOf } from "./law.ts";
import { judgeTrace } from "./reader.ts";
import type { Aftermath } from "./storm.ts";

export interface StormReport extends Omit<Verdict, "violations"> {
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

/** Judges all sessions of a storm. */
export async function reportOn({ store, sessions, seen, traces }: Aftermath): Promise<StormReport> {
  const violations = [...seen.wrong];
  const logs: string[] = [];
  const sum = { events: 0, accepted: 0, answered: 0, stopped: 0, superseded: 0, poisoned: 0, withdrawn: 0, lost: 0, doubled: 0, checkpoints: 0 };
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
    const broken = [...verdict.violations, ...misread];
    violations.push(...broken.map((violation) => `${name}: ${violation}`));
    if (broken.length > 0) logs.push(await dump(store, name, session_id));
  }
  const delivered = traces.reduce((total, { lines }) => total + lines.length, 0);
  return { ...sum, sessions: sessions.size, acknowledged: seen.acknowledged.length, resent: seen.resent, delivered, violations, logs };
}
