/**
 * The crisis plan: a state field that tracks questions, answers and given help, so that the follow-up does not depend on a model's memory.
 * It also decides how long a crisis lasts, and the next step of a crisis: the question and the help in the reply.
 */
import { present } from "../kernel/json.ts";
import { type Assessment, type ReasonCode, type RiskSubject, type RiskType, riskTypes, type SafetyLevel } from "./assessment.ts";
import type { ResourceLookup } from "./resources/resource-table.ts";
import type { ScreenContext, Screened } from "./screen/screened.ts";

/** The questions of a crisis, in this order. Each is asked once, until the state changes. `safe` asks about a message that could not be read. */
export const planQuestions = ["safe", "suicide", "plan", "means", "time", "someone", "willing", "barriers"] as const;
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

/** The context of the screen, with any question of the plan. */
export interface PlanContext extends Omit<ScreenContext, "asked"> {
  readonly asked?: PlanQuestion;
}

/** Returns the context of earlier turns. */
export function contextFrom(plan: CrisisPlan | undefined): PlanContext {
  if (plan === undefined) return {};
  return {
    ...present({ asked: plan.last_asked, language: plan.language }),
    highest: windowMax(plan),
    // A crisis follows up on unclear answers anyway, so they do not add up to a second disclosure.
    unclear: plan.highest >= 2 ? 0 : plan.window.filter(({ level }) => level === 1).length,
  };
}

/** Entries of `given` for help without an id: the directories, the request to put distance between oneself and means, and the local emergency number. */
const directoriesGiven = "directories";
const distanceGiven = "distance";
export const numberGiven = "emergency_number";

/** Input of the decision about a step. */
interface StepBasis {
  readonly assessment: Pick<Assessment, "level"> & Partial<Pick<Assessment, "override" | "matches" | "grounds">>;
  /** The result of this turn's lookup. */
  readonly lookup: ResourceLookup;
  /** The person explicitly asks for services. */
  readonly asksForServices?: boolean;
  /** The person asks for another service of the agent. */
  readonly isRequest?: boolean;
}

/** Returns the ids of the resources in a lookup, or the entry for the directories. */
function idsOf({ resources }: ResourceLookup): readonly string[] {
  return resources.length === 0 ? [directoriesGiven] : resources.map(({ id }) => id);
}

/**
 * Returns the questions, in order. A person who was in imminent danger is not asked how or when. A person who writes about another person is not
 * asked the questions of a plan.
 */
const questionsFor = (plan: CrisisPlan, level: number): readonly PlanQuestion[] => {
  if (plan.subject === "other") return level === 3 ? ["willing", "barriers"] : ["suicide", "willing", "barriers"];
  if (plan.highest === 3) return ["someone", "willing", "barriers"];
  return plan.highest < 2 ? ["suicide", "someone"] : ["suicide", "plan", "means", "time", "someone", "willing", "barriers"];
};

/** Tells whether a question is settled, by its own answer or by another one. */
function isSettled({ answers }: CrisisPlan, question: PlanQuestion): boolean {
  // A person who hurt themselves without a wish to die is not asked how or when, but is asked which means are within reach.
  if ((question === "plan" || question === "time") && answers.suicide === "no") return true;
  if (question === "time" && answers.plan === "no") return true;
  if (question === "barriers" && answers.willing === "yes") return true;
  return answers[question] === "yes" || answers[question] === "no";
}

const mayAskPlace = ({ location_asked, location_refused, regions }: CrisisPlan, { status, resources }: ResourceLookup): boolean =>
  !location_asked && !location_refused && regions.length === 0 && resources.length === 0 && (status === "no_location" || status === "not_attempted");

/**
 * Tells whether an ordinary turn can continue. Before a crisis, that is a turn without matches: after a no, even with a laugh, or with a request once
 * the direct question was asked.
 */
function goesOn({ highest, heard, asked }: CrisisPlan, { assessment: { override, matches = [] }, isRequest = false }: StepBasis): boolean {
  if (highest >= 2 || override !== "none" || matches.length > 0) return false;
  return heard === "suicide" || (isRequest && asked.includes("suicide"));
}

/** No one read the message in full, and nothing else was found. */
const isUnread = ({ grounds = [] }: StepBasis["assessment"]): boolean =>
  grounds.length > 0 && grounds.every((ground) => ground === "unread_language" || ground === "too_long" || ground === "screen_failed");

function questionOf(plan: CrisisPlan, basis: StepBasis): PlanStep["ask"] {
  const { assessment, lookup } = basis;
  const { level } = assessment;
  if (plan.highest < 2 && isUnread(assessment)) return "safe";
  if (goesOn(plan, basis)) return undefined;
  const questions = questionsFor(plan, level);
  const open = questions.find((question) => !plan.asked.includes(question) && !isSettled(plan, question));
  // The reply asks for the country after the first questions are answered, and never at level 3.
  const first = open === "suicide" || open === "plan";
  if (!first && level <= 2 && plan.highest >= 2 && mayAskPlace(plan, lookup)) return "location";
  // A crisis asks no question twice. Before a crisis, the reply keeps asking as long as the messages stay unclear.
  if (open !== undefined || plan.highest >= 2) return open;
  // If only a missing verdict makes the message unclear, the reply asks once: a person who is not in danger must be able to continue.
  if (assessment.override === "floor") return undefined;
  return questions.find((question) => question !== plan.asked.at(-1));
}

