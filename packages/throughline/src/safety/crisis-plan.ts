/**
 * The crisis plan: a state field that tracks questions, answers and given help, so that the follow-up does not depend on a model's memory.
 * It also decides how long a crisis lasts, and the next step of a crisis: the question and the help in the reply.
 */
import { type JsonObject, present } from "../kernel/json.ts";
import {
  type Assessment,
  type EmergencyKind,
  emergencyOf,
  isOfEmergency,
  type ReasonCode,
  type RiskSubject,
  type RiskType,
  riskTypes,
  type SafetyGround,
  type SafetyLevel,
} from "./assessment.ts";
import type { ResourceLookup } from "./resources/resource-table.ts";
import type { ScreenContext, Screened } from "./screen/screened.ts";

/**
 * The questions of a crisis, in this order. `safe` asks about a message that could not be read. `last_time` opens the session after a crisis.
 */
export const planQuestions = ["safe", "last_time", "suicide", "plan", "means", "time", "someone", "willing", "barriers"] as const;
/** A question of the plan. */
export type PlanQuestion = (typeof planQuestions)[number];

/** The answer to a question: `evaded` if the person wrote about something else, `unknown` if the answer could not be read. */
export type PlanAnswer = "yes" | "no" | "evaded" | "unknown";

/** What makes it hard to reach out. Each has an answer of its own in the phrases. */
export const barrierKinds = ["burden", "shame", "fear", "doubt", "nobody", "talking", "cost", "other"] as const;
/** A kind of barrier. `other`: it is not of a known kind. */
export type BarrierKind = (typeof barrierKinds)[number];

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
  /** The answers, and the questions that were asked, in order and with repetitions. */
  readonly answers: Partial<Readonly<Record<PlanQuestion, PlanAnswer>>>;
  readonly asked: readonly PlanQuestion[];
  /** The question at the end of the last reply. */
  readonly last_asked?: PlanQuestion;
  /** The question that this turn answers, which its reply does not repeat. */
  readonly answering?: PlanQuestion;
  /** The barrier that the person named in this turn. */
  readonly barrier?: BarrierKind;
  /** The episode of the session in which the last turn was. */
  readonly episode?: number;
  /** A session after the crisis began, and its reply opens with it. */
  readonly opens?: boolean;
  /** The person asked to be left alone or not to be asked: the turns, with this one, for which replies ask nothing. */
  readonly paused?: number;
  /** The pause is over with this turn. */
  readonly resumes?: boolean;
  /** Only an earlier session makes this a crisis. */
  readonly earlier?: boolean;
  /** The person spoke about the crisis in a later session. */
  readonly discussed?: boolean;
  /** A danger is only suspected: nothing was said outright, and no classifier agreed. It is asked about once. A no ends it, and so do two calm turns. */
  readonly doubtful?: boolean;
  /** Calm turns in a row since a suspected danger was asked about. */
  readonly quiet?: number;
  /** The emergency that a reply answered, until enough calm turns: its answer is repeated for a place that is named, and on request. */
  readonly emergency?: EmergencyKind;
  /**
   * New information in this turn: the place, that they reached somebody, that means are out of reach, what holds them in an open emergency, or a yes or no
   * to the last question.
   */
  readonly heard?: "place" | "reached" | "put_away" | "stuck" | PlanQuestion;
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
  readonly ask?: PlanQuestion | "location" | "reached" | "check_in";
  /** The reply answers an emergency that is not suicide, and nothing else. */
  readonly emergency?: EmergencyKind;
  readonly give: readonly (
    | "emergency"
    | "emergency_if"
    | "someone"
    | "distance"
    | "resources"
    | "resources_again"
    | "human_care"
    | "coping"
    | "ai_limits"
    | "pause"
  )[];
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

/** Turns without questions after the person asked to be left alone. */
const pausedTurns = 4;

/** For this long after a level of 2 or more, the next session of the person opens with it, until they spoke about it. */
export const followUpMs = 7 * 24 * 60 * 60 * 1000;

