/** The gate of a turn: judges the messages before anything else happens, and records the finding with the turn. */
import { present } from "../../kernel/json.ts";
import type { ExtensionTurn } from "../../extension/port.ts";
import type { Message } from "../../session/session-messages.ts";
import type { Assessment, SafetyClassifier } from "../assessment.ts";
import { sharedOf } from "../audit/gate-shared.ts";
import { createBreaker } from "../../kernel/breaker.ts";
import { type Classified, classifyWithin } from "../classifier/model-classifier.ts";
import { combine, type Findings } from "../combine.ts";
import { advancePlan, contextFrom, type CrisisPlan, nextStep, type PlanContext, windowMax } from "../crisis-plan.ts";
import { saysOf } from "../reply/safety-phrases.ts";
import { asTheirOwn, findRegions, type StatedRegions } from "../resources/regions.ts";
import { emptyLookup, lookupResources } from "../resources/resource-lookup.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { Screen, ScreenContext } from "../screen/screened.ts";
import { earlierPlan } from "./follow-up.ts";
import { screening, type Screening, spokenIn } from "./accept-screened.ts";
import { type Gated, gateStage, planField, recordedGate, writeGate } from "./gate-fields.ts";

/** Earlier messages that are searched for a place, and earlier messages that a classifier sees. */
const placeMessages = 4;
const shownMessages = 10;

/**
 * Judges the messages of a turn, once for all attempts: a resumed turn uses the recorded finding. An internal failure counts as unclear, not as no
 * finding. `found` receives the assessment before anything is done with it.
 */
export async function gate(turn: ExtensionTurn, safety: SafetySettings, found: (assessment: Assessment) => void): Promise<Gated> {
  const { clock } = turn.runtime;
  const began = clock.monotonic();
  const plan = planOf(turn) ?? (await earlierPlan(turn));
  const recorded = turn.journaled.has(gateStage) ? recordedGate(turn) : undefined;
  if (recorded !== undefined) return gatedBy(turn, safety, { assessment: recorded, plan: statedPlan(turn), ms: { gate: 0, screen: 0 } });

  const text = heardIn(turn)
    .map(({ text }) => text)
    .join("\n");
  const asked = plan?.last_asked === undefined ? questionInReply(turn, safety, plan) : undefined;
  const context = { ...contextFrom(plan), ...present({ asked }) };
  const before = textsBefore(turn);
  const { text: screenedText, ...screened } = screenAll(safety, turn, { context, before });
  const screenMs = clock.monotonic() - began;
  const isPlain = screened.screened?.level === 3;
  // The stages' questions to models can wait beside the classifier's. A danger by the rules is answered without them.
  if ((screened.screened?.level ?? 2) < 2 && safety.classifier !== undefined) turn.ahead();
  const classified = isPlain ? undefined : await classify(turn, safety, { text, plan });
  const findings: Findings = {
    text: screenedText,
    screened: screened.screened,
    verdict: classified?.verdict,
    limited: safety.classifier?.limited === true,
    path: isPlain ? "static" : (classified?.path ?? "deterministic_only"),
    plan,
    asked,
    leaves: leavesIn(turn, safety, plan) && asked === undefined,
    profile: safety.profile,
    episode: turn.loaded.session.episode,
    now: turn.began_at,
  };
  const assessment = combine(findings);
  found(assessment);
  const stated = placeIn(turn, text, plan);
  const advanced = advancePlan(plan, {
    assessment,
    screened: screened.screened,
    asked,
    ...stated,
    ...languageOf(text, assessment, { plan, isTold: before.length > 0 && spokenIn(safety, [text, ...before]) !== undefined }),
    says: saysOf(safety.phrases, text, [assessment.language, plan?.language]),
    episode: turn.loaded.session.episode,
    now: turn.began_at,
  });
  const ms = {
    gate: rounded(clock.monotonic() - began),
    screen: rounded(screenMs),
    ...(classified === undefined ? {} : { llm: rounded(classified.ms) }),
  };
  const gated = gatedBy(turn, safety, { assessment, plan: advanced, ms });
  writeGate(turn, safety, gated);
  return gated;
}

/** Returns the messages that the gate reads, in order: the answered ones, and the reports of the customer's page since the last reply. */
export const heardIn = ({ answered, reported }: ExtensionTurn): readonly Message[] =>
  [...reported, ...answered].toSorted((one, other) => one.offset - other.offset);