type Given = PlanStep["give"][number];

/** A person who has means is asked once to put them out of reach, even if nothing else makes the danger near. */
const distanceFor = ({ answers, given, subject }: CrisisPlan): readonly Given[] =>
  subject === "self" && answers.means === "yes" && !given.includes(distanceGiven) ? ["distance"] : [];

/** An act happened or is about to happen: both means and time are known. */
const isUnderWay = ({ highest, answers }: CrisisPlan): boolean => highest === 3 && answers.means === "yes" && answers.time === "yes";

/** Turns after a level 3 during which the danger still counts as near. */
const turnsNear = 3;
const isNear = ({ window }: CrisisPlan): boolean => window.slice(-1 - turnsNear, -1).some(({ level }) => level === 3);

/**
 * Decides whether a turn below level 3 repeats the emergency call of an earlier one. It does once the local number becomes known, and while an act is
 * under way and the danger near. It does not once the person agreed to contact a service or someone they trust.
 */
function emergencyFor(plan: CrisisPlan, { lookup }: StepBasis): readonly Given[] {
  if (plan.highest < 3 || plan.answers.willing === "yes") return [];
  const isNewNumber = lookup.emergency.length > 0 && plan.emergency_given && !plan.given.includes(numberGiven);
  return isNewNumber || (isUnderWay(plan) && isNear(plan)) ? ["emergency"] : [];
}

/** A person who asks for secrecy is told again that a program can neither tell nor call anyone. */
const asksForSecrecy = ({ assessment: { matches = [] } }: StepBasis): boolean => matches.some((id) => id.endsWith("/secrecy"));

/** Returns one additional kind of help. Each is given once per crisis, so that no reply becomes a long list. */
function extraOf(plan: CrisisPlan, basis: StepBasis): readonly Given[] {
  const { subject, ai_limits_given, human_care_given, coping_given } = plan;
  if (asksForSecrecy(basis)) return ["ai_limits"];
  if (basis.assessment.level === 3) return ai_limits_given ? [] : ["ai_limits"];
  if (!human_care_given) return ["human_care"];
  if (!ai_limits_given) return ["ai_limits"];
  return coping_given || subject === "other" || isUnderWay(plan) ? [] : ["coping"];
}

/**
 * Decides the step of a reply from the plan that this turn advanced: the help it names and the one question at its end. Level 3: emergency help comes
 * first, and the reply does not ask for the place. Level 2: the direct question comes first, then those of the plan, one per turn, none twice. Level
 * 1: one question, and help only in an open crisis or on request. A turn that only answers no, or asks for something else, gets no question. Level 0:
 * nothing.
 */
export function nextStep(plan: CrisisPlan | undefined, basis: StepBasis): PlanStep {
  const { level } = basis.assessment;
  if (plan === undefined || level === 0) return { give: [] };
  const ask = questionOf(plan, basis);
  const question = ask === undefined ? {} : { ask };
  if (plan.highest < 2) return { ...question, give: basis.asksForServices === true ? ["resources"] : [] };
  // The rows of one place can change order. They are new only if none of them was given before.
  const isNew = idsOf(basis.lookup).every((id) => !plan.given.includes(id));
  const help: readonly Given[] = isNew ? ["resources"] : ["resources_again"];
  const wasImminent = plan.emergency_given && plan.window.at(-2)?.level === 3;
  const at3: readonly Given[] = wasImminent ? ["emergency", "someone"] : ["emergency", "someone", "distance"];
  if (level === 3) return { ...question, give: [...at3, ...help, ...extraOf(plan, basis)] };
  // A quieter turn right after a level 3 still gets help.
  const isNext = plan.window.at(-2)?.level === 3;
  const company: readonly Given[] = isNext && plan.answers.someone !== "yes" ? ["someone"] : [];
  // In later turns, a new place gets its services listed. Other replies do not point back to the services each time.
  const isWayOut = level === 1 && !isNext && !(isNew && basis.lookup.resources.length > 0);
  return { ...question, give: [...emergencyFor(plan, basis), ...company, ...distanceFor(plan), ...(isWayOut ? [] : help), ...extraOf(plan, basis)] };
}

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
    ...present({ language }),
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
  // A plan of an older version may lack members.
  const { answers, asked, location_asked, location_refused, regions, given, replies, last_asked, ...helped }: CrisisPlan = { ...fresh, ...before };
  const { emergency_given, human_care_given, coping_given, ai_limits_given } = helped;
  return Object.freeze({
    ...danger,
    ...{ answers, asked, location_asked, location_refused, regions, given },
    ...{ emergency_given, human_care_given, coping_given, ai_limits_given, replies },
    ...present({ last_asked }),
  });
}
