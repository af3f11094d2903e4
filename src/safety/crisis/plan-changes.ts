/** What messages, replies and withdrawals change in the plan of a crisis. */
import { type Assessment, type ReasonCode, type RiskSubject, riskTypes, type SafetyLevel } from "../assessment.ts";
import { type CrisisPlan, isOver, type PlanAnswer, type PlanQuestion, planQuestions, type PlanStep } from "../crisis-plan.ts";
import type { Screened } from "../screen/screened.ts";
import { directoriesGiven, distanceGiven, numberGiven } from "./next-step.ts";

/** What a turn has shown. */
interface TurnFindings {
  readonly assessment: Assessment;
  /** Undefined if the screen failed. */
  readonly screened: Screened | undefined;
  /** What the reply before has asked, where the plan has not. */
  readonly asked?: PlanQuestion | undefined;
  /** ISO codes of the place that the person has named in this turn; empty for none. */
  readonly regions: readonly string[];
  /** Language of what was said, where it is plain; a yes or a no is one in many. */
  readonly language?: string;
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

/** The question that is answered: the plan's own, and where it has asked none the one that the reply has. */
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

/** Danger that was said is not unsaid: "yes" stays to what makes it near; who is there, and what they are willing to do, may change. */
const lasting: readonly PlanQuestion[] = ["suicide", "plan", "means", "time"];

/** What the turn itself answers. What was said of somebody else is no answer of the writer's own. */
function answersIn({ last_asked }: CrisisPlan, { assessment, screened }: TurnFindings): CrisisPlan["answers"] {
  const found: Partial<Record<PlanQuestion, PlanAnswer>> = {};
  if (last_asked !== undefined) found[last_asked] = screened?.answer === undefined ? "unknown" : answerOf[screened.answer];
  if (assessment.subject !== "self" || assessment.level < 2) return found;
  for (const [question, answer, concepts] of spokenOf) if (concepts.some((id) => screened?.concepts.includes(id))) found[question] = answer;
  for (const question of reasonedOf[assessment.reason_code] ?? []) found[question] = "yes";
  return found;
}

/** New answers beside earlier ones, in a turn that has itself shown a level. A no to the direct question does not hold beside words of warning, or before them. */
function joined(before: CrisisPlan["answers"], found: CrisisPlan["answers"], shown: SafetyLevel): CrisisPlan["answers"] {
  const stays = Object.fromEntries(lasting.filter((question) => before[question] === "yes").map((question) => [question, "yes" as const]));
  const answers = { ...before, ...found, ...stays };
  return shown > 0 && answers.suicide === "no" ? { ...answers, suicide: "unknown" } : answers;
}

/** What the turn has told, so that the reply can say that it was heard. */
function heardIn({ last_asked, regions: known }: CrisisPlan, { screened, regions }: TurnFindings): Pick<CrisisPlan, "heard"> {
  if (regions.some((region) => !known.includes(region))) return { heard: "place" };
  return last_asked === undefined || screened?.answer === undefined || screened.answer === "evasion" ? {} : { heard: last_asked };
}

/** The level that the turn itself has shown. */
const shownBy = ({ level, override, path }: Assessment): SafetyLevel =>
  path !== "screen_error" && (override === "sticky" || override === "floor") ? 0 : level;

type Asked = Pick<CrisisPlan, "answers" | "asked" | "given" | "emergency_given">;

/**
 * What stays asked, answered and given. When it gets graver than it was, help is given again, and of the answers only "yes" holds: "no" and silence may not
 * be true any more. When the writer turns from somebody else to themselves, nothing holds.
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

/** What a reply has done. */
interface Replied {
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

/**
 * The plan after messages were taken back, of how it stood `before` them and stands `now`. What was asked, answered and given in them is so no more; that there was danger
 * has been seen, and holds as long as it would have: taking it back is no sign that it is over.
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
