/** Decides the next step of a crisis without a model: the question and the help in the reply. */
import type { Assessment } from "../assessment.ts";
import type { CrisisPlan, PlanQuestion, PlanStep } from "../crisis-plan.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";

/** Entries of `given` for help without an id: the directories, the request to put distance between oneself and means, and the local emergency number. */
export const directoriesGiven = "directories";
export const distanceGiven = "distance";
export const numberGiven = "emergency_number";

/** Input of the decision about a step. */
export interface StepBasis {
  readonly assessment: Pick<Assessment, "level"> & Partial<Pick<Assessment, "override" | "matches">>;
  /** The result of this turn's lookup. */
  readonly lookup: ResourceLookup;
  /** The person explicitly asks for services. */
  readonly asksForServices?: boolean;
  /** The person asks for another service of the agent. */
  readonly isRequest?: boolean;
}

/** Returns the ids of the resources in a lookup, or the entry for the directories. */
export function idsOf({ resources }: ResourceLookup): readonly string[] {
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

function questionOf(plan: CrisisPlan, basis: StepBasis): PlanStep["ask"] {
  const { assessment, lookup } = basis;
  const { level } = assessment;
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
