/** Changes to the crisis plan by messages, replies and withdrawals. */
import { type Assessment, type ReasonCode, type RiskSubject, riskTypes, type SafetyLevel } from "../assessment.ts";
import { type CrisisPlan, isOver, type PlanAnswer, type PlanQuestion, planQuestions, type PlanStep } from "../crisis-plan.ts";
import type { Screened } from "../screen/screened.ts";
import { directoriesGiven, distanceGiven, numberGiven } from "./next-step.ts";

/** Findings of a turn. */
interface TurnFindings {
  readonly assessment: Assessment;
  /** Undefined if the screen failed. */
  readonly screened: Screened | undefined;
  /** The safety question in the last reply, if the plan did not ask it. */
  readonly asked?: PlanQuestion | undefined;
  /** ISO codes of the place that the person named in this turn; empty for none. */
  readonly regions: readonly string[];
  /** Language of the message, if it is clear: a bare yes or no can belong to many languages. */
  readonly language?: string;
  /** The person declined to say where they are. */
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

/** Starts a new plan if the crisis is over. It keeps the window, the person's place and the reply count. */
function begun(plan: CrisisPlan | undefined, now: number): CrisisPlan {
  if (plan === undefined) return fresh;
  if (!isOver(plan, now)) return plan;
  const { window, regions, location_refused, replies } = plan;
  return { ...fresh, window, regions, location_refused, replies };
}

/** Sets the answered question: the plan's own, or else the one in the last reply. */
const withAsked = (plan: CrisisPlan, asked: PlanQuestion | undefined): CrisisPlan =>
  plan.last_asked === undefined && asked !== undefined ? { ...plan, last_asked: asked } : plan;

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

/** Danger that the person stated does not go away: a "yes" to these questions stays. The answers to "someone" and "willing" can change. */
const lasting: readonly PlanQuestion[] = ["suicide", "plan", "means", "time"];

/** Returns the answers in this turn. A statement about another person does not answer for the writer. */
function answersIn({ last_asked }: CrisisPlan, { assessment, screened }: TurnFindings): CrisisPlan["answers"] {
  const found: Partial<Record<PlanQuestion, PlanAnswer>> = {};
  if (last_asked !== undefined) found[last_asked] = screened?.answer === undefined ? "unknown" : answerOf[screened.answer];
  if (assessment.subject !== "self" || assessment.level < 2) return found;
  for (const [question, answer, concepts] of spokenOf) if (concepts.some((id) => screened?.concepts.includes(id))) found[question] = answer;
  for (const question of reasonedOf[assessment.reason_code] ?? []) found[question] = "yes";
  return found;
}

/**
 * Merges new answers into earlier ones, where `shown` is the level that the turn itself showed. A no to the direct question does not hold if the turn
 * also shows warning signs.
 */
function joined(before: CrisisPlan["answers"], found: CrisisPlan["answers"], shown: SafetyLevel): CrisisPlan["answers"] {
  const stays = Object.fromEntries(lasting.filter((question) => before[question] === "yes").map((question) => [question, "yes" as const]));
  const answers = { ...before, ...found, ...stays };
  return shown > 0 && answers.suicide === "no" ? { ...answers, suicide: "unknown" } : answers;
}

/** Returns the new information of the turn, so that the reply can acknowledge it. */
function heardIn({ last_asked, regions: known }: CrisisPlan, { screened, regions }: TurnFindings): Pick<CrisisPlan, "heard"> {
  if (regions.some((region) => !known.includes(region))) return { heard: "place" };
  return last_asked === undefined || screened?.answer === undefined || screened.answer === "evasion" ? {} : { heard: last_asked };
}

/** Returns the level that the turn itself showed, without floors. */
const shownBy = ({ level, override, path }: Assessment): SafetyLevel =>
  path !== "screen_error" && (override === "sticky" || override === "floor") ? 0 : level;

type Asked = Pick<CrisisPlan, "answers" | "asked" | "given" | "emergency_given">;

/**
 * Returns the questions, answers and help that stay valid. If the level rises, help is given again and only "yes" answers stay, because a "no" may no
 * longer hold. If the subject changes, no question or answer stays.
 */
function keptOf(plan: CrisisPlan, level: SafetyLevel, subject: RiskSubject): Asked {
  const { answers, asked, given, emergency_given } = plan;
  if (plan.subject !== subject && plan.asked.length > 0) return { answers: {}, asked: [], given, emergency_given };
  if (level < 2 || plan.highest === 0 || level <= plan.highest) return { answers, asked, given, emergency_given };
  const isKnown = (question: PlanQuestion): boolean => answers[question] === "yes";
  return {
    answers: Object.fromEntries(planQuestions.filter(isKnown).map((question) => [question, "yes"])),
    asked: asked.filter(isKnown),
    given: [],
    emergency_given: false,
  };
}

/** Returns the subject of the crisis. Once the writer was in danger, the subject stays the writer, even if they write about other people. */
function subjectOf({ highest, subject }: CrisisPlan, assessment: Assessment): RiskSubject {
  if (assessment.level === 0 || assessment.override === "sticky" || (highest >= 2 && subject === "self")) return subject;
  return assessment.subject;
}

function highOf({ last_high_at, turns_since_high = 0 }: CrisisPlan, level: SafetyLevel, now: number): Partial<CrisisPlan> {
  if (level >= 2) return { last_high_at: now, turns_since_high: 0 };
  return last_high_at === undefined ? {} : { last_high_at, turns_since_high: turns_since_high + 1 };
}

/**
 * Advances the plan by the messages of a turn. Returns undefined while no level was ever above 0. Direct answers and answers inferred from the
 * message both count. If the level rises, help is given again and open questions are asked again. A crisis that is over starts a new plan.
 */
export function advancePlan(plan: CrisisPlan | undefined, findings: TurnFindings): CrisisPlan | undefined {
  const { assessment, regions, refused, now, language = plan?.language } = findings;
  const { level } = assessment;
  if (plan === undefined && level === 0) return undefined;
  const before = withAsked(begun(plan, now), findings.asked);
  const subject = subjectOf(before, assessment);
  const kept = keptOf(before, level, subject);
  const shown = shownBy(assessment);
  const { last_asked: _answered, heard: _before, ...rest } = before;
  return Object.freeze({
    ...rest,
    ...kept,
    ...heardIn(before, findings),
    answers: joined(kept.answers, answersIn(before, findings), shown),
    window: [...before.window, { level: shown, at: now }].slice(-mostWindow),
    highest: level > before.highest ? level : before.highest,
    subject,
    risk_types: riskTypes.filter((type) => before.risk_types.includes(type) || assessment.risk_types.includes(type)),
    ...highOf(before, level, now),
    calm_turns: level > 0 ? 0 : before.calm_turns + 1,
    regions: regions.length > 0 ? [...regions] : before.regions,
    location_refused: before.location_refused || refused,
    ...(language === undefined ? {} : { language }),
  });
}

/** The content of a reply. */
interface Replied {
  readonly step: PlanStep;
  /** Ids of the resources that it showed; empty if it showed the directories or none. */
  readonly resources: readonly string[];
  /** The local emergency number was known. Without it, a reply names none. */
  readonly numbered?: boolean;
}

/** Advances the plan by a reply, so that its question and its help are not repeated. */
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

/**
 * Returns the plan after messages were withdrawn, from the plan `before` them and the one `now`. Their questions, answers and help are undone. The
 * danger that they showed stays for as long as it would have: a withdrawal does not show that it is over.
 */
export function withdrawnPlan(before: CrisisPlan | undefined, now: CrisisPlan | undefined): CrisisPlan | undefined {
  if (now?.last_high_at === undefined || now.last_high_at === before?.last_high_at) return before;
  const { last_asked: _asked, heard: _heard, ...danger } = now;
  const { last_asked } = before ?? {};
  return Object.freeze({
    ...danger,
    answers: before?.answers ?? {},
    asked: before?.asked ?? [],
    location_asked: before?.location_asked ?? false,
    location_refused: before?.location_refused ?? false,
    regions: before?.regions ?? [],
    given: before?.given ?? [],
    emergency_given: before?.emergency_given ?? false,
    human_care_given: before?.human_care_given ?? false,
    coping_given: before?.coping_given ?? false,
    ai_limits_given: before?.ai_limits_given ?? false,
    replies: before?.replies ?? 0,
    ...(last_asked === undefined ? {} : { last_asked }),
  });
}
