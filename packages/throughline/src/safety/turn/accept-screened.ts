/** Screens a message before it is accepted. The finding decides its urgency. */
import { present } from "../../kernel/json.ts";
import type { AcceptEffect, ExtensionAgent } from "../../extension/port.ts";
import type { LoadedSession } from "../../store/port.ts";
import { escalationChanges } from "../audit/escalation-outbox.ts";
import { assessmentRecord, recordChange, refsFor } from "../audit/assessment-record.ts";
import { combine } from "../combine.ts";
import { contextFrom, type PlanContext } from "../crisis-plan.ts";
import { mayReach, saysBetter, saysOf } from "../reply/safety-phrases.ts";
import type { SafetySettings } from "../safety-settings.ts";
import type { Screened } from "../screen/screened.ts";
import { planIn } from "./gate-fields.ts";

/** The screen's finding in a text, or its failure. A failure does not reject the message. */
export type Screening = { readonly screened: Screened; readonly failed?: never } | { readonly screened?: never; readonly failed: true };

/** Questions that the screen knows. */
const known = ["suicide", "plan", "means", "time", "someone", "willing"] as const;

/** Questions to which "yes, I will call her" is no answer. */
const ofDetail: ReadonlySet<string> = new Set(["plan", "means", "time"]);
/** Concepts that answer them. */
const details: ReadonlySet<string> = new Set(["means", "means_in_hand", "time_near", "lethal_place", "do_it", "plan", "kill_self", "preparation"]);

/** What the screen read, and in which context. */
interface ReadIn {
  readonly read: Screened;
  readonly context: Omit<PlanContext, "asked">;
}

/** Tells whether a text is about people to reach, or who are there, and names nothing of how or when. */
function isOfPeople({ phrases }: Pick<SafetySettings, "phrases">, text: string, { read, context }: ReadIn): boolean {
  if (read.concepts.some((concept) => details.has(concept))) return false;
  if (context.reaches === true) return true;
  const { company, will_reach, reached } = saysOf(phrases, text, [read.language, context.language]);
  return company === true || will_reach !== undefined || reached !== undefined;
}

/** Tells whether a message names a time and no danger, and says that the person will reach somebody then, or maybe will: "maybe I'll call him tomorrow". */
function isWhenTheyReach({ phrases }: Pick<SafetySettings, "phrases">, text: string, { read, context }: ReadIn): boolean {
  const { concepts, matches, language } = read;
  if (!concepts.includes("time_near") || concepts.some((concept) => concept !== "time_near")) return false;
  const times = matches.filter(({ id }) => id.endsWith("/time_near")).toReversed();
  const rest = times.reduce((said, { span: [from, to] }) => `${said.slice(0, from)} ${said.slice(to)}`, text);
  return mayReach(phrases, rest, [language, context.language]);
}

/** Reads an answer. The time at which somebody will be reached is not that of an act. */
function screenedBy(safety: SafetySettings, text: string, context: PlanContext): Screened {
  const read = answerBy(safety, text, context);
  if ((context.highest ?? 0) < 2 && !ofDetail.has(context.asked ?? "")) return read;
  return isWhenTheyReach(safety, text, { read, context }) ? answerBy(safety, text, { ...context, reaches: true }) : read;
}

/** The answer to a question that the screen does not know is read like one about company. The message itself is read as if nothing was asked. */
function answerBy({ screen, phrases }: SafetySettings, text: string, { asked, ...context }: PlanContext): Screened {
  if (asked === undefined) return screen(text, context);
  // "A bit better" is no yes to the question whether the thoughts of last time are still there.
  if (asked === "last_time" && saysBetter(phrases, text)) return { ...screen(text, context), answer: "evasion" };
  // The question about last time is one about suicide.
  const question = asked === "last_time" ? "suicide" : known.find((one) => one === asked);
  if (question !== undefined) {
    const read = screen(text, { ...context, asked: question });
    return read.answer === "yes" && ofDetail.has(question) && isOfPeople({ phrases }, text, { read, context })
      ? { ...screen(text, context), answer: "evasion" }
      : read;
  }
  const { answer } = screen(text, { ...context, asked: "someone" });
  return { ...screen(text, context), ...present({ answer }) };
}

/** Returns the language that the agent reads in these messages, newest first; undefined if it reads none. */
export function spokenIn({ languageOf }: SafetySettings, texts: readonly string[]): string | undefined {
  try {
    return languageOf(texts);
  } catch {
    return undefined;
  }
}

/** Returns the language whose phrases alone were found in a text; undefined if there is none, or more than one. */
function phrasedIn({ matches }: Screened): string | undefined {
  const phrased = matches.map(({ id }) => id.split("/")).filter(([, concept]) => concept !== "words" && concept !== "means");
  const languages = new Set(phrased.map(([language]) => language));
  return languages.size === 1 ? [...languages][0] : undefined;
}

