/** Where the relationship with a person stands: what they worry about, what is open, what they are after. */
import { inForce, type Arc, type Fact, type Kept } from "../entry.ts";
import type { SessionMemory } from "../recalled.ts";
import { oneLine } from "../write/render.ts";

/** At most so many of a kind. */
const most = 3;

const shown = (entry: Fact | Arc): boolean => inForce(entry) && entry.never_recall !== true;
const lastSaid = ({ sources }: Fact): number => sources.at(-1)?.at ?? sources[0].at;
const newestFirst = (facts: readonly Fact[]): readonly Fact[] =>
  facts.toSorted((a, b) => lastSaid(b) - lastSaid(a) || (a.object.id < b.object.id ? -1 : 1));

const isConcern = ({ predicate, object, valid_to }: Fact): boolean =>
  valid_to === undefined && (predicate === "WORRIES_ABOUT" || object.type === "Concern");
const isGoal = ({ category, object, valid_to }: Fact): boolean => valid_to === undefined && (category === "goal" || object.type === "Goal");

/** What the last arc, as it may be told, and the facts in force come to. */
export function sessionMemoryOf(facts: Iterable<Kept<Fact>>, last: Arc | undefined): SessionMemory {
  const concerns: Fact[] = [];
  const goals: Fact[] = [];
  for (const { entry } of facts) {
    if (!shown(entry)) continue;
    if (isConcern(entry)) concerns.push(entry);
    else if (isGoal(entry)) goals.push(entry);
  }
  return {
    summary: oneLine(last?.summary ?? ""),
    active_concerns: [...new Set(newestFirst(concerns).map(({ object }) => oneLine(object.id)))].slice(0, most),
    open_loops: (last?.open_loops ?? []).filter((loop) => !(last?.resolved ?? []).includes(loop)).slice(0, most),
    current_goal: newestFirst(goals)[0]?.object.id ?? last?.goal ?? null,
  };
}

/** The arc that ended last, of those that may be told; of two at once the one with the greater id. */
export function latestArc(arcs: Iterable<Kept<Arc>>): Kept<Arc> | undefined {
  let latest: Kept<Arc> | undefined;
  for (const arc of arcs) {
    if (!shown(arc.entry)) continue;
    const after = latest === undefined ? 1 : arc.entry.ended_at - latest.entry.ended_at || (arc.entry_id > latest.entry_id ? 1 : -1);
    if (after > 0) latest = arc;
  }
  return latest;
}
