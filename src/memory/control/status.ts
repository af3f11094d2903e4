import { inForce } from "../entry.ts";
import type { MemoryStatus } from "./owner-memory.ts";
import type { MemorySnapshot } from "./snapshot.ts";

/** How much is remembered; history is not counted. */
export function statusOf({ facts, turns, arcs, profile, buffers, version }: MemorySnapshot): MemoryStatus {
  const active = { facts: facts.filter(({ entry }) => inForce(entry)), turns: turns.filter(({ entry }) => inForce(entry)) };
  const told = arcs.filter(({ entry }) => inForce(entry));
  return Object.freeze({
    facts: active.facts.length,
    turns: active.turns.length,
    arcs: told.length,
    rules: profile.rules.length,
    held: buffers.reduce((sum, { entry }) => sum + entry.held.length, 0),
    never_recalled: [...active.facts, ...active.turns, ...told].filter(({ entry }) => entry.never_recall === true).length,
    recall_enabled: profile.recall_enabled,
    version,
  });
}
