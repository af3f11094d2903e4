import type { CrisisPlan } from "../../safety/plan.ts";
import { foldState } from "../../session/fold.ts";
import type { LoadedSession } from "../../store/port.ts";

/** The field of the state that a crisis is kept in. */
export const planField = "safety_plan";

/** The crisis that a session is in, as its state says; the gate alone writes it. */
export function planIn(loaded: LoadedSession): CrisisPlan | undefined {
  const { [planField]: plan } = foldState(loaded).document as { readonly [planField]?: CrisisPlan };
  return plan;
}
