/** The judge of a round. It knows logs, what callers were told and what readers were shown, and nothing of how any of it came about. */
import { judgeDeeds } from "./law-deeds.ts";
import { judgeSession, type TurnCounts } from "./law-log.ts";
import { judgeReaders } from "./law-readers.ts";
import type { World } from "./world.ts";

export interface Verdict extends TurnCounts {
  readonly events: number;
  /** Events and drafts that readers were shown. */
  readonly delivered: number;
  readonly drafts: number;
  readonly violations: readonly string[];
}

/** Everything of a round that does not hold, and how much was seen. */
export function judge(world: World): Verdict {
  const violations: string[] = [];
  const wrong = (text: string): void => void violations.push(text);
  const counts = { answered: 0, stopped: 0, superseded: 0, poisoned: 0, lost: 0, doubled: 0 };
  for (const session of world.sessions) {
    const found = judgeSession(session, world, (text) => wrong(`${session.id}: ${text}`));
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += found[name];
  }
  judgeDeeds(world, wrong);
  judgeReaders(world, wrong);
  const items = world.traces.flatMap((trace) => trace.items);
  return {
    ...counts,
    events: world.sessions.reduce((sum, { events }) => sum + events.length, 0),
    delivered: items.filter(({ type }) => type === "event").length,
    drafts: items.filter(({ type }) => type === "draft").length,
    violations,
  };
}
