import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import type { Screened } from "../../packages/throughline/src/safety/screen/screened.ts";

/** What a screen might find. */
export const screenedAs = (level: SafetyLevel, more: Partial<Screened> = {}): Screened => ({
  ...{ level, matches: [], risk_types: [], subject: "self", quality: "full", distress: false, concepts: [] },
  ...more,
});
