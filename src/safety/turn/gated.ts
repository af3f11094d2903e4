import type { Assessment } from "../assessment.ts";
import type { CrisisPlan, PlanStep } from "../plan.ts";
import type { ResourceLookup } from "../resources/resource.ts";

/** What a turn's gate has come to. */
export interface Gated {
  readonly assessment: Assessment;
  /** Where the crisis stands with this turn; undefined as long as there was none. */
  readonly plan: CrisisPlan | undefined;
  /** What the reply does. */
  readonly step: PlanStep;
  readonly lookup: ResourceLookup;
  readonly ms: { readonly gate: number; readonly screen: number; readonly llm?: number };
}
