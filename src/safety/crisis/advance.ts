/** What a turn's messages change in the plan. */
import { type Assessment, type ReasonCode, type RiskSubject, riskTypes, type SafetyLevel } from "../assessment.ts";
import type { CrisisPlan, PlanAnswer, PlanQuestion } from "../plan.ts";
import type { Screened } from "../screen/screened.ts";
import { isOver } from "./over.ts";

/** What a turn has shown. */
export interface TurnFindings {
  readonly assessment: Assessment;
  /** Undefined if the screen failed. */
  readonly screened: Screened | undefined;
  /** ISO codes of the place that the person has named in this turn; empty for none. */
  readonly regions: readonly string[];
  /** Whether the person did not want to say where they are. */
  readonly refused: boolean;
  readonly now: number;
}

const mostWindow = 10;

const fresh: CrisisPlan = Object.freeze({
  window: [],
  highest: 0,
  subject: "self",
  risk_types: [],
  answers: {},
  asked: [],
  location_asked: false,
  location_refused: false,
  regions: [],
  given: [],
  emergency_given: false,
  human_care_given: false,
  coping_given: false,
  ai_limits_given: false,
  calm_turns: 0,
  replies: 0,
});

/** What outlives a crisis: how the last turns were, where the person is, and what to say differently the next time. */
function begun(plan: CrisisPlan | undefined, now: number): CrisisPlan {
  if (plan === undefined) return fresh;
  if (!isOver(plan, now)) return plan;
  const { window, regions, location_refused, replies } = plan;
  return { ...fresh, window, regions, location_refused, replies };
}

const answerOf = { yes: "yes", no: "no", evasion: "evaded" } as const;

const spokenOf: readonly (readonly [PlanQuestion, PlanAnswer, readonly string[]])[] = [
  ["suicide", "yes", ["wish_to_die", "kill_self", "ideation", "plan", "means_in_hand", "farewell", "act_done"]],
  ["plan", "yes", ["plan", "preparation", "act_done"]],
  ["means", "yes", ["means_in_hand", "act_done"]],
  ["time", "yes", ["time_near", "act_done"]],
  ["someone", "no", ["alone_now"]],
];

const reasonedOf: Partial<Readonly<Record<ReasonCode, readonly PlanQuestion[]>>> = {
  ideation: ["suicide"],
  plan: ["suicide", "plan"],
  means: ["suicide", "means"],
  timing: ["suicide", "time"],
  preparation: ["suicide", "plan"],
  act: ["suicide", "plan", "means", "time"],
};

/** Danger that was said is not unsaid: "yes" stays to what makes it near; who is there, and what they are willing to do, may change. */
const lasting: readonly PlanQuestion[] = ["suicide", "plan", "means", "time"];

function answersOf(plan: CrisisPlan, { assessment, screened }: TurnFindings): CrisisPlan["answers"] {
  const found: Partial<Record<PlanQuestion, PlanAnswer>> = {};
  const { last_asked } = plan;
  if (last_asked !== undefined) found[last_asked] = screened?.answer === undefined ? "unknown" : answerOf[screened.answer];
  const own = assessment.subject === "self" && assessment.level >= 2;
  for (const [question, answer, concepts] of spokenOf) if (own && concepts.some((id) => screened?.concepts.includes(id))) found[question] = answer;
  for (const question of own ? (reasonedOf[assessment.reason_code] ?? []) : []) found[question] = "yes";
  for (const question of lasting) if (plan.answers[question] === "yes") delete found[question];
  return { ...plan.answers, ...found };
}

/** The level that the turn itself has shown. */
const shownBy = ({ level, override, path }: Assessment): SafetyLevel =>
  path !== "screen_error" && (override === "sticky" || override === "floor") ? 0 : level;

/** What is given and asked again when it gets graver than it was: "no" and silence may not hold any more. */
function reopened(plan: CrisisPlan): CrisisPlan {
  const known = (question: PlanQuestion): boolean => plan.answers[question] === "yes";
  return { ...plan, given: [], emergency_given: false, asked: plan.asked.filter(known) };
}

/** Whose crisis it is. Once the writer was in danger, it stays theirs, whoever else they speak of. */
function subjectOf({ highest, subject }: CrisisPlan, assessment: Assessment): RiskSubject {
  if (assessment.level === 0 || assessment.override === "sticky" || (highest >= 2 && subject === "self")) return subject;
  return assessment.subject;
}

function highOf({ last_high_at, turns_since_high = 0 }: CrisisPlan, level: SafetyLevel, now: number): Partial<CrisisPlan> {
  if (level >= 2) return { last_high_at: now, turns_since_high: 0 };
  return last_high_at === undefined ? {} : { last_high_at, turns_since_high: turns_since_high + 1 };
}

/**
 * The plan after the messages of a turn; undefined as long as nothing was ever above 0. What was asked is answered, what was said counts as answered too,
 * and where it gets graver than it was in this crisis, help is given again and open questions are asked again. A crisis that is over begins anew.
 */
export function advancePlan(plan: CrisisPlan | undefined, findings: TurnFindings): CrisisPlan | undefined {
  const { assessment, regions, refused, now } = findings;
  const { level } = assessment;
  if (plan === undefined && level === 0) return undefined;
  const before = begun(plan, now);
  const graver = level >= 2 && before.highest > 0 && level > before.highest;
  const { last_asked: _answered, ...rest } = { ...before, answers: answersOf(before, findings) };
  return Object.freeze({
    ...(graver ? reopened(rest) : rest),
    window: [...before.window, { level: shownBy(assessment), at: now }].slice(-mostWindow),
    highest: level > before.highest ? level : before.highest,
    subject: subjectOf(before, assessment),
    risk_types: riskTypes.filter((type) => before.risk_types.includes(type) || assessment.risk_types.includes(type)),
    ...highOf(before, level, now),
    calm_turns: level > 0 ? 0 : before.calm_turns + 1,
    regions: regions.length > 0 ? [...regions] : before.regions,
    location_refused: before.location_refused || refused,
  });
}
