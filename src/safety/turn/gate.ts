/** The gate of a turn: what was said is judged before anything else happens, and what was found is on record with the turn. */
import type { ExtensionTurn } from "../../extension/port.ts";
import type { Message } from "../../session/messages.ts";
import type { Assessment, SafetyClassifier } from "../assessment.ts";
import { sharedOf } from "../audit/gate-shared.ts";
import { type Classified, classifyWithin, createBreaker } from "../classifier/classify-within.ts";
import { combine, type Findings } from "../combine.ts";
import { contextFrom, type CrisisPlan, windowMax } from "../crisis-plan.ts";
import { nextStep } from "../crisis/next-step.ts";
import { advancePlan } from "../crisis/plan-changes.ts";
import { asTheirOwn, findRegions, type StatedRegions } from "../resources/regions.ts";
import { emptyLookup, lookupResources } from "../resources/resource-lookup.ts";
import type { ResourceLookup } from "../resources/resource-table.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { Screen, ScreenContext } from "../screen/screened.ts";
import { screening, type Screening } from "./accept-screened.ts";
import { type Gated, gateStage, planField, recordedGate, writeGate } from "./gate-fields.ts";

/** Earlier messages that are looked at for a place, and that a classifier is shown. */
const placeMessages = 4;
const shownMessages = 10;

/**
 * Looks at what the turn answers: once, whatever becomes of the turn; a resumed turn is given what was found before. What goes wrong inside is no reason to
 * find nothing: it is asked about. `found` hears of the assessment before anything is done with it.
 */