/** Tells whether the turn begins a session that has to open with an earlier crisis. */
export function isOpening(plan: CrisisPlan | undefined, { now, episode }: { readonly now: number; readonly episode: number | undefined }): boolean {
  const { highest = 0, last_high_at, discussed, doubtful, episode: before } = plan ?? {};
  const isRecent = highest >= 2 && last_high_at !== undefined && now - last_high_at < followUpMs;
  return isRecent && discussed !== true && doubtful !== true && before !== undefined && episode !== undefined && before !== episode;
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

/** Concepts that say nothing of danger by themselves. */
const plainConcepts = new Set(["time_near", "means", "unreachable", "alone_now"]);

/** Tells whether a message shows no sign of danger and no distress, and answers no question with yes. */
const isCalm = ({ matches, answer, quality, distress, retracts, level }: Screened): boolean =>
  level <= (answer === "evasion" ? 1 : 0) &&
  quality === "full" &&
  !distress &&
  retracts === undefined &&
  answer !== "yes" &&
  matches.every(({ id }) => plainConcepts.has(id.slice(id.indexOf("/") + 1)));

/** Calm turns after which a suspicion is over. */
const calmToRelease = 2;

/**
 * Tells whether a turn ends a suspicion: once it was asked about, a no does, and so do two calm turns in a row. Returns the reason. What was said outright, a
 * yes, and what a classifier saw never end so.
 */
export function releasedBy(plan: CrisisPlan | undefined, screened: Screened | undefined): "explicit_denial_in_context" | "ambiguous" | undefined {
  if (plan?.doubtful !== true || screened === undefined || timesAsked(plan, "suicide") === 0 || !isCalm(screened)) return undefined;
  if (plan.last_asked === "suicide" && screened.answer === "no") return "explicit_denial_in_context";
  return (plan.quiet ?? 0) + 1 >= calmToRelease ? "ambiguous" : undefined;
}

/** The context of the screen, with any question of the plan. */
export interface PlanContext extends Omit<ScreenContext, "asked"> {
  readonly asked?: PlanQuestion;
}

/** Questions about danger. Their "no" can be taken back as long as the plan is open. */
const ofDanger = ["suicide", "plan", "means", "time"] as const;

/** Returns the last question about danger that was answered with no, for as many turns as an unclear moment lasts. */
function deniedIn({ answers, asked, answering, calm_turns }: CrisisPlan): ScreenContext["denied"] {
  const last = asked.findLast((question) => answers[question] === "no" && question !== "someone" && question !== "willing");
  const question = ofDanger.find((one) => one === last);
  return question === undefined || calm_turns >= calmTurns ? undefined : { question, lately: answering === question };
}

/** The person said how or with what. That they put it away since does not unsay it. */
const isDetailed = ({ answers, given }: CrisisPlan): boolean => answers.plan === "yes" || answers.means === "yes" || given.includes(putAwayGiven);

/** Returns the context of earlier turns. */
export function contextFrom(plan: CrisisPlan | undefined): PlanContext {
  if (plan === undefined) return {};
  const { subject, highest } = plan;
  return {
    ...present({ asked: plan.last_asked, language: plan.language, denied: deniedIn(plan) }),
    ...(subject === "other" && highest > 0 ? { about: "other" as const } : {}),
    ...(subject === "self" && highest >= 2 && isDetailed(plan) ? { detailed: true } : {}),
    ...(plan.doubtful === true ? { doubtful: true } : {}),
    highest: windowMax(plan),
    // A crisis follows up on unclear answers anyway, so they do not add up to a second disclosure.
    // Neither do those about an emergency, which say nothing of suicide.
    unclear: plan.highest >= 2 || plan.emergency !== undefined || isOfEmergency(plan) ? 0 : plan.window.filter(({ level }) => level === 1).length,
  };
}

/** Entries of `given` for help without an id: the directories, distance from means, and company. */
const directoriesGiven = "directories";
const distanceGiven = "distance";
const companyGiven = "company";
/** The person said that they reached somebody, and was asked how it was. */
const reachedGiven = "reached";
/** Once the questions were asked, the person said that it is better. */
const betterGiven = "better";
/** The person put what they could use out of reach. */
const putAwayGiven = "put_away";
/** The person has taken or done something. */
const actedGiven = "acted";
/** Returns the entry of the emergency number of a place. A number that is given for one country says nothing about another. */
export const numberOf = ({ emergency, regions }: ResourceLookup): string =>
  [emergency.length > 0 ? "emergency_number" : "emergency_unknown", ...regions].join(":");

/** Input of the decision about a step. */
interface StepBasis {
  readonly assessment: Pick<Assessment, "level"> & Partial<Pick<Assessment, "override" | "matches" | "grounds" | "risk_types">>;
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

const timesAsked = ({ asked }: CrisisPlan, question: PlanQuestion): number => asked.filter((one) => one === question).length;

const isAnswered = ({ answers }: CrisisPlan, question: PlanQuestion): boolean => answers[question] === "yes" || answers[question] === "no";

/** A question of a crisis. */
interface Question {
  readonly id: PlanQuestion;
  /** How often it is asked at most, until a new sign. */
  readonly most: number;
  /** Whether it applies, given the level of the turn. */
  readonly due: (plan: CrisisPlan, level: number) => boolean;
  /** Whether another answer settles it, beside its own. */
  readonly settled?: (plan: CrisisPlan) => boolean;
}

/** A writer who is or was in danger, but not in imminent danger, is asked how and when. */
const asksHow = ({ subject, highest, earlier }: CrisisPlan): boolean => subject === "self" && highest < 3 && earlier !== true;
const asksOn = ({ earlier }: CrisisPlan): boolean => earlier !== true;

/**
 * The questions of a crisis in the order in which they are asked. A person who was in imminent danger is not asked how or when. A person who writes
 * about another person is not asked the questions of a plan. One who hurt themselves without a wish to die is asked about means alone. A person whose
 * crisis was in an earlier session is asked about it, and no further.
 */
const questions: readonly Question[] = [
  { id: "suicide", most: 2, due: ({ subject, highest, earlier }, level) => (subject === "other" ? level < 3 : highest < 3 || earlier === true) },
  { id: "plan", most: 2, due: asksHow, settled: ({ answers }) => answers.suicide === "no" },
  { id: "means", most: 2, due: asksHow },
  { id: "time", most: 2, due: asksHow, settled: ({ answers }) => answers.suicide === "no" || answers.plan === "no" },
  { id: "someone", most: 2, due: (plan) => plan.subject === "self" && asksOn(plan) },
  { id: "willing", most: 3, due: asksOn },
  { id: "barriers", most: 2, due: (plan) => asksOn(plan) && timesAsked(plan, "willing") > 0, settled: ({ answers }) => answers.willing === "yes" },
];

const mostBetween = 4;

/** A no to reaching out is not the last word once the person named what is in the way and was answered. */
const isSettled = (plan: CrisisPlan, { id, settled }: Question): boolean =>
  settled?.(plan) === true || (isAnswered(plan, id) && !(id === "willing" && plan.answers.willing === "no" && plan.answers.barriers === "yes"));

/** Returns the questions that still have to be asked: first those never asked, then those that were evaded. */
const openQuestions = (plan: CrisisPlan, level: number): readonly PlanQuestion[] =>
  plan.discussed === true
    ? []
    : questions
        .filter(
          (question) =>
            question.due(plan, level) && timesAsked(plan, question.id) < (plan.earlier === true ? 1 : question.most) && !isSettled(plan, question),
        )
        .map(({ id }) => id)
        .toSorted((one, other) => timesAsked(plan, one) - timesAsked(plan, other));

const mayAskPlace = ({ location_asked, location_refused, regions, earlier }: CrisisPlan, { status, resources }: ResourceLookup): boolean =>
  earlier !== true &&
  !location_asked &&
  !location_refused &&
  regions.length === 0 &&
  resources.length === 0 &&
  (status === "no_location" || status === "not_attempted");

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

/** Tells whether an unclear turn rests on words that are as much of fear as of suicide: "I'm scared that he finds out". */
const isOfFear = ({ level, matches = [] }: StepBasis["assessment"]): boolean =>
  level === 1 && matches.length > 0 && matches.every((id) => id.endsWith("/words") || id.endsWith("/fear_of_self"));

/** Tells whether a plan below crisis level is about emergencies alone, and so is the turn. */
const isAboutEmergency = (plan: CrisisPlan, assessment: StepBasis["assessment"]): boolean => {
  const { risk_types = [] } = assessment;
  return (
    plan.highest < 2 &&
    (plan.emergency !== undefined || isOfEmergency(plan)) &&
    (risk_types.length === 0 || isOfEmergency({ risk_types }) || isOfFear(assessment))
  );
};

/** Returns the question of a turn before a crisis: the direct one, and in between who is there, as long as the messages stay unclear. */
function questionBefore(plan: CrisisPlan, { assessment }: StepBasis): PlanQuestion | undefined {
  // What follows a sign of an emergency is about that emergency until danger of another kind is spoken of.
  if (isAboutEmergency(plan, assessment) && (plan.emergency !== undefined || timesAsked(plan, "safe") > 0)) return undefined;
  // A sign of an emergency may be none, and says nothing of suicide.
  if (isUnread(assessment) || isOfEmergency({ risk_types: assessment.risk_types ?? [] })) return "safe";
  const second = plan.subject === "other" ? "willing" : "someone";
  // If only an open question makes the message unclear, each is asked once: a person who is not in danger must be able to continue.
  if (assessment.override !== "floor") return plan.answering === "suicide" ? second : "suicide";
  return (["suicide", second] as const).find((one) => !plan.asked.includes(one) && !isAnswered(plan, one));
}

/** Tells whether nothing more has to be asked: the person agreed to reach out, did so, is not alone below level 3, or says that it is better. */
const isSettledPlan = ({ answers, given, discussed, earlier, highest }: CrisisPlan): boolean =>
  answers.willing === "yes" ||
  (highest < 3 && answers.someone === "yes") ||
  given.includes(reachedGiven) ||
  given.includes(betterGiven) ||
  discussed === true ||
  earlier === true;

const askedAgain = ["someone", "willing", "barriers"] as const;

/**
 * Returns the question of a crisis in which all were asked and nothing is settled: every other time how things are, and in between who is there, whether
 * they would reach out, or what is in the way, whichever was asked longest ago.
 */
function checkIn(plan: CrisisPlan): PlanStep["ask"] {
  if (isSettledPlan(plan)) return undefined;
  if (plan.answering !== undefined) return "check_in";
  const { answers, asked, subject } = plan;
  const open = askedAgain.filter((one) => !(one === "someone" && (answers.someone === "yes" || subject === "other")));
  return open.toSorted((one, other) => asked.lastIndexOf(one) - asked.lastIndexOf(other))[0];
}

/** Returns the question between two times of the only open one: who is there. */
const between = (plan: CrisisPlan): PlanQuestion | undefined =>
  plan.subject === "self" &&
  plan.earlier !== true &&
  plan.answers.someone !== "yes" &&
  plan.answering !== "someone" &&
  timesAsked(plan, "someone") < mostBetween
    ? "someone"
    : undefined;

/** A doubtful danger was asked about, the person neither said yes nor shows a sign: they are let go on with what they want to talk about. */
const isLetGo = (plan: CrisisPlan, { assessment }: StepBasis): boolean =>
  plan.doubtful === true && timesAsked(plan, "suicide") > 0 && plan.answers.suicide !== "yes" && !isSignIn(assessment);

function questionOf(plan: CrisisPlan, basis: StepBasis): PlanStep["ask"] {
  const { assessment, lookup } = basis;
  const { level } = assessment;
  if (goesOn(plan, basis)) return undefined;
  // The no that ends a doubtful crisis is the end of the questions, too.
  if (plan.highest < 2 && plan.discussed === true && plan.answering === "suicide" && plan.answers.suicide === "no") return undefined;
  // A suspicion is asked about directly, and nothing else before that is answered.
  if (plan.highest < 2 || plan.doubtful === true) return questionBefore(plan, basis);
  if (plan.opens === true && level < 2) return "last_time";
  if (plan.heard === "reached" && level < 3) return "reached";
  const all = openQuestions(plan, level);
  // After a pause, the first question is an open one.
  if (plan.resumes === true && level < 2 && (all.length > 0 || checkIn(plan) !== undefined)) return "check_in";
  const open = all.find((question) => question !== plan.answering) ?? (all.length > 0 ? between(plan) : undefined) ?? checkIn(plan);
  // The reply asks for the country after the first questions are answered, and never at level 3.
  const first = open === "suicide" || open === "plan";
  return !first && level <= 2 && mayAskPlace(plan, lookup) ? "location" : open;
}

type Given = PlanStep["give"][number];

/** A person who has means is asked once to put them out of reach, even if nothing else makes the danger near. */
const distanceFor = ({ answers, given, subject }: CrisisPlan): readonly Given[] =>
  subject === "self" && answers.means === "yes" && !given.includes(distanceGiven) ? ["distance"] : [];

/** An act happened or is about to happen: both means and time are known. */
const isUnderWay = ({ highest, answers }: CrisisPlan): boolean => highest === 3 && answers.means === "yes" && answers.time === "yes";

/** Something was taken or done. */
const isActed = ({ given }: CrisisPlan): boolean => given.includes(actedGiven);

/** Turns after a level 3 during which the danger still counts as near. */
const turnsNear = 3;
const isNear = ({ window }: CrisisPlan): boolean => window.slice(-1 - turnsNear, -1).some(({ level }) => level === 3);

/**
 * Decides whether a turn below level 3 repeats the emergency call of an earlier one. It does on request, once the local number becomes known, while an
 * act is under way and the danger near, and after an act, however well the person says they feel. It does not once they agreed to contact a service or someone they trust, or reached them.
 */
function emergencyFor(plan: CrisisPlan, { lookup, asksForServices = false }: StepBasis): readonly Given[] {
  if (plan.highest < 3) return [];
  if (asksForServices) return ["emergency"];
  if (plan.answers.willing === "yes" || plan.given.includes(reachedGiven)) return [];
  const isNewNumber = lookup.emergency.length > 0 && plan.emergency_given && !plan.given.includes(numberOf(lookup));
  return isNewNumber || isActed(plan) || (isUnderWay(plan) && isNear(plan)) ? ["emergency"] : [];
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

/** Returns the emergency of which the person gave signs, asked whether they are safe: they say no, or, in abuse, do not say yes. */
function emergencyUnsafe(plan: CrisisPlan): EmergencyKind | undefined {
  const kind = emergencyOf({ level: 2, risk_types: plan.risk_types });
  const { safe } = plan.answers;
  return plan.answering === "safe" && (safe === "no" || (kind === "abuse" && safe !== undefined && safe !== "yes")) ? kind : undefined;
}

/** Returns the emergency of the plan that the person asks about: in an open one, or where signs of one were given, a number or a place to go. */
const emergencyAsked = (plan: CrisisPlan): EmergencyKind | undefined =>
  plan.emergency ?? (plan.highest < 2 ? emergencyOf({ level: 2, risk_types: plan.risk_types }) : undefined);

/**
 * Returns the emergency that the reply answers: that of the turn, or the one before it, if the turn names the place, asks for a number, or tells what holds
 * them, or if the person says that they are not safe.
 */
function emergencyIn(plan: CrisisPlan, { assessment, asksForServices = false }: StepBasis): EmergencyKind | undefined {
  const { level, risk_types = [] } = assessment;
  const now = emergencyOf({ level, risk_types });
  if (now !== undefined || level >= 2) return now;
  if (asksForServices && plan.highest < 2) return emergencyAsked(plan);
  if ((plan.heard === "place" || plan.heard === "stuck") && plan.emergency !== undefined) return plan.emergency;
  if (!isAboutEmergency(plan, assessment)) return undefined;
  return isOfFear(assessment) ? emergencyAsked(plan) : emergencyUnsafe(plan);
}

/** A reply of a paused plan asks nothing. The first says so, and how to reach help; later ones give help that is asked for, or still urgent. */
function whilePaused(plan: CrisisPlan, basis: StepBasis): PlanStep {
  const call = emergencyFor(plan, basis);
  if (basis.asksForServices === true || (plan.heard === "place" && plan.highest >= 2))
    return { give: call.length > 0 ? [...call, "resources"] : ["resources", "emergency_if"] };
  return { give: plan.paused === pausedTurns && plan.highest >= 2 ? [...call, "pause"] : call };
}

/**
 * Decides the step of a reply from the plan that this turn advanced: the help it names and the one question at its end. Level 3: emergency help comes
 * first, and the reply does not ask for the place. Level 2, and after it until the plan is settled: the direct question comes first, then those of the
 * plan, one per turn, never the same twice in a row. Level 1 before a crisis: one question, and help only on request. A turn that only answers no, or
 * asks for something else, gets no question. Level 0: nothing. An emergency that is not suicide: its own answer alone.
 */
export function nextStep(plan: CrisisPlan | undefined, basis: StepBasis): PlanStep {
  const { level } = basis.assessment;
  if (plan === undefined) return { give: [] };
  const emergency = emergencyIn(plan, basis);
  // Whom to call for abuse depends on the country. Nothing else is worth a question in an emergency.
  if (emergency !== undefined) return { emergency, ...(emergency === "abuse" && mayAskPlace(plan, basis.lookup) && { ask: "location" }), give: [] };
  if (level === 0) return { give: [] };
  if (isLetGo(plan, basis)) return { give: basis.asksForServices === true ? ["resources"] : [] };
  if (plan.paused !== undefined) return whilePaused(plan, basis);
  const ask = questionOf(plan, basis);
  const question = ask === undefined ? {} : { ask };
  if (plan.highest < 2 || (plan.earlier === true && level < 2) || ask === "last_time")
    return { ...question, give: basis.asksForServices === true ? ["resources"] : [] };
  // The rows of one place can change order. They are new only if none of them was given before.
  // That a country has no verified service is new with the country.
  const isKnown = basis.lookup.regions.length > 0 && !plan.given.includes(numberOf(basis.lookup));
  const isNew = idsOf(basis.lookup).every((id) => !plan.given.includes(id)) || (isKnown && basis.lookup.status === "no_verified_results");
  const isAskedFor = basis.asksForServices === true;
  const help: readonly Given[] = isNew || isAskedFor ? ["resources"] : ["resources_again"];
  const wasImminent = plan.emergency_given && plan.window.at(-2)?.level === 3;
  const at3: readonly Given[] = wasImminent ? ["emergency", "someone"] : ["emergency", "someone", "distance"];
  if (level === 3) return { ...question, give: [...at3, ...help, ...extraOf(plan, basis)] };
  // A quieter turn right after a level 3 still gets help.
  const isNext = plan.window.at(-2)?.level === 3;
  const isAlone = plan.heard === "someone" && plan.answers.someone === "no" && plan.barrier === undefined && !plan.given.includes(companyGiven);
  const company: readonly Given[] = (isNext && plan.answers.someone !== "yes") || (isAlone && plan.subject === "self") ? ["someone"] : [];
  // In later turns, a new place gets its services listed. Other replies do not point back to the services each time.
  const isWayOut = level === 1 && !isNext && !isAskedFor && !(isNew && basis.lookup.regions.length > 0);
  const call = emergencyFor(plan, basis);
  return {
    ...question,
    give: [
      ...call,
      ...company,
      ...distanceFor(plan),
      ...(isWayOut ? [] : help),
      // Once the country is known, the reply names its emergency number, whether or not a service there is verified.
      ...((isKnown || isAskedFor) && call.length === 0 ? (["emergency_if"] as const) : []),
      ...extraOf(plan, basis),
    ],
  };
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
  /** What the words say about company and barriers, which the screen does not read. */
  readonly says?: Says;
  /** The episode of the session. */
  readonly episode?: number;
  readonly now: number;
}

/** What a person in a crisis says about other people. */
export interface Says {
  readonly better?: true;
  readonly company?: boolean;
  /** They say that they are not alone. */
  readonly accompanied?: true;
  /** Words that mean that nobody is there, if that was asked. */
  readonly absent?: true;
  /** More than a yes or no, and no person is named. */
  readonly unpeopled?: true;
  /** They say that nothing is wrong, or no help needed. */
  readonly reassures?: true;
  /** They want a number or a person to talk to. */
  readonly asks_help?: true;
  /** They want to be left alone, or not to be asked. */
  readonly leaves?: true;
  /** They put what they could use out of reach. */
  readonly put_away?: true;
  /** They tell what holds them where they are not safe, or ask what to do. */
  readonly stuck?: true;
  /** `someone`: they do not say whom, which counts only beside a yes. */
  readonly will_reach?: true | "someone";
  /** They called or wrote to somebody. `someone`: it does not say to whom, so that only the question before tells that it is about help. */
  readonly reached?: true | "someone";
  readonly barrier?: BarrierKind;
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

/** Returns the plan of a crisis in an earlier session from the data that was kept of it; undefined if the data is not of this version. */
export function planOfEarlier({ highest, subject, risk_types, last_high_at, regions, language }: JsonObject): CrisisPlan | undefined {
  if ((highest !== 2 && highest !== 3) || typeof last_high_at !== "number" || !Array.isArray(risk_types) || !Array.isArray(regions)) return undefined;
  return {
    ...fresh,
    ...{ highest, last_high_at, turns_since_high: stickyTurns, episode: 0 },
    subject: subject === "other" ? "other" : "self",
    risk_types: riskTypes.filter((type) => risk_types.includes(type)),
    regions: regions.filter((region) => typeof region === "string"),
    ...(typeof language === "string" ? { language } : {}),
  };
}

/**
 * Starts a new plan if the crisis is over. It keeps the window, the person's place and the reply count. A session after a crisis that is over still
 * opens with it.
 */
function begun(plan: CrisisPlan | undefined, { now, episode }: TurnFindings): CrisisPlan {
  if (plan === undefined) return fresh;
  const { window, regions, location_refused, replies, emergency, calm_turns } = plan;
  const kept = { window, regions, location_refused, replies, ...(emergency === undefined ? {} : { emergency, calm_turns }) };
  if (isOpening(plan, { now, episode })) {
    if (plan.last_high_at !== undefined && now - plan.last_high_at < stickyMs) return { ...plan, opens: true };
    const { highest, subject, risk_types, last_high_at, turns_since_high, language } = plan;
    return { ...fresh, ...kept, highest, subject, risk_types, ...present({ last_high_at, turns_since_high, language }), opens: true, earlier: true };
  }
  const isLong = plan.last_high_at !== undefined && now - plan.last_high_at >= stickyMs;
  // Long after the crisis, a floor may still hold, but nothing is asked.
  if (isLong && !isOver(plan, now) && episode !== plan.episode) return { ...plan, earlier: true, discussed: true };
  const isFollowed = plan.earlier === true && plan.last_high_at !== undefined && now - plan.last_high_at < followUpMs;
  return isOver(plan, now) && !isFollowed ? { ...fresh, ...kept } : plan;
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

/** Returns the entry of `given` for the answer to a barrier. */
const answeredBarrier = (kind: BarrierKind): string => `barrier_${kind}`;

/** The barrier that a turn names, whatever was asked, unless the turn shows danger and nobody asked about other people. Each is answered once. */
function barrierIn(plan: CrisisPlan, findings: TurnFindings): BarrierKind | undefined {
  const { last_asked, highest, given } = plan;
  const { says, assessment } = findings;
  const isAsked = last_asked === "someone" || last_asked === "willing" || last_asked === "barriers";
  if (
    highest < 2 ||
    says?.barrier === undefined ||
    willReach(plan, findings) ||
    hasReached(plan, findings) ||
    given.includes(answeredBarrier(says.barrier))
  )
    return undefined;
  const isQuiet = shownBy(assessment) < 2;
  if (says.barrier === "other")
    return last_asked === "barriers" && isQuiet && says.company === undefined && says.absent === undefined ? "other" : undefined;
  // "She hung up" tells of the other person.
  if (plan.subject === "other" && says.barrier === "doubt" && last_asked !== "barriers") return undefined;
  return isAsked || isQuiet ? says.barrier : undefined;
}

/** A question that was asked can be answered later, in other words. */
const isOpenStill = (plan: CrisisPlan, question: PlanQuestion): boolean => timesAsked(plan, question) > 0 && plan.answers[question] !== "yes";

/** Tells whether the person says that they will reach out. */
const willReach = ({ answers }: CrisisPlan, { says, screened }: TurnFindings): boolean =>
  says?.will_reach === true || (says?.will_reach === "someone" && (screened?.answer === "yes" || answers.willing === "yes"));

/** Tells whether the person says that they reached somebody: somebody they name, or whom they agreed to reach. */
const hasReached = ({ answers }: CrisisPlan, { says, screened }: TurnFindings): boolean =>
  says?.reached === true || (says?.reached === "someone" && (screened?.answer === "yes" || answers.willing === "yes"));

/** Tells whether the person says that they will reach out, or did so when asked to. */
const agrees = (plan: CrisisPlan, findings: TurnFindings): boolean => {
  const { assessment } = findings;
  return (
    (willReach(plan, findings) || (hasReached(plan, findings) && (plan.last_asked === "willing" || plan.last_asked === "barriers"))) &&
    shownBy(assessment) < 2 &&
    isOpenStill(plan, "willing")
  );
};

/** Tells whether the person says that nobody is there. */
const saysAlone = ({ last_asked }: CrisisPlan, { says }: TurnFindings): boolean =>
  says?.company === false || (last_asked === "someone" && says?.absent === true && says.company !== true);

/** Tells whether the person says in a crisis that means are out of reach, and shows no danger. */
const putsAway = (plan: CrisisPlan, { says, assessment }: TurnFindings): boolean =>
  says?.put_away === true && plan.highest >= 2 && plan.subject === "self" && isDetailed(plan) && shownBy(assessment) < 2;

/** Kinds of barriers that are told with a no: "I have no credit". */
const toldWithNo: ReadonlySet<BarrierKind> = new Set(["talking", "cost"]);

/** Tells whether a no is about something else: nobody is there, where that was not asked, or nothing to call with, where who is there was. */
const isNoOfOther = ({ last_asked }: CrisisPlan, { says }: TurnFindings): boolean =>
  last_asked === "someone"
    ? says?.barrier !== undefined && toldWithNo.has(says.barrier) && says.absent !== true && says.company !== false
    : (last_asked === "plan" || last_asked === "means" || last_asked === "time") && (says?.absent === true || says?.company === false);

/** Tells whether a turn names a time, and nobody. */
const namesTime = ({ screened, says }: TurnFindings): boolean =>
  screened?.concepts.includes("time_near") === true && says?.company !== true && says?.will_reach === undefined;

/** Returns the answers in this turn. A statement about another person does not answer for the writer. */
function answersIn(plan: CrisisPlan, findings: TurnFindings): CrisisPlan["answers"] {
  const { last_asked } = plan;
  const { assessment, screened, says } = findings;
  const found: Partial<Record<PlanQuestion, PlanAnswer>> = {};
  const barrier = barrierIn(plan, findings);
  if (last_asked !== undefined) found[last_asked] = screened?.answer === undefined ? "unknown" : answerOf[screened.answer];
  // "Leave me alone" answers nothing.
  if (last_asked !== undefined && says?.leaves === true && shownBy(assessment) < 2) return { [last_asked]: "evaded" };
  if (last_asked !== undefined && found[last_asked] === "no" && isNoOfOther(plan, findings)) found[last_asked] = "unknown";
  if (screened?.retracts !== undefined) found[screened.retracts] = "yes";
  // What the words seem to say never overrides a no, nor danger in the same message.
  const isCredible = shownBy(assessment) < 2;
  if (last_asked === "barriers" && found.barriers === "yes") found.barriers = "unknown";
  // A yes that goes on without naming anybody is about something else: "yes, they are in my bag".
  if (last_asked === "someone" && found.someone === "yes" && says?.unpeopled === true && says.company !== true) found.someone = "unknown";
  // A time says who is there as little: "maybe tonight".
  if ((last_asked === "someone" || last_asked === "willing") && found[last_asked] === "yes" && namesTime(findings)) found[last_asked] = "unknown";
  if (says?.company === true && isCredible && (plan.highest >= 2 || timesAsked(plan, "someone") > 0) && found.someone !== "no") found.someone = "yes";
  if (says?.accompanied === true && isCredible) found.someone = "yes";
  // That they are alone undoes what they said before, whatever was asked.
  if (saysAlone(plan, findings) && (plan.highest >= 2 || timesAsked(plan, "someone") > 0)) found.someone = "no";
  if (found.willing === "yes" && !isCredible) found.willing = "unknown";
  if (barrier !== undefined) {
    found.barriers = "yes";
    if (last_asked === "willing") found.willing = "no";
  } else if (agrees(plan, findings) && found.willing !== "no") found.willing = "yes";
  else if (says?.reassures === true && isActed(plan) && found.willing === undefined && plan.answers.willing === "yes") found.willing = "unknown";
  if (assessment.subject !== "self" || assessment.level < 2 || isSuspicion(findings)) return found;
  for (const [question, answer, concepts] of spokenOf) if (concepts.some((id) => screened?.concepts.includes(id))) found[question] = answer;
  for (const question of reasonedOf[assessment.reason_code] ?? []) found[question] = "yes";
  return found;
}

/**
 * Merges new answers into earlier ones, where `shown` is the level that the turn itself showed. A no to the direct question does not hold if the turn
 * also shows warning signs.
 */
function joined(before: CrisisPlan["answers"], found: CrisisPlan["answers"], shown: SafetyLevel): CrisisPlan["answers"] {
  const answers = { ...before, ...found, ...stated(before) };
  return shown > 0 && answers.suicide === "no" ? { ...answers, suicide: "unknown" } : answers;
}

/** Returns the new information of the turn, so that the reply can acknowledge it. */
function heardIn(plan: CrisisPlan, findings: TurnFindings): Pick<CrisisPlan, "heard" | "barrier"> {
  const { last_asked, regions: known } = plan;
  const { regions } = findings;
  if (regions.some((region) => !known.includes(region))) return { heard: "place" };
  const barrier = barrierIn(plan, findings);
  if (barrier !== undefined) return { heard: "barriers", barrier };
  const { willing = plan.answers.willing, someone } = answersIn(plan, findings);
  const { screened, says } = findings;
  const isCalm = shownBy(findings.assessment) < 2;
  if (putsAway(plan, findings)) return { heard: "put_away" };
  if (says?.stuck === true && plan.emergency !== undefined && plan.highest < 2) return { heard: "stuck" };
  if (says?.leaves === true && isCalm) return {};
  if (last_asked === "last_time" && says?.better === true && screened?.answer !== "yes" && isCalm) return { heard: "last_time" };
  if (hasReached(plan, findings) && isCalm && plan.highest >= 2 && !plan.given.includes(reachedGiven)) return { heard: "reached" };
  if (last_asked === "willing" && willing === "yes") return { heard: "willing" };
  if (willReach(plan, findings) && willing === "yes") return { heard: "willing" };
  if (saysAlone(plan, findings) ? someone === "no" : says?.company === true && someone === "yes") return { heard: "someone" };
  return last_asked !== undefined && (screened?.answer === "yes" || screened?.answer === "no") ? { heard: last_asked } : {};
}

const signs: ReadonlySet<SafetyGround> = new Set<SafetyGround>(["match", "weights", "classifier", "unclear_turns"]);

/** Tells whether the turn shows a sign of danger by itself, rather than by the answer to a question. */
const isSignOf = (assessment: Assessment, shown: SafetyLevel): boolean => shown > 0 && isSignIn(assessment);

function isSignIn({ level, grounds = [] }: StepBasis["assessment"]): boolean {
  return level > 0 && grounds.some((ground) => signs.has(ground));
}

/** What tells of a danger only in a way that often means something else: learned weights, and soft matches. */
const soft: ReadonlySet<SafetyGround> = new Set<SafetyGround>(["match", "weights"]);

/** Tells whether a danger is only suspected: nothing was said outright, no classifier agreed, and no question was answered with a yes. */
const isSuspicion = ({ assessment: { level, grounds }, screened }: TurnFindings): boolean =>
  (level === 1 || level === 2) &&
  grounds.every((ground) => soft.has(ground)) &&
  screened?.matches.every(({ strength }) => strength === "soft") === true;

/** Returns the level that the turn itself showed, without floors. */
const shownBy = ({ level, override, path }: Assessment): SafetyLevel =>
  path !== "screen_error" && (override === "sticky" || override === "floor") ? 0 : level;

/** Tells whether a turn is above 0 only for leaving a question unanswered. An ordinary person does that too, so it takes back no answer, and is no sign while a danger is only suspected. */
const isEvaded = ({ level, grounds }: Assessment): boolean => level === 1 && grounds.length > 0 && grounds.every((ground) => ground === "answer");

/** Turns without a sign after which the next one is a new one. */
const quietTurns = 3;

/** Tells whether the next sign is a new one: all questions are settled, or the last turns showed none. */
const isQuiet = (plan: CrisisPlan): boolean =>
  openQuestions(plan, plan.highest).length === 0 ||
  (plan.window.length >= quietTurns && plan.window.slice(-quietTurns).every(({ level }) => level === 0));

/** Returns the danger that the person stated, which does not go away. */
const stated = (answers: CrisisPlan["answers"]): CrisisPlan["answers"] =>
  Object.fromEntries(lasting.filter((question) => answers[question] === "yes").map((question) => [question, "yes" as const]));

type Asked = Pick<CrisisPlan, "answers" | "asked" | "given" | "emergency_given">;

/**
 * Returns the questions, answers and help that stay valid. If the level rises, help is given again and only "yes" answers stay, because a "no" may no
 * longer hold. A new sign after a quiet time is asked about again: no "no" holds against it. If the subject changes, no question or answer stays.
 */
function keptOf(plan: CrisisPlan, { level, isSign }: { readonly level: SafetyLevel; readonly isSign: boolean }, subject: RiskSubject): Asked {
  const { answers, asked, given, emergency_given } = plan;
  if (plan.subject !== subject && plan.asked.length > 0) return { answers: {}, asked: [], given, emergency_given };
  const isGraver = level >= 2 && plan.highest > 0 && level > plan.highest;
  if (!isGraver && isSign && plan.highest >= 2 && isQuiet(plan)) return { answers: stated(answers), asked: [], given, emergency_given };
  if (!isGraver) return { answers, asked, given, emergency_given };
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

/** Returns the plan in an emergency that is not suicide: it learns the place and the language. A crisis beside it stays as it is, and waits. */
function besideEmergency(plan: CrisisPlan, { regions, refused, language = plan.language }: TurnFindings): CrisisPlan {
  const { last_asked: _asked, heard: _heard, barrier: _barrier, answering: _answering, emergency: _emergency, ...rest } = plan;
  return Object.freeze({
    ...rest,
    calm_turns: 0,
    regions: regions.length > 0 ? [...regions] : plan.regions,
    location_refused: plan.location_refused || refused,
    ...present({ language }),
  });
}

/** Returns the turns for which replies ask nothing. Danger ends the pause. */
function pausedIn({ paused = 0 }: CrisisPlan, { says, assessment }: TurnFindings): Pick<CrisisPlan, "paused" | "resumes"> {
  if (shownBy(assessment) >= 2) return {};
  if (says?.leaves === true) return { paused: pausedTurns };
  return paused > 1 ? { paused: paused - 1 } : paused === 1 ? { resumes: true } : {};
}

/**
 * Advances the plan by the messages of a turn. Returns undefined while no level was ever above 0. Direct answers and answers inferred from the
 * message both count. If the level rises, help is given again and open questions are asked again. A crisis that is over starts a new plan.
 */
export function advancePlan(plan: CrisisPlan | undefined, findings: TurnFindings): CrisisPlan | undefined {
  const { assessment, regions, refused, now, language = plan?.language } = findings;
  const { level } = assessment;
  if (plan === undefined && level === 0) return undefined;
  if (emergencyOf(assessment) !== undefined) return besideEmergency(plan ?? fresh, findings);
  const before = withAsked(begun(plan, findings), findings.asked);
  const subject = subjectOf(before, assessment);
  const shown = shownBy(assessment);
  const found = answersIn(before, findings);
  // After a crisis in an earlier session, only danger or a yes opens the plan again.
  const isOpen = shown >= 2 || found.last_time === "yes" || (before.earlier === true && found.suicide === "yes");
  const isSign = isOpen || (isSignOf(assessment, shown) && before.earlier !== true);
  const kept = keptOf(before, { level, isSign }, subject);
  // "I'm fine" in answer to a question is none. Once they were all asked, it is.
  const isBetter = findings.says?.reassures === true && shown === 0 && !isActed(before) && openQuestions(before, 1).length === 0;
  const isAct = shown === 3 && (assessment.reason_code === "act" || findings.screened?.concepts.includes("act_done") === true);
  const isPutAway = putsAway(before, findings);
  const noted = [...(isPutAway ? [putAwayGiven] : []), ...(isAct || isActed(before) ? [actedGiven] : []), ...(isBetter ? [betterGiven] : [])];
  const given = [...new Set([...kept.given.filter((one) => !isSign || one !== betterGiven), ...noted])];
  const {
    last_asked,
    heard: _heard,
    barrier: _barrier,
    answering: _answering,
    opens,
    earlier,
    discussed,
    doubtful: _doubtful,
    quiet: _quiet,
    paused: _paused,
    resumes: _resumes,
    episode: _episode,
    emergency,
    ...rest
  } = before;
  const isDiscussed = found.last_time === "no" || (earlier === true && found.suicide === "no");
  const wasDoubtful = before.doubtful === true;
  const isDoubtful = isSign ? (wasDoubtful || before.highest < Math.max(level, 1)) && isSuspicion(findings) : wasDoubtful && found.suicide !== "yes";
  // Asked directly, the person says no, or goes on calmly, and shows no other sign: the message was misread.
  const isMisread = isDoubtful && !isSign && (found.suicide === "no" || assessment.override === "released");
  const { screened } = findings;
  const quiet =
    isDoubtful && !isSign && screened !== undefined && isCalm(screened) && timesAsked(before, "suicide") > 0 ? (before.quiet ?? 0) + 1 : 0;
  const { last_high_at: _high, turns_since_high: _since, ...never } = rest;
  return Object.freeze({
    ...(isMisread ? { ...never, discussed: true } : rest),
    ...kept,
    given,
    ...heardIn(before, findings),
    ...(before.calm_turns < calmTurns ? present({ emergency }) : {}),
    ...present({ answering: last_asked, episode: findings.episode }),
    ...(isOpen ? {} : present({ opens: isDiscussed ? undefined : opens, earlier })),
    ...(!isOpen && (isDiscussed || discussed === true) ? { discussed: true } : {}),
    answers: { ...joined(kept.answers, found, isEvaded(assessment) ? 0 : shown), ...(isPutAway && { means: "no" as const }) },
    window: isMisread ? [] : [...before.window, { level: isDoubtful && isEvaded(assessment) ? 0 : shown, at: now }].slice(-mostWindow),
    ...(isDoubtful && !isMisread ? { doubtful: true, ...(quiet > 0 ? { quiet } : {}) } : {}),
    ...pausedIn(before, findings),
    highest: isMisread ? 0 : level > before.highest ? level : before.highest,
    subject,
    risk_types: riskTypes.filter((type) => before.risk_types.includes(type) || assessment.risk_types.includes(type)),
    ...(isMisread ? {} : highOf(before, level, now)),
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
  /** The entry of the local emergency number, which says whether it is known. */
  readonly number?: string;
}

/** Questions to remember. */
const mostAsked = 40;

/** Advances the plan by a reply, so that its question and its help are not repeated. */
export function afterReply(plan: CrisisPlan, { step: { ask, give, emergency }, resources, number: entry }: Replied): CrisisPlan {
  const { last_asked: _before, opens, ...rest } = plan;
  // A later crisis gets all of its help.
  if (emergency !== undefined) {
    const location_asked = plan.location_asked || ask === "location";
    return Object.freeze({ ...rest, ...present({ opens }), emergency, location_asked, ai_limits_given: true, replies: plan.replies + 1 });
  }
  const directories = resources.length === 0 && give.includes("resources") ? [directoriesGiven] : [];
  const number = entry !== undefined && (give.includes("emergency") || give.includes("emergency_if")) ? [entry] : [];
  const named = [...(give.includes("distance") ? [distanceGiven] : []), ...(give.includes("someone") ? [companyGiven] : [])];
  const barrier = plan.barrier === undefined ? [] : [answeredBarrier(plan.barrier)];
  const reached = ask === "reached" ? [reachedGiven] : [];
  const shown = [...resources, ...directories, ...number, ...named, ...barrier, ...reached];
  const question = planQuestions.find((one) => one === ask);
  return Object.freeze({
    ...rest,
    ...(ask === "last_time" ? {} : present({ opens })),
    ...(question === undefined ? {} : { last_asked: question, asked: [...plan.asked, question].slice(-mostAsked) }),
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
  const { last_asked: _asked, heard: _heard, barrier: _barrier, answering: _answering, ...danger } = now;
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
