/** Words a crisis reply: composes it from the sentences of a language without a model, or builds the instructions for a model that writes it. */
import { type Assessment, emergencyOf } from "../assessment.ts";
import { type CrisisPlan, numberOf, type PlanStep } from "../crisis-plan.ts";
import { renderEmergency, renderResources } from "../resources/resource-lookup.ts";
import type { LookupStatus, ResourceLookup } from "../resources/resource-table.ts";
import type { SafetyPhrases } from "./safety-phrases.ts";

/** Input of a static reply. */
export interface ReplyParts {
  /** Advanced by this turn; undefined if the plan could not be read. */
  readonly plan: CrisisPlan | undefined;
  readonly step: PlanStep;
  readonly assessment: Pick<Assessment, "level" | "subject"> & Partial<Pick<Assessment, "grounds" | "risk_types">>;
  readonly lookup: ResourceLookup;
  readonly phrases: SafetyPhrases;
  /**
   * Whether a human is alerted. Every crisis reply says `nobody`. It says `told` only if a sink confirmed it, and says nothing about an alert that is
   * only `queued`.
   */
  readonly watched: "nobody" | "queued" | "told";
  /** Whether the person's message is stored. */
  readonly saved: boolean;
}

/** Returns the minimal step for a level, if no step could be decided. A message that no one could read gets the neutral question. */
export function bareStep({ level, grounds = [], risk_types = [] }: ReplyParts["assessment"]): PlanStep {
  const emergency = emergencyOf({ level, risk_types });
  if (emergency !== undefined) return { emergency, give: [] };
  if (level === 3) return { ask: "someone", give: ["emergency", "someone", "distance", "resources"] };
  if (level === 2) return { ask: "suicide", give: ["resources"] };
  return level === 1 ? { ask: grounds.includes("screen_failed") ? "safe" : "suicide", give: [] } : { give: [] };
}

/** Joins the sentences of a paragraph. Languages written without spaces get none between sentences. */
const paragraph = ({ language }: SafetyPhrases, sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== "").join(/^(?:zh|ja)\b/u.test(language) ? "" : " ");

/** Picks the variant in turn, so that two consecutive replies differ if there are two variants. */
const variantOf = (variants: readonly string[], replies: number): string => variants[replies % variants.length] ?? "";

function questionText({ phrases, step, assessment, plan }: ReplyParts): string {
  const replies = plan?.replies ?? 0;
  const before = plan?.asked.filter((asked) => asked === step.ask).length ?? 0;
  switch (step.ask) {
    case "last_time":
      return variantOf(assessment.subject === "other" ? phrases.last_time_other : phrases.last_time, replies);
    case "safe":
      return variantOf(phrases.ask_safe, replies);
    case "suicide":
      return variantOf(assessment.subject === "other" ? phrases.ask_directly_other : phrases.ask_directly, replies);
    case "plan":
      return variantOf(phrases.ask_plan, before);
    case "means":
      return variantOf(phrases.ask_means, before);
    case "time":
      return variantOf(phrases.ask_time, before);
    case "someone":
      return variantOf(phrases.ask_someone, before);
    case "willing":
      return variantOf(phrases.ask_willing, before);
    case "barriers":
      return variantOf(phrases.ask_barriers, before);
    case "check_in":
      return variantOf(phrases.ask_check_in, replies);
    case "reached":
      return variantOf(phrases.ask_reached, before);
    case "location":
      return phrases.ask_location;
    default:
      return "";
  }
}

/**
 * Returns the sentence that acknowledges a later turn. Before a crisis, only replies that ask another question have it. The direct question
 * acknowledges the message itself.
 */
function heard({ phrases, plan, step }: ReplyParts): string {
  const { heard: what, answers = {}, highest = 0, replies = 0 } = plan ?? {};
  if (highest < 2 && (replies === 0 || step.ask === "suicide" || step.ask === "safe")) return "";
  if (step.ask === "last_time" || step.ask === "reached" || step.give.includes("pause")) return "";
  if (what === "place") return phrases.heard_place;
  if (what === "put_away") return phrases.heard_put_away;
  if (plan?.barrier !== undefined) return phrases.barriers[plan.barrier];
  const answer = what === undefined || what === "reached" || what === "stuck" ? undefined : answers[what];
  if (what === "last_time" && answer !== "yes") return phrases.heard_better;
  if (answer === "no") return variantOf(phrases.heard_no, replies);
  if (answer === "yes" && what === "someone") return phrases.heard_someone;
  return answer === "yes" && what === "willing" ? variantOf(phrases.heard_willing, replies) : variantOf(phrases.heard, replies);
}

/** A person who agreed to contact someone is already asked to keep writing, so the reply does not repeat it. */
const asksToGoOn = (parts: ReplyParts): boolean => parts.assessment.level < 2 && parts.phrases.heard_willing.includes(heard(parts));

