/** A crisis as state: what is known, asked and given, so that following through does not depend on a model's memory. */
import type { RiskSubject, RiskType, SafetyLevel } from "./assessment.ts";

/** What is asked in a crisis, in this order; each once, until the state changes. */
export const planQuestions = ["suicide", "plan", "means", "time", "someone", "willing", "barriers"] as const;
/** A question of the plan. */
export type PlanQuestion = (typeof planQuestions)[number];

/** What came of a question: `evaded` if something else was said, `unknown` if the answer could not be read. */
export type PlanAnswer = "yes" | "no" | "evaded" | "unknown";

/** Where a crisis stands. A field of the state, `safety_plan`, which the gate alone writes; absent before the first level above 0. */
export interface CrisisPlan {
  /** Levels of the last ten turns, oldest first, as the turns themselves have shown them: a floor is not counted, or it would hold itself up. */
  readonly window: readonly { readonly level: SafetyLevel; readonly at: number }[];
  /** The highest level of the crisis that is open; 0 once it is over. */
  readonly highest: SafetyLevel;
  readonly subject: RiskSubject;
  readonly risk_types: readonly RiskType[];
  /** Language that the person writes in, as the screen names it. */
  readonly language?: string;
  /** When it last was 2 or more, and how many turns ago that is. */
  readonly last_high_at?: number;
  readonly turns_since_high?: number;
  /** Turns since the last one that was above 0. */
  readonly calm_turns: number;
  /** What was asked, and what came of it. */
  readonly answers: Partial<Readonly<Record<PlanQuestion, PlanAnswer>>>;
  readonly asked: readonly PlanQuestion[];
  /** The question that the last reply ended with. */
  readonly last_asked?: PlanQuestion;
  /** What this turn has told: the place, or the answer yes or no to the question before it. */
  readonly heard?: "place" | PlanQuestion;
  readonly location_asked: boolean;
  readonly location_refused: boolean;
  /** ISO codes of the region that the person has named. */
  readonly regions: readonly string[];
  /** Ids of the resources that were given, and when. */
  readonly given: readonly string[];
  readonly emergency_given: boolean;
  readonly human_care_given: boolean;
  readonly coping_given: boolean;
  readonly ai_limits_given: boolean;
  /** Counts the replies, to vary what they say. */
  readonly replies: number;
}

/** What the reply of a turn does. */
export interface PlanStep {
  /** The question that it ends with. */
  readonly ask?: PlanQuestion | "location";
  readonly give: readonly ("emergency" | "someone" | "distance" | "resources" | "resources_again" | "human_care" | "coping" | "ai_limits")[];
}
