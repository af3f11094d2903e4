/** What the reply to a turn does, decided without a model. */
import type { Assessment } from "../assessment.ts";
import type { CrisisPlan, PlanQuestion, PlanStep } from "../crisis-plan.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";

/** Stand in `given` for what has no id: the directories, the request to put distance between oneself and means, the emergency number of the place. */
export const directoriesGiven = "directories";
export const distanceGiven = "distance";
export const numberGiven = "emergency_number";

/** What a step rests on. */
export interface StepBasis {
  readonly assessment: Pick<Assessment, "level"> & Partial<Pick<Assessment, "override" | "matches">>;
  /** What the look-up for this turn has found. */
  readonly lookup: ResourceLookup;
  /** They ask for services in so many words. */
  readonly asksForServices?: boolean;
  /** They ask for something else that the agent does. */
  readonly isRequest?: boolean;
}

/** Ids of what a look-up gives a person to turn to. */
export function idsOf({ resources }: ResourceLookup): readonly string[] {
  return resources.length === 0 ? [directoriesGiven] : resources.map(({ id }) => id);
}

/** In this order. Nobody who was in danger now is asked how or when; questions of a plan are not put to somebody who writes of another person. */
const questionsFor = (plan: CrisisPlan, level: number): readonly PlanQuestion[] => {
  if (plan.subject === "other") return level === 3 ? ["willing", "barriers"] : ["suicide", "willing", "barriers"];
  if (plan.highest === 3) return ["someone", "willing", "barriers"];
  return plan.highest < 2 ? ["suicide", "someone"] : ["suicide", "plan", "means", "time", "someone", "willing", "barriers"];
};

/** Whether there is no need to ask, because it was said, or because another answer has settled it. */
function isSettled({ answers }: CrisisPlan, question: PlanQuestion): boolean {
  // Whoever has hurt themselves and does not want to die is not asked how they would do it, or when; what is within reach still is.
  if ((question === "plan" || question === "time") && answers.suicide === "no") return true;
  if (question === "time" && answers.plan === "no") return true;
  if (question === "barriers" && answers.willing === "yes") return true;
  return answers[question] === "yes" || answers[question] === "no";
}

const mayAskPlace = ({ location_asked, location_refused, regions }: CrisisPlan, { status, resources }: ResourceLookup): boolean =>
  !location_asked && !location_refused && regions.length === 0 && resources.length === 0 && (status === "no_location" || status === "not_attempted");

/** Before a crisis, a turn in which no words were found goes on: after a no, also one with a laugh, and with a request once the direct question was asked. */
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
  // The country is worth a question once the first ones are answered, and never when every minute counts.
  const first = open === "suicide" || open === "plan";
  if (!first && level <= 2 && plan.highest >= 2 && mayAskPlace(plan, lookup)) return "location";
  // Nothing is asked twice in a crisis. Before one, what is unclear is asked about as long as it stays so.
  if (open !== undefined || plan.highest >= 2) return open;
  // What only a missing verdict makes unclear is asked about once: whoever is not in danger must be able to go on.
  if (assessment.override === "floor") return undefined;
  return questions.find((question) => question !== plan.asked.at(-1));
}

type Given = PlanStep["give"][number];

/** Whoever has said that they have means is asked once to put them out of reach, also when nothing else is near. */
const distanceFor = ({ answers, given, subject }: CrisisPlan): readonly Given[] =>
  subject === "self" && answers.means === "yes" && !given.includes(distanceGiven) ? ["distance"] : [];

/** Something was done, or is about to be: how and when were said. */
const isUnderWay = ({ highest, answers }: CrisisPlan): boolean => highest === 3 && answers.means === "yes" && answers.time === "yes";

/** Turns after one in danger in which it is still near. */
const turnsNear = 3;
const isNear = ({ window }: CrisisPlan): boolean => window.slice(-1 - turnsNear, -1).some(({ level }) => level === 3);

/** In a quieter turn after one in danger: its number once it is known where they are, and again as long as something is under way and nobody was reached. */
function emergencyFor(plan: CrisisPlan, { lookup }: StepBasis): readonly Given[] {
  if (plan.highest < 3 || plan.answers.willing === "yes") return [];
  const isNewNumber = lookup.emergency.length > 0 && plan.emergency_given && !plan.given.includes(numberGiven);
  return isNewNumber || (isUnderWay(plan) && isNear(plan)) ? ["emergency"] : [];
}

/** Whoever asks that nobody be told or called is told again that a program can do neither. */
const asksForSecrecy = ({ assessment: { matches = [] } }: StepBasis): boolean => matches.some((id) => id.endsWith("/secrecy"));

/** One thing more, each once in a crisis, so that no reply is a long list. */
function extraOf(plan: CrisisPlan, basis: StepBasis): readonly Given[] {
  const { subject, ai_limits_given, human_care_given, coping_given } = plan;
  if (asksForSecrecy(basis)) return ["ai_limits"];
  if (basis.assessment.level === 3) return ai_limits_given ? [] : ["ai_limits"];
  if (!human_care_given) return ["human_care"];
  if (!ai_limits_given) return ["ai_limits"];
  return coping_given || subject === "other" || isUnderWay(plan) ? [] : ["coping"];
}

/**
 * What the reply does, of a plan that has been advanced by this turn: which help it names, and the one question it ends with. At level 3 emergency help comes
 * first and the place is not asked for; at level 2 the direct question, then the plan's, one per turn, none twice; at level 1 one question, and help
 * only where a crisis is open or they ask for it; none to whoever has only said no to it, or asks for something else. Nothing at level 0.
 */
export function nextStep(plan: CrisisPlan | undefined, basis: StepBasis): PlanStep {
  const { level } = basis.assessment;
  if (plan === undefined || level === 0) return { give: [] };
  const ask = questionOf(plan, basis);
  const question = ask === undefined ? {} : { ask };
  if (plan.highest < 2) return { ...question, give: basis.asksForServices === true ? ["resources"] : [] };
  // Rows of one place may change places; they are new where none of them was given.
  const isNew = idsOf(basis.lookup).every((id) => !plan.given.includes(id));
  const help: readonly Given[] = isNew ? ["resources"] : ["resources_again"];
  const wasImminent = plan.emergency_given && plan.window.at(-2)?.level === 3;
  const at3: readonly Given[] = wasImminent ? ["emergency", "someone"] : ["emergency", "someone", "distance"];
  if (level === 3) return { ...question, give: [...at3, ...help, ...extraOf(plan, basis)] };
  // A quieter turn right after one in danger is no way out yet.
  const isNext = plan.window.at(-2)?.level === 3;
  const company: readonly Given[] = isNext && plan.answers.someone !== "yes" ? ["someone"] : [];
  // Later a new place is worth naming its services; pointing back in every reply is not.
  const isWayOut = level === 1 && !isNext && !(isNew && basis.lookup.resources.length > 0);
  return { ...question, give: [...emergencyFor(plan, basis), ...company, ...distanceFor(plan), ...(isWayOut ? [] : help), ...extraOf(plan, basis)] };
}