function opening(parts: ReplyParts): string {
  const { phrases, assessment, plan } = parts;
  const { level, subject } = assessment;
  if (level < 2) return heard(parts);
  const own = level === 3 ? phrases.opening_imminent : phrases.opening;
  const barrier = plan?.barrier === undefined ? "" : phrases.barriers[plan.barrier];
  return paragraph(phrases, [variantOf(subject === "other" ? phrases.opening_other : own, plan?.replies ?? 0), barrier]);
}

/**
 * Returns the urgent instructions. A writer who describes another person is asked to stay with them. Only the person in danger is told to put
 * distance between themselves and means.
 */
function urgent({ phrases, step: { give }, lookup, plan, assessment: { subject } }: ReplyParts): readonly string[] {
  const number = renderEmergency(lookup, phrases);
  const isNew = lookup.emergency.length > 0 && plan?.given.includes(numberOf(lookup)) !== true;
  const call = plan?.emergency_given === true && !isNew ? variantOf(phrases.call_still, plan.replies) : phrases.call_now;
  return [
    give.includes("pause") ? variantOf(phrases.paused, plan?.replies ?? 0).replaceAll("{emergency}", () => number) : "",
    give.includes("emergency_if") ? phrases.emergency_if.replaceAll("{emergency}", () => number) : "",
    give.includes("emergency") ? call.replaceAll("{emergency}", () => number) : "",
    give.includes("someone") ? (subject === "other" ? phrases.stay_with_them : phrases.be_with_someone) : "",
    give.includes("distance") && subject === "self" ? phrases.distance : "",
  ];
}

function services({ phrases, step: { give }, lookup, plan }: ReplyParts): string {
  if (give.includes("resources")) return renderResources(lookup, phrases);
  return give.includes("resources_again") ? variantOf(phrases.resources_again, plan?.replies ?? 0) : "";
}

function around({ phrases, step: { give }, watched, plan, assessment: { level } }: ReplyParts): readonly string[] {
  return [
    give.includes("human_care") ? phrases.human_care : "",
    give.includes("coping") ? variantOf(phrases.coping, plan?.replies ?? 0) : "",
    give.includes("ai_limits") ? phrases.ai_limits : "",
    level >= 2 && watched === "nobody" && (plan === undefined || give.includes("resources")) ? phrases.nobody_watching : "",
    level >= 2 && watched === "told" ? phrases.somebody_told : "",
  ];
}

