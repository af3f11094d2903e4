/** What a reply changes in the plan. */
import type { CrisisPlan, PlanStep } from "../plan.ts";
import { directoriesGiven, distanceGiven, numberGiven } from "./next-step.ts";

/** What a reply has done. */
export interface Replied {
  readonly step: PlanStep;
  /** Ids of the resources that it showed; empty if it showed the directories or none. */
  readonly resources: readonly string[];
  /** Whether the emergency number of the place was known; without one, a reply names none. */
  readonly numbered?: boolean;
}

/** The plan after a reply that followed a step: what was asked and given will not be again. */
export function afterReply(plan: CrisisPlan, { step: { ask, give }, resources, numbered = false }: Replied): CrisisPlan {
  const { last_asked: _before, ...rest } = plan;
  const directories = resources.length === 0 && give.includes("resources") ? [directoriesGiven] : [];
  const number = numbered && give.includes("emergency") ? [numberGiven] : [];
  const shown = [...resources, ...directories, ...number, ...(give.includes("distance") ? [distanceGiven] : [])];
  const question = ask === undefined || ask === "location" ? undefined : ask;
  return Object.freeze({
    ...rest,
    ...(question === undefined ? {} : { last_asked: question, asked: [...plan.asked.filter((asked) => asked !== question), question] }),
    location_asked: plan.location_asked || ask === "location",
    given: [...new Set([...plan.given, ...shown])],
    emergency_given: plan.emergency_given || give.includes("emergency"),
    human_care_given: plan.human_care_given || give.includes("human_care"),
    coping_given: plan.coping_given || give.includes("coping"),
    ai_limits_given: plan.ai_limits_given || give.includes("ai_limits"),
    replies: plan.replies + 1,
  });
}
