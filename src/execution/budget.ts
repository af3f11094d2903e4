import { ThroughlineError, seen } from "../kernel/error.ts";
import type { StopSignal } from "./stop.ts";

/** Limits of one execution. What is left out has no limit. */
export interface Budget {
  /** Model calls that ended. */
  readonly steps?: number;
  /** Seconds with at least one model call in flight, over all resumes. */
  readonly seconds?: number;
}

/** What an execution has spent. */
export interface Spent {
  readonly steps: number;
  /** Milliseconds with at least one model call in flight. */
  readonly active_ms: number;
}

/** A budget as given, checked: `budget.invalid` names the limit that is not a non-negative number. */
export function createBudget(limits: Budget): Budget {
  for (const [name, value] of Object.entries(limits)) {
    if (name !== "steps" && name !== "seconds")
      throw new ThroughlineError("budget.invalid", `A budget has no limit "${name}"; it has steps and seconds.`);
    if (typeof value !== "number" || Number.isNaN(value) || value < 0) {
      throw new ThroughlineError("budget.invalid", `The budget's ${name} must be a non-negative number, got ${seen(value)}.`, {
        details: { limit: name },
      });
    }
  }
  return Object.freeze({ ...limits });
}

/** A signal for every limit that leaves no room for another step. */
export function exhausted(budget: Budget, spent: Spent): readonly StopSignal[] {
  const signals: StopSignal[] = [];
  if (budget.steps !== undefined && spent.steps >= budget.steps) {
    signals.push({ reason: "steps_limit", message: `${spent.steps} of ${budget.steps} steps are spent.`, source: "budget" });
  }
  if (budget.seconds !== undefined && spent.active_ms >= budget.seconds * 1000) {
    signals.push({
      reason: "time_limit",
      message: `${(spent.active_ms / 1000).toFixed(1)} of ${budget.seconds} seconds are spent.`,
      source: "budget",
    });
  }
  return signals;
}

/** Milliseconds until the time limit, for a timer; undefined without one. */
export const remainingMs = (budget: Budget, spent: Spent): number | undefined =>
  budget.seconds === undefined ? undefined : Math.max(0, budget.seconds * 1000 - spent.active_ms);
