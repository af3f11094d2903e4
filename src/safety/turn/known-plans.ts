import { setRecent } from "../../kernel/recent.ts";
import type { CrisisPlan } from "../crisis-plan.ts";

/** Where a crisis stands, as this process knows it. */
export interface KnownPlan {
  readonly plan: CrisisPlan;
  /** Whether a store has it too. */
  readonly saved: boolean;
  /** Whose session it is, where it is a customer's. */
  readonly customer?: string | undefined;
}

/** Crises that this process has seen lately, by session: what there is to go by while no store can be read. */
export interface KnownPlans {
  get(session_id: string): KnownPlan | undefined;
  set(session_id: string, known: KnownPlan): void;
}

/** Sessions whose crises are known at most; the one that was heard of longest ago is given up first. */
const mostPlans = 1_000;

/** None yet. */
export function knownPlans(): KnownPlans {
  const plans = new Map<string, KnownPlan>();
  return Object.freeze({
    get: (session_id: string) => plans.get(session_id),
    set: (session_id: string, known: KnownPlan) => {
      setRecent(plans, session_id, known, mostPlans);
    },
  });
}
