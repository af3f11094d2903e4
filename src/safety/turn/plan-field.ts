import type { JsonObject } from "../../kernel/json.ts";
import { withdrawnPlan } from "../crisis/withdrawn.ts";
import type { CrisisPlan } from "../plan.ts";
import { foldState } from "../../session/fold.ts";
import type { LoadedSession } from "../../store/port.ts";

/** The field of the state that a crisis is kept in. */
export const planField = "safety_plan";

/** The crisis that a session is in, as its state says; the gate alone writes it. */
export function planIn(loaded: LoadedSession): CrisisPlan | undefined {
  const { [planField]: plan } = foldState(loaded).document as { readonly [planField]?: CrisisPlan };
  return plan;
}

/** The state that is left when messages are taken back: as it was before them, but for the danger that they have shown. */
export function withdrawnState(before: JsonObject, now: JsonObject): JsonObject {
  const plans = [before, now].map(({ [planField]: plan }) => plan as unknown as CrisisPlan | undefined);
  const plan = withdrawnPlan(plans[0], plans[1]);
  // Codes, flags and times: plain data by its type.
  return plan === undefined ? before : { ...before, [planField]: plan as unknown as JsonObject };
}