export async function gate(turn: ExtensionTurn, safety: SafetySettings, found: (assessment: Assessment) => void): Promise<Gated> {
  const { clock } = turn.runtime;
  const began = clock.monotonic();
  const plan = planOf(turn);
  const recorded = turn.journaled.has(gateStage) ? recordedGate(turn) : undefined;
  if (recorded !== undefined) return gatedBy(turn, safety, { assessment: recorded, plan: statedPlan(turn), ms: { gate: 0, screen: 0 } });

  const text = heardIn(turn)
    .map(({ text }) => text)
    .join("\n");
  const asked = plan?.last_asked === undefined ? askedByReply(turn, safety, plan) : undefined;
  const context = { ...contextFrom(plan), ...(asked === undefined ? {} : { asked }) };
  const { text: screenedText, ...screened } = screenAll(safety, turn, context);
  const screenMs = clock.monotonic() - began;
  const isPlain = screened.screened?.level === 3;
  const classified = isPlain ? undefined : await classify(turn, safety, { text, plan });
  const findings: Findings = {
    text: screenedText,
    screened: screened.screened,
    verdict: classified?.verdict,
    limited: safety.classifier?.limited === true,
    path: isPlain ? "static" : (classified?.path ?? "deterministic_only"),
    plan,
    asked,
    profile: safety.profile,
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
    ...languageOf(text, assessment, plan),
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

/** What the gate reads: what the turn answers, and what the customer's page has reported since the last reply, in order. */
export const heardIn = ({ answered, reported }: ExtensionTurn): readonly Message[] =>
  [...reported, ...answered].toSorted((one, other) => one.offset - other.offset);

/** Fewer words than this do not change the language of a crisis: nobody who is spoken to in their own is to be answered in another for a few words. */
const wordsOfLanguage = 6;
const otherScript = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** The language of what was said: of a short answer, only where none is known yet. */
function languageOf(text: string, { language }: Assessment, plan: CrisisPlan | undefined): { readonly language?: string } {
  const isPlain = plan?.language === undefined || otherScript.test(text) || text.trim().split(/\s+/u).length >= wordsOfLanguage;
  return language === undefined || !isPlain ? {} : { language };
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** Where the crisis stood: what was said while no store could be written counts, as long as this process knows of it. */
function planOf(turn: ExtensionTurn): CrisisPlan | undefined {
  const known = sharedOf(turn.runtime).plans.get(turn.claim.session_id);
  const stated = statedPlan(turn);
  // Another process may have gone on meanwhile.
  return known?.saved === false && seenAt(known.plan) >= seenAt(stated) ? known.plan : stated;
}

const seenAt = (plan: CrisisPlan | undefined): number => plan?.window.at(-1)?.at ?? 0;

const statedPlan = ({ journal }: ExtensionTurn): CrisisPlan | undefined => (journal.state as { readonly [planField]?: CrisisPlan })[planField];

/** What the gate comes to, once it is known what was found. */
function gatedBy(
  turn: ExtensionTurn,
  safety: SafetySettings,
  found: { readonly assessment: Assessment; readonly plan: CrisisPlan | undefined; readonly ms: Gated["ms"] },
): Gated {
  const { assessment, plan, ms } = found;
  const askedFor = askedForIn(turn, safety);
  const asksForServices = askedFor !== undefined;
  // From level 2 on, and for whoever asks.
  const attempt = assessment.level >= 2 || (plan?.highest ?? 0) >= 2 || (assessment.level === 1 && asksForServices);
  const { risk_types: riskTypes, language } = assessment;
  const lookup = attempt
    ? helpNear(safety, {
        regions: askedFor !== undefined && askedFor.length > 0 ? askedFor : (plan?.regions ?? []),
        refused: plan?.location_refused ?? false,
        now: turn.began_at,
        riskTypes,
        language: plan?.language ?? language,
      })
    : emptyLookup(safety.resources, "not_attempted");
  return { assessment, plan, step: nextStep(plan, { assessment, lookup, asksForServices, isRequest: isRequestIn(turn, safety) }), lookup, ms };
}

/** Whether something is asked for that the agent does. A function that fails has heard no request. */
function isRequestIn({ answered }: ExtensionTurn, { isRequest }: SafetySettings): boolean {
  try {
    return answered.some(({ text }) => isRequest(text));
  } catch {
    return false;
  }
}

/** The regions for which services are asked for. A function that fails has heard nobody ask. */
function askedForIn({ answered }: ExtensionTurn, { servicesAskedFor }: SafetySettings): readonly string[] | undefined {
  try {
    return answered.map(({ text }) => servicesAskedFor(text)).findLast((regions) => regions !== undefined);
  } catch {
    return undefined;
  }
}

/** What the person and the agent have said before what is answered. */
function saidBefore({ messages, answered }: ExtensionTurn): ExtensionTurn["messages"] {
  const first = answered[0]?.offset ?? Number.POSITIVE_INFINITY;
  return messages.filter(
    ({ role, offset, is_trace, redacted, custom }) =>
      (role === "user" || role === "assistant") && offset < first && !is_trace && redacted !== true && custom !== true,
  );
}

/**
 * What the last reply has asked about safety where the plan does not know of it: an agent's model asks by itself in ordinary talk, or a person who had the
 * session. What cannot be read has asked nothing.
 */
function askedByReply(turn: ExtensionTurn, { screen }: SafetySettings, plan: CrisisPlan | undefined): ScreenContext["asked"] {
  const said = saidBefore(turn);
  const reply = said.slice(said.findLastIndex(({ role }) => role === "user") + 1).map(({ text }) => text);
  try {
    return askedIn(screen, reply.join("\n"), { inDanger: windowMax(plan) >= 2 });
  } catch {
    return undefined;
  }
}

/** Several messages are looked at one by one and together: a danger may lie between two of them. The gravest counts. */
function screenAll(safety: SafetySettings, turn: ExtensionTurn, context: ScreenContext): Screening & { readonly text: string } {
  const said = together(turn.answered.filter(({ custom }) => custom !== true)).map((text) => ({ ...screening(safety, text, context), text }));
  const heard = heardIn(turn);
  // What a page reports answers no question, and from level 2 on it is no matter of asking back.
  const reported = heard.some(({ custom }) => custom === true)
    ? together(heard)
        .map((text) => ({ ...screening(safety, text), text }))
        .filter((one) => levelOf(one) >= 2)
    : [];
  return [...said, ...reported].reduce((gravest, one) => (levelOf(one) > levelOf(gravest) ? one : gravest));
}

const together = (messages: readonly Message[]): readonly string[] => {
  const texts = messages.map(({ text }) => text);
  return texts.length === 0 ? [""] : texts.length === 1 ? texts : [texts.join("\n"), ...texts];
};

/** A screen that has failed counts as unclear. */
const levelOf = ({ screened }: Screening): number => screened?.level ?? 1;

/** The place that the person has named in what is answered, or in the last messages before it. */
function placeIn(turn: ExtensionTurn, text: string, plan: CrisisPlan | undefined): StatedRegions {
  const now = statedIn(text, plan);
  if (now.regions.length > 0 || now.refused || (plan?.regions.length ?? 0) > 0) return now;
  const before = saidBefore(turn)
    .filter(({ role }) => role === "user")
    .slice(-placeMessages);
  return before.map((message) => statedIn(message.text, undefined)).findLast(({ regions }) => regions.length > 0) ?? now;
}

/** Asks the classifier, if there is one and there is something to judge. */
async function classify(
  turn: ExtensionTurn,
  { classifier, hedge, softMs, hardMs }: SafetySettings,
  { text, plan }: { readonly text: string; readonly plan: CrisisPlan | undefined },
): Promise<Classified | undefined> {
  if (classifier === undefined || text.trim() === "") return undefined;
  const { runtime, signal } = turn;
  const before = saidBefore(turn)
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
/** So many questions are read of a row at most, the last ones. */
const mostQuestions = 4;
const isQuestion = (text: string): boolean => /[?？؟]/u.test(text);

/** The last questions of a text, in a row: those that whoever reads it answers. What is quoted is asked of somebody else. */
function lastQuestions(text: string): readonly string[] {
  const sentences = text.replace(quoted, " ").match(sentence) ?? [];
  const last = sentences.findLastIndex(isQuestion);
  const before = sentences.slice(0, last + 1).findLastIndex((one) => !isQuestion(one));
  return sentences.slice(before + 1, last + 1).slice(-mostQuestions);
}

/** By its rules: the words of a question as a whole are not what such weights were fitted on. */
const namesDanger = (screen: Screen, text: string): boolean => {
  const { level, concepts } = screen(text);
  return level > 0 && concepts.length > 0;
};

/**
 * What a reply has asked about safety last. A question about how or when is one only where danger was spoken of: in it, or before (`inDanger`);
 * elsewhere it may be about anything that somebody plans to do.
 */
export function askedIn(screen: Screen, reply: string, { inDanger }: { readonly inDanger: boolean }): ScreenContext["asked"] {
  const asks = (text: string): ScreenContext["asked"] => screen.contextOf([{ role: "assistant", text }]).asked;
  const questions = lastQuestions(reply);
  // Most replies ask nothing of the kind, which one look tells.
  if (questions.length === 0 || asks(questions.join(" ")) === undefined) return undefined;
  return questions
    .map((text) => {
      const asked = asks(text);
      return asked === "suicide" || inDanger || namesDanger(screen, text) ? asked : undefined;
    })
    .findLast((asked) => asked !== undefined);
}

/** The regions that a message names. */
export function statedIn(text: string, plan: CrisisPlan | undefined): StatedRegions {
  const asked = plan?.location_asked ?? false;
  try {
    // Whoever writes of somebody else and was asked where may say where that person is.
    return findRegions(asked && plan?.subject === "other" ? asTheirOwn(text) : text, { asked });
  } catch {
    return { regions: [], refused: false };
  }
}

/** The help that there is. A table that cannot be read leaves the directories. */
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
