/** A crisis as state: what is known, asked and given, so that following through does not depend on a model's memory; and how long a crisis stays one. */
import type { RiskSubject, RiskType, SafetyLevel } from "./assessment.ts";
import type { ScreenContext } from "./screen/screened.ts";

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

/** After a level of 2 or more, no turn is below 1 for this many turns or this long, whichever lasts longer. */
export const stickyTurns = 6;
/** In milliseconds. */
export const stickyMs = 24 * 60 * 60 * 1000;
/** Turns without anything after which an unclear moment, which was no crisis, is over. */
const calmTurns = 6;

/** Whether the floor after a level of 2 or more holds for the turn that comes next. A clock that was set back keeps it. */
export function isSticky(plan: CrisisPlan | undefined, now: number): boolean {
  const { last_high_at, turns_since_high = 0 } = plan ?? {};
  return last_high_at !== undefined && (turns_since_high < stickyTurns || now - last_high_at < stickyMs);
}

/** Whether what the plan tells of is over: what comes next begins anew. */
export function isOver(plan: CrisisPlan, now: number): boolean {
  if (plan.last_high_at !== undefined) return !isSticky(plan, now);
  return plan.highest === 0 || plan.calm_turns >= calmTurns;
}

/** The highest level of the last ten turns. */
export function windowMax(plan: CrisisPlan | undefined): SafetyLevel {
  return (plan?.window ?? []).reduce<SafetyLevel>((highest, { level }) => (level > highest ? level : highest), 0);
}

const screened = ["suicide", "plan", "means", "time", "someone", "willing"] as const;

/** What the screen needs to know of the turns before. */
export function contextFrom(plan: CrisisPlan | undefined): ScreenContext {
  if (plan === undefined) return {};
  const asked = screened.find((question) => question === plan.last_asked);
  return {
    ...(asked === undefined ? {} : { asked }),
    ...(plan.language === undefined ? {} : { language: plan.language }),
    highest: windowMax(plan),
    // In a crisis, unclear answers are followed up anyway; they do not add up to a second one.
    unclear: plan.highest >= 2 ? 0 : plan.window.filter(({ level }) => level === 1).length,
  };
}
