/**
 * The crisis plan: a state field that tracks questions, answers and given help, so that the follow-up does not depend on a model's memory. It also
 * decides how long a crisis lasts.
 */
import type { RiskSubject, RiskType, SafetyLevel } from "./assessment.ts";
import type { ScreenContext } from "./screen/screened.ts";

/** The questions of a crisis, in this order. Each is asked once, until the state changes. */
export const planQuestions = ["suicide", "plan", "means", "time", "someone", "willing", "barriers"] as const;
/** A question of the plan. */
export type PlanQuestion = (typeof planQuestions)[number];

/** The answer to a question: `evaded` if the person wrote about something else, `unknown` if the answer could not be read. */
export type PlanAnswer = "yes" | "no" | "evaded" | "unknown";

/** The state of a crisis, in the field `safety_plan`, which only the gate writes. Absent before the first level above 0. */
export interface CrisisPlan {
  /** Levels of the last ten turns, oldest first, without floors. A floor that counted would sustain itself. */
  readonly window: readonly { readonly level: SafetyLevel; readonly at: number }[];
  /** The highest level of the open crisis; 0 once it is over. */
  readonly highest: SafetyLevel;
  readonly subject: RiskSubject;
  readonly risk_types: readonly RiskType[];
  /** Language that the person writes in, as the screen names it. */
  readonly language?: string;
  /** When the level last was 2 or more, and how many turns ago. */
  readonly last_high_at?: number;
  readonly turns_since_high?: number;
  /** Turns since the last one above 0. */
  readonly calm_turns: number;
  /** The answers, and the questions that were asked. */
  readonly answers: Partial<Readonly<Record<PlanQuestion, PlanAnswer>>>;
  readonly asked: readonly PlanQuestion[];
  /** The question at the end of the last reply. */
  readonly last_asked?: PlanQuestion;
  /** New information in this turn: the place, or a yes or no to the last question. */
  readonly heard?: "place" | PlanQuestion;
  readonly location_asked: boolean;
  readonly location_refused: boolean;
  /** ISO codes of the region that the person named. */
  readonly regions: readonly string[];
  /** Ids of the resources that replies showed. */
  readonly given: readonly string[];
  readonly emergency_given: boolean;
  readonly human_care_given: boolean;
  readonly coping_given: boolean;
  readonly ai_limits_given: boolean;
  /** Counts the replies, to vary their wording. */
  readonly replies: number;
}

/** What the reply of a turn contains. */
export interface PlanStep {
  /** The question at its end. */
  readonly ask?: PlanQuestion | "location";
  readonly give: readonly ("emergency" | "someone" | "distance" | "resources" | "resources_again" | "human_care" | "coping" | "ai_limits")[];
}

/** After a level of 2 or more, the level stays at least 1 for this many turns or this long, whichever is longer. */
export const stickyTurns = 6;
/** In milliseconds. */
export const stickyMs = 24 * 60 * 60 * 1000;
/** Turns at level 0 after which an unclear moment below crisis level is over. */
const calmTurns = 6;

/** Tells whether the floor after a level of 2 or more holds for the next turn. A clock that was set back keeps it. */
export function isSticky(plan: CrisisPlan | undefined, now: number): boolean {
  const { last_high_at, turns_since_high = 0 } = plan ?? {};
  return last_high_at !== undefined && (turns_since_high < stickyTurns || now - last_high_at < stickyMs);
}

/** Tells whether the crisis is over. The next finding then starts a new plan. */
export function isOver(plan: CrisisPlan, now: number): boolean {
  if (plan.last_high_at !== undefined) return !isSticky(plan, now);
  return plan.highest === 0 || plan.calm_turns >= calmTurns;
}

/** Returns the highest level of the last ten turns. */
export function windowMax(plan: CrisisPlan | undefined): SafetyLevel {
  return (plan?.window ?? []).reduce<SafetyLevel>((highest, { level }) => (level > highest ? level : highest), 0);
}

const screened = ["suicide", "plan", "means", "time", "someone", "willing"] as const;

/** Returns the context of earlier turns for the screen. */
export function contextFrom(plan: CrisisPlan | undefined): ScreenContext {
  if (plan === undefined) return {};
  const asked = screened.find((question) => question === plan.last_asked);
  return {
    ...(asked === undefined ? {} : { asked }),
    ...(plan.language === undefined ? {} : { language: plan.language }),
    highest: windowMax(plan),
    // A crisis follows up on unclear answers anyway, so they do not add up to a second disclosure.
    unclear: plan.highest >= 2 ? 0 : plan.window.filter(({ level }) => level === 1).length,
  };
}