/** A text with fewer words is too short for the screen's guess of its language. */
const wordsOfGuess = 6;

/**
 * Returns the language of the reply to a text: what the agent reads in it, otherwise that of the phrases found in a short one, otherwise the screen's
 * guess. A text in a language that no pack covers is answered in that of the messages before it.
 */
function languageOf(safety: SafetySettings, text: string, { screened, before }: { readonly screened: Screened; readonly before: readonly string[] }) {
  if (screened.why_degraded === "language") return spokenIn(safety, before) ?? screened.language;
  const isShort = text.trim().split(/\s+/u).length < wordsOfGuess;
  return spokenIn(safety, [text, ...before]) ?? (isShort ? phrasedIn(screened) : undefined) ?? screened.language;
}

/** Tells whether a message says that something was taken, and nothing more: "I've had 16 of them". */
const isCount = ({ level, concepts }: Screened): boolean => level === 0 && concepts.includes("act_done");
/** Earlier messages that tell what was taken. */
const meansMessages = 3;

/** Returns the level of such a message: 2 if one of the last messages names means, otherwise 0. */
const levelAfterMeans = ({ screen }: SafetySettings, before: readonly string[]): Screened["level"] =>
  before.slice(0, meansMessages).some((one) => screen(one).matches.some(({ id }) => id.endsWith("/means"))) ? 2 : 0;

/** Screens a text. `before`: the person's earlier messages, newest first, by which a short text has a language. Never throws. */
export function screening(safety: SafetySettings, text: string, context: PlanContext = {}, before: readonly string[] = []): Screening {
  try {
    const alone = screenedBy(safety, text, context);
    const screened = isCount(alone) ? { ...alone, level: levelAfterMeans(safety, before) } : alone;
    return { screened: { ...screened, ...present({ language: languageOf(safety, text, { screened, before }) }) } };
  } catch {
    return { failed: true };
  }
}

/** Level from which a message is urgent. */
const urgentFrom = 2;

/** Tells whether a message is urgent: it ends the running turn and goes ahead of all waiting messages. */
const isUrgent = ({ screened }: Screening): boolean => screened !== undefined && screened.level >= urgentFrom;

/** Returns the urgency of a level for the staff of a session in manual mode. */
const alertOf = (level: number): number => level * 100;

/** Milliseconds that a person in danger waits for the turn, in addition to the time of its model. */
const mostTurn = 10_000;

/** Returns the plan, or undefined if the state cannot be folded. The message still reaches the staff. */
function planOrNone(loaded: LoadedSession): ReturnType<typeof planIn> {
  try {
    return planIn(loaded);
  } catch {
    return undefined;
  }
}

/**
 * Screens a customer's event. The turn of a message assesses the message. In manual mode no turn reads it, so its assessment is committed with it,
 * with an alert to the staff from level 2 on. A custom event that queues no turn also carries its assessment.
 */
export function acceptScreened(
  safety: SafetySettings,
  { agent, text, kind }: { readonly agent: ExtensionAgent; readonly text: string; readonly kind: "message" | "custom" },
): AcceptEffect {
  const screened = screening(safety, text);
  return {
    urgent: isUrgent(screened),
    // A level 3 waits for no model.
    answerMs: mostTurn + (screened.screened?.level === 3 ? 0 : safety.hardMs + safety.replyMs),
    beside: async ({ context, loaded, session_id, trace_id, answered }) => {
      if (answered) return undefined;
      const { session } = loaded;
      const now = context.clock.now();
      // A report of the customer's page answers no question, so it is judged by its own words.
      const plan = kind === "message" || isUrgent(screened) ? planOrNone(loaded) : undefined;
      // The message can answer a question from before the handover to humans.
      const found = plan === undefined ? screened : screening(safety, text, contextFrom(plan));
      const assessment = combine({ text, screened: found.screened, path: "deterministic_only", plan, profile: safety.profile, now });
      // There is no turn, so the message's trace id takes its place.
      const refs = await refsFor(context, { session, turn_id: trace_id });
      const isForPeople = session.mode === "manual" && (kind === "message" || isUrgent(screened));
      const record = assessmentRecord({ assessment, refs, agent, safety, at: now, session, action: isForPeople ? "manual" : "none" });
      const { audit_id, level } = record;
      return {
        assessed: { audit_id, level, ...(isForPeople && level >= 2 ? { alert: alertOf(level) } : {}) },
        records: [recordChange(record, safety.retentionDays), ...escalationChanges(safety, record, { key: trace_id, session_id, state: "queued" })],
      };
    },
  };
}