/** Fewer words than this do not change the language of a crisis. A few foreign words must not switch the language of the replies. */
const wordsOfLanguage = 6;
const otherScript = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** Returns the language of the message. A short message sets it only if none is known yet, or if the earlier messages were read with it. */
function languageOf(
  text: string,
  { language }: Assessment,
  { plan, isTold }: { readonly plan: CrisisPlan | undefined; readonly isTold: boolean },
): { readonly language?: string } {
  const isPlain = plan?.language === undefined || isTold || otherScript.test(text) || text.trim().split(/\s+/u).length >= wordsOfLanguage;
  return language === undefined || !isPlain ? {} : { language };
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** Returns the crisis plan. While no store can be written, the plan in this process's memory counts. */
function planOf(turn: ExtensionTurn): CrisisPlan | undefined {
  const known = sharedOf(turn.runtime).plans.get(turn.claim.session_id);
  const stated = statedPlan(turn);
  // Another process can have advanced the plan since.
  return known?.saved === false && seenAt(known.plan) >= seenAt(stated) ? known.plan : stated;
}

const seenAt = (plan: CrisisPlan | undefined): number => plan?.window.at(-1)?.at ?? 0;

const statedPlan = ({ journal }: ExtensionTurn): CrisisPlan | undefined => (journal.state as { readonly [planField]?: CrisisPlan })[planField];

/** Builds the gate's result from the assessment and the plan. */
function gatedBy(
  turn: ExtensionTurn,
  safety: SafetySettings,
  found: { readonly assessment: Assessment; readonly plan: CrisisPlan | undefined; readonly ms: Gated["ms"] },
): Gated {
  const { assessment, plan, ms } = found;
  const requested = requestedRegions(turn, safety);
  const asksForServices = requested !== undefined || (plan !== undefined && asksForHelp(turn, safety, found));
  // From level 2 on, and on request.
  const attempt = assessment.level >= 2 || (plan?.highest ?? 0) >= 2 || plan?.emergency !== undefined || (assessment.level === 1 && asksForServices);
  const { risk_types: riskTypes, language } = assessment;
  const lookup = attempt
    ? helpNear(safety, {
        regions: requested !== undefined && requested.length > 0 ? requested : (plan?.regions ?? []),
        refused: plan?.location_refused ?? false,
        now: turn.began_at,
        riskTypes,
        language: plan?.language ?? language,
      })
    : emptyLookup(safety.resources, "not_attempted");
  return { assessment, plan, step: nextStep(plan, { assessment, lookup, asksForServices, isRequest: isRequestIn(turn, safety) }), lookup, ms };
}

/** Tells whether a message of an open plan asks for a number or a person. */
const asksForHelp = ({ answered }: ExtensionTurn, { phrases }: SafetySettings, { assessment, plan }: Pick<Gated, "assessment" | "plan">): boolean =>
  answered.some(({ text }) => saysOf(phrases, text, [assessment.language, plan?.language]).asks_help === true);

/** Tells whether a message requests a service of the agent. A function that throws counts as no request. */
export function isRequestIn({ answered }: { readonly answered: readonly Pick<Message, "text">[] }, { isRequest }: SafetySettings): boolean {
  try {
    return answered.some(({ text }) => isRequest(text));
  } catch {
    return false;
  }
}

/** Tells whether the messages only leave what the agent is doing. After any sign of danger, none does. A function that throws counts as not leaving. */
function leavesIn({ answered, journal }: ExtensionTurn, { isLeaving }: SafetySettings, plan: CrisisPlan | undefined): boolean {
  if ((plan?.highest ?? 0) > 0 || plan?.last_asked !== undefined || answered.length === 0) return false;
  try {
    return answered.every(({ text, custom }) => custom !== true && isLeaving(text, journal.state));
  } catch {
    return false;
  }
}

/** Returns the regions of a request for services. A function that throws counts as no request. */
function requestedRegions({ answered }: ExtensionTurn, { servicesAskedFor }: SafetySettings): readonly string[] | undefined {
  try {
    return answered.map(({ text }) => servicesAskedFor(text)).findLast((regions) => regions !== undefined);
  } catch {
    return undefined;
  }
}

/** Returns the messages of the person and the agent before the answered ones. */
function messagesBefore({ messages, answered }: ExtensionTurn): ExtensionTurn["messages"] {
  const first = answered[0]?.offset ?? Number.POSITIVE_INFINITY;
  return messages.filter(
    ({ role, offset, is_trace, redacted, custom }) =>
      (role === "user" || role === "assistant") && offset < first && !is_trace && redacted !== true && custom !== true,
  );
}

/** Returns the person's last messages before the answered ones, newest first. */
const textsBefore = (turn: ExtensionTurn): readonly string[] =>
  messagesBefore(turn)
    .filter(({ role }) => role === "user")
    .slice(-shownMessages)
    .map(({ text }) => text)
    .toReversed();

/**
 * Returns the safety question in the last reply if the plan does not know of it. The agent's model can ask it in an ordinary turn, or a human who had
 * the session. Text that cannot be read contains no question.
 */
function questionInReply(turn: ExtensionTurn, { screen }: SafetySettings, plan: CrisisPlan | undefined): ScreenContext["asked"] {
  const said = messagesBefore(turn);
  const reply = said.slice(said.findLastIndex(({ role }) => role === "user") + 1).map(({ text }) => text);
  try {
    return askedIn(screen, reply.join("\n"), { inDanger: windowMax(plan) >= 2 });
  } catch {
    return undefined;
  }
}

/** Screens several messages both separately and together, because a danger can span two of them. The highest level counts. */
function screenAll(
  safety: SafetySettings,
  turn: ExtensionTurn,
  { context, before }: { readonly context: PlanContext; readonly before: readonly string[] },
): Screening & { readonly text: string } {
  const said = together(turn.answered.filter(({ custom }) => custom !== true)).map((text) => ({ ...screening(safety, text, context, before), text }));
  const heard = heardIn(turn);
  // A report of the customer's page answers no question. It counts only from level 2 on.
  const reported = heard.some(({ custom }) => custom === true)
    ? together(heard)
        .map((text) => ({ ...screening(safety, text, {}, before), text }))
        .filter((one) => levelOf(one) >= 2)
    : [];
  return [...said, ...reported].reduce((gravest, one) => (levelOf(one) > levelOf(gravest) ? one : gravest));
}

const together = (messages: readonly Message[]): readonly string[] => {
  const texts = messages.map(({ text }) => text);
  return texts.length === 0 ? [""] : texts.length === 1 ? texts : [texts.join("\n"), ...texts];
};

/** A failed screen counts as unclear. */
const levelOf = ({ screened }: Screening): number => screened?.level ?? 1;

/** Returns the place that the person named in the answered messages, or in the last ones before them. */
function placeIn(turn: ExtensionTurn, text: string, plan: CrisisPlan | undefined): StatedRegions {
  const now = statedIn(text, plan);
  if (now.regions.length > 0 || now.refused || (plan?.regions.length ?? 0) > 0) return now;
  const before = messagesBefore(turn)
    .filter(({ role }) => role === "user")
    .slice(-placeMessages);
  return before.map((message) => statedIn(message.text, undefined)).findLast(({ regions }) => regions.length > 0) ?? now;
}

/** Calls the classifier, if there is one and the text is not blank. */
async function classify(
  turn: ExtensionTurn,
  { classifier, hedge, softMs, hardMs }: SafetySettings,
  { text, plan }: { readonly text: string; readonly plan: CrisisPlan | undefined },
): Promise<Classified | undefined> {
  if (classifier === undefined || text.trim() === "") return undefined;
  const { runtime, signal } = turn;
  const before = messagesBefore(turn)
    .slice(-shownMessages)
    .map((message) => ({ role: message.role === "user" ? ("user" as const) : ("assistant" as const), text: message.text }));
  const breaker = breakerOf(turn, classifier);
  return classifyWithin({ classifier, hedge, softMs, hardMs, breaker, clock: runtime.clock, signal }, { text, before, window_max: windowMax(plan) });
}

function breakerOf({ runtime }: ExtensionTurn, classifier: SafetyClassifier): ReturnType<typeof createBreaker> {
  const { breakers } = sharedOf(runtime);
  const known = breakers.get(classifier);
  if (known !== undefined) return known;
  const made = createBreaker({ clock: runtime.clock });
  breakers.set(classifier, made);
  return made;
}

const quoted = /[“„«「『"][^“”„«»「」『』"\n]*[”“»」』"]/gu;
const sentence = /[^.!?？؟。！।…\n]+[.!?？؟。！।…]*/gu;
/** Most consecutive questions to read, the last ones. */
const mostQuestions = 4;
const isQuestion = (text: string): boolean => /[?？؟]/u.test(text);

/** Returns the last consecutive questions of a text, which the reader answers. Quoted questions are addressed to other people. */
function lastQuestions(text: string): readonly string[] {
  const sentences = text.replace(quoted, " ").match(sentence) ?? [];
  const last = sentences.findLastIndex(isQuestion);
  const before = sentences.slice(0, last + 1).findLastIndex((one) => !isQuestion(one));
  return sentences.slice(before + 1, last + 1).slice(-mostQuestions);
}

/** Uses rules alone: the learned weights were not fitted on questions. */
const namesDanger = (screen: Screen, text: string): boolean => {
  const { level, concepts } = screen(text);
  return level > 0 && concepts.length > 0;
};

/**
 * Returns the last safety question of a reply. A question about how or when counts only if danger was mentioned in it or before (`inDanger`).
 * Otherwise it can be about any plan.
 */
export function askedIn(screen: Screen, reply: string, { inDanger }: { readonly inDanger: boolean }): ScreenContext["asked"] {
  const asks = (text: string): ScreenContext["asked"] => screen.contextOf([{ role: "assistant", text }]).asked;
  const questions = lastQuestions(reply);
  // Most replies contain no such question, which one check shows.
  if (questions.length === 0 || asks(questions.join(" ")) === undefined) return undefined;
  return questions
    .map((text) => {
      const asked = asks(text);
      return asked === "suicide" || inDanger || namesDanger(screen, text) ? asked : undefined;
    })
    .findLast((asked) => asked !== undefined);
}

const placeAlone = /^(?:(?:in|en|à|au|em|di|aus|from)\s+)\p{L}+(?:[\s-]\p{L}+)?[.!]?$|^(?:UK|USA?|UAE|\p{Lu}\p{L}{3,})[.!]?$/u;
/** The answer to these can be a person's name, which can also be that of a place. */
const asksForPeople: ReadonlySet<unknown> = new Set(["someone", "willing", "barriers"]);
const givenNames: ReadonlySet<string> = new Set(
  "adelaide alexandria asia austin charlotte chelsea chad carolina dakota dallas devon diego florence francisco georgia houston israel jackson jordan jose kent kenya lincoln lourdes lorraine madison malta milan nancy paris phoenix regina roma roman salvador santiago savannah siena sofia sydney valencia verona victoria vienna virginia wellington".split(
    " ",
  ),
);
const wordIn = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}]/gu, "");

