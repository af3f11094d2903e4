import type { CrisisPlan } from "../../packages/throughline/src/safety/crisis-plan.ts";

/** A plan of a crisis in which nothing was done yet. */
export const planWith = (more: Partial<CrisisPlan> = {}): CrisisPlan => ({
  ...{ window: [], highest: 1, subject: "self", risk_types: [], calm_turns: 0, answers: {}, asked: [] },
  ...{ location_asked: false, location_refused: false, regions: [], given: [] },
  ...{ emergency_given: false, human_care_given: false, coping_given: false, ai_limits_given: false, replies: 0 },
  ...more,
});