/** Returns the reply to an emergency that is not suicide: whom to call and what to do now, and for abuse where to find help. It asks for the place at most. */
function emergencyReply({ phrases, plan, step: { emergency, ask }, lookup, saved }: ReplyParts): string {
  const said = emergency === undefined ? "" : variantOf(phrases.emergencies[emergency], plan?.replies ?? 0);
  return [
    said.replaceAll("{emergency}", () => renderEmergency(lookup, phrases)),
    emergency === "abuse" ? renderResources(lookup, phrases) : "",
    plan?.ai_limits_given === true ? "" : phrases.ai_limits,
    saved ? "" : phrases.not_saved,
    ask === "location" ? phrases.ask_location : "",
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/**
 * Composes the reply of a turn from sentences alone. Level 1: only the question, unless a crisis is open. From level 2 on: an acknowledgment, what to
 * do now, where to find help, and at most one question, at the end. If the plan could not be read, the step is the minimum for the level. At level 0
 * the reply says that no answer could be given.
 */
export function composeReply(given: ReplyParts): string {
  const { phrases, plan, assessment, saved } = given;
  const { level } = assessment;
  if (given.step.emergency !== undefined) return emergencyReply(given);
  const undecided = plan === undefined && given.step.ask === undefined && given.step.give.length === 0;
  const parts = undecided ? { ...given, step: bareStep(assessment) } : given;
  const question = questionText(parts);
  // The direct question has its own introduction. Before any other ending, a sentence says that the conversation continues.
  const { ask } = parts.step;
  const direct = level === 1 && (ask === "suicide" || ask === "safe" || ask === "last_time");
  const paragraphs = [
    paragraph(phrases, [level === 0 ? phrases.apology : opening(parts), ...urgent(parts)]),
    services(parts),
    paragraph(phrases, around(parts)),
    saved ? "" : phrases.not_saved,
    paragraph(phrases, [
      level === 0 || direct || ask === "reached" || parts.step.give.includes("pause") || asksToGoOn(parts)
        ? ""
        : variantOf(phrases.stay, plan?.replies ?? 0),
      question,
    ]),
  ];
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

/** Input of a directive. */
interface DirectiveParts {
  readonly plan: CrisisPlan | undefined;
  readonly step: PlanStep;
  readonly assessment: Pick<Assessment, "level" | "subject" | "reason_code" | "risk_types">;
  readonly lookup: ResourceLookup;
}

const questions: Readonly<Record<NonNullable<PlanStep["ask"]>, string>> = {
  safe: "how they are, and whether they are safe. Say that you may not have understood. Do not mention suicide",
  last_time:
    "whether the thoughts of the last conversation, when they were in danger, are still there today, gently and in a way that a yes or a no answers",
  suicide: "whether they are thinking about suicide, in that plain word, neutrally, and not in a way that suggests the answer no",
  plan: "whether they have thought about how they would do it. Ask for no detail",
  means: "whether they have within reach what they would use. Ask for no detail",
  time: "whether they have thought about when",
  someone: "whether somebody is with them right now, or could come",
  willing: "whether they would be willing to contact one of the services, or somebody they trust",
  barriers: "what would make it hard to reach out",
  reached: "how it was. They say that they called or wrote to somebody: acknowledge that they did it, and do not ask them to do it",
  check_in: "openly how things are for them at this moment, and not in a way that a yes or a no answers",
  location: "which country they are in, so that services there can be named; say that they need not answer",
};

const questionsOther: Partial<typeof questions> = {
  last_time: "whether they are still worried today about the person of the last conversation",
  suicide: "whether they know or think that the other person is thinking about suicide, in that plain word",
};

const giving: Readonly<Record<PlanStep["give"][number], string>> = {
  emergency: "Urge them to call the emergency number or a crisis line now: write [[emergency]] where the number belongs.",
  emergency_if: "Say in one sentence whom to call if anybody is in danger right now: write [[emergency]] where the number belongs.",
  someone: "Urge them to have somebody physically with them, or to go to where people are.",
  distance: "Ask them to put distance between themselves and anything they could use. Name no means.",
  resources: "Put [[resources]] on a line of its own: the services are filled in there.",
  resources_again: "Point back in one sentence to the services that were named before. Do not list them again.",
  human_care: "Encourage both somebody they trust and a professional, in one sentence.",
  coping: "Offer one small thing that may help through the next minutes.",
  pause:
    "They want to be left alone or not to be asked. Accept it: say that you ask nothing for now, that you stay, and that they can call if it gets worse: write [[emergency]] where the number belongs.",
  ai_limits: "Say once that you are an AI, that you cannot call anybody, and that you go on listening.",
};

const statusSays: Readonly<Record<LookupStatus, string>> = {
  found: "The services of their country are known.",
  stale: "The services of their country are known, and were not checked lately; their date is shown with them.",
  no_location: "Their country is not known: directories are shown in place of services.",
  not_attempted: "Their country was not looked up: directories are shown in place of services.",
  location_refused: "They do not want to say where they are. Never mention it again.",
  no_verified_results: "For their country no service was verified. Say so in one sentence; directories are shown.",
  lookup_error: "The services could not be looked up. Do not say that a look-up was completed, or that there are none.",
};

/** A reply in danger never contains these, even if the message asks for them. */
const avoid = [
  "Do not diagnose, and claim no clinical certainty.",
  "Do not promise secrecy, or that everything will be fine.",
  "Do not say that anybody was contacted or is on the way.",
  "Write no phone number, no link and no name of a service: only the placeholders named here.",
  "Say nothing of methods or means, and ask for no promise not to act.",
];

function heading({ level, subject, reason_code, risk_types }: DirectiveParts["assessment"]): string {
  const who = subject === "other" ? "somebody the person writes about" : "the person who writes";
  const urgency = ["", "It is unclear whether there is danger for", "There is serious concern for", "There is immediate danger for"][level] ?? "";
  return `${urgency} ${who}. What was found (metadata, no instruction): ${[reason_code, ...risk_types].join(", ")}.`;
}

function asking({ step: { ask }, assessment: { subject } }: DirectiveParts): string {
  if (ask === undefined) return "Ask no question that needs an answer now; leave room for whatever they want to say.";
  const about = (subject === "other" ? questionsOther[ask] : undefined) ?? questions[ask];
  return `Ask exactly one question, as the last sentence: ${about}. No other question anywhere.`;
}

/**
 * Returns the instructions for a model's own reply at level 1 and above; blank at level 0. The model writes placeholders verbatim, and the runtime
 * fills them in from the table.
 */
export function crisisDirective(parts: DirectiveParts): string {
  const { step, assessment, lookup, plan } = parts;
  const { level, subject } = assessment;
  if (level === 0) return "";
  const open = (plan?.highest ?? level) >= 2;
  const give = step.give.map((what) =>
    subject === "other" && (what === "someone" || what === "distance")
      ? "Urge them to stay with the other person, or to have somebody else stay there, if it is safe."
      : giving[what],
  );
  const lines = [
    heading(assessment),
    "Reply in the language of the message: calm, warm, short, plain words, no list but the services. Acknowledge what was said first; do not argue, blame or minimise.",
    ...new Set(give),
    ...(step.give.includes("resources") ? [statusSays[lookup.status]] : lookup.status === "location_refused" ? [statusSays.location_refused] : []),
    asking(parts),
    ...(open ? [] : ["Name no emergency number, no crisis line and no service in this reply: only ask."]),
    ...avoid,
    "Do not end the conversation, and do not say that you cannot talk about this.",
  ];
  return lines.join("\n");
}
