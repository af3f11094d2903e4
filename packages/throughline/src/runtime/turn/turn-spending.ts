/** What a turn has spent, from its log entries. */
import { present } from "../../kernel/json.ts";
import { addSpent, createSpent, nothingSpent, type Spent, type StoredSpent, storedSpent, storedUsage } from "../../execution/ledger.ts";
import type { StepId } from "../../kernel/id.ts";
import type { Event, TurnData } from "../../session/event.ts";
import type { ModelAnswer } from "../loop/ask.ts";

/** Returns the log entry of an answered model call. */
export const stepEntry = (
  step: Pick<ModelAnswer, "usage" | "finish_reason"> & { readonly step_id: StepId; readonly started_at: number; readonly ended_at: number },
  { cost, model }: { readonly cost?: number | undefined; readonly model?: string } = {},
): TurnData => ({
  type: "step",
  step_id: step.step_id,
  ...present({ model }),
  usage: storedUsage(step.usage),
  finish_reason: step.finish_reason,
  ms: step.ended_at - step.started_at,
  ...present({ cost }),
});

/**
 * Returns what a turn has spent, from its own events: answered and failed model calls, tokens, active time, and the cost of child agents. Each is
 * counted once, however often the turn was resumed. Calls that wait for child agents already contain the time of those agents, so it is not added
 * again.
 */
export function spentOf(events: readonly Event[]): StoredSpent {
  const counted = new Set<string>();
  let spent: Spent = nothingSpent;
  for (const event of events) {
    const entry = entryOf(event);
    if (entry === undefined) continue;
    const key = `${event.turn_id ?? ""} ${entry.id}`;
    if (counted.has(key)) continue;
    counted.add(key);
    spent = addSpent(spent, createSpent(entry.spent));
  }
  return storedSpent(spent);
}

/** Returns the spending that an event records, and the id that it counts for. Entries with the same id count once. */
function entryOf({ kind, data, id }: Event): { readonly id: string; readonly spent: StoredSpent } | undefined {
  if (kind === "tool" && data.type === "returned" && data.spent !== undefined) return { id: data.call_id, spent: { ...data.spent, active_ms: 0 } };
  if (kind !== "turn") return undefined;
  switch (data.type) {
    case "step":
      return { id: data.step_id, spent: { steps: 1, tokens: data.usage, active_ms: data.ms, cost: data.cost ?? 0 } };
    case "spent":
      return { id, spent: { steps: 1, tokens: data.usage, active_ms: data.ms, cost: data.cost ?? 0 } };
    case "attempt":
      return { id, spent: { attempts: 1, active_ms: data.ms } };
    case "merged":
      return { id, spent: { active_ms: data.ms } };
    default:
      return undefined;
  }
}