/** "In Wien" is like "in Wien". */
const lowerFirst = (text: string): string => text.replace(/^(?:In|En|À|Au|Em|Di|Aus|From)(?=\s)/u, (word) => word.toLowerCase());

/** Returns the regions that a message names. */
export function statedIn(text: string, plan: CrisisPlan | undefined): StatedRegions {
  const asked = plan?.location_asked ?? false;
  try {
    // A writer who describes another person can answer the question of place with that person's place.
    const own = findRegions(asked && plan?.subject === "other" ? asTheirOwn(text) : text, { asked });
    if (asked || own.regions.length > 0 || ((plan?.highest ?? 0) < 1 && plan?.emergency === undefined) || !placeAlone.test(lowerFirst(text.trim())))
      return own;
    if (asksForPeople.has(plan?.last_asked) && givenNames.has(wordIn(text))) return own;
    // In a crisis, a message that only names a place says where the person is.
    return { ...findRegions(text, { asked: true }), refused: own.refused };
  } catch {
    return { regions: [], refused: false };
  }
}

/** Looks up services. If the table cannot be read, the result is the directories. */
export function helpNear(
  { resources, profile }: SafetySettings,
  {
    regions,
    refused,
    language,
    ...needs
  }: Pick<Parameters<typeof lookupResources>[1], "regions" | "refused" | "now" | "riskTypes"> & {
    readonly language: string | undefined;
  },
): ResourceLookup {
  try {
    const spoken = language === undefined ? {} : { language };
    return lookupResources(resources, { ...needs, ...spoken, regions, refused: refused === true && regions.length === 0, profile });
  } catch {
    return emptyLookup(resources, "lookup_error");
  }
}
