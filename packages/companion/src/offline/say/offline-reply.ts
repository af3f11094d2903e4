/** Builds the offline reply: its parts, the memories that it may mention, and its text, from the sentences in `<language>.yaml`. */
import { ThroughlineError } from "throughline";
import type { TherapeuticApproach } from "../../contract.ts";
import { heard as cueHeard, says } from "../cues/offline-cues.ts";
import { approachOf, type Feeling, feelingIn, isGlad, topicIn } from "../understand/message-wishes.ts";
import file from "../understand/subjects.data.json" with { type: "json" };
import { folded, hashOf, lengthOf, type OfflineLanguage, pick, type Seed } from "../words/folded-words.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import type { Prompted } from "./prompted.ts";
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/**
 * Sentences of a language. Lists hold variants. The comments name the placeholders `{topic}`, `{name}` and `{quote}`. No sentence has a digit or an
 * exclamation mark.
 */
interface Sentences {
  /** Acknowledges a feeling. */
  readonly feelings: Readonly<Partial<Record<Feeling, readonly string[]>>>;
  /** Acknowledges a message without a named feeling. */
  readonly heard: readonly string[];
  /** Acknowledges a message without a named feeling whose approach shows its subject: a loss, a shock, ambivalence, a hard thought, other people. */
  readonly of_approach: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Acknowledges a later message after a loss was named. */
  readonly grieving: readonly string[];
  /** Acknowledges something good. */
  readonly glad: readonly string[];
  /** Follows the acknowledgment; with `{topic}`. */
  readonly about: readonly string[];
  /** One open question. */
  readonly questions: readonly string[];
  /** Questions after a light message. */
  readonly light_questions: readonly string[];
  readonly approach_questions: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Answers a yes, a no or an ok to no question. */
  readonly onward: readonly string[];
  /** Answers questions for the companion's likes and stories: it has none. */
  readonly no_self: readonly string[];
  readonly glad_questions: readonly string[];
  /** For a person who wants to be heard, not advised. No question. */
  readonly listening: readonly string[];
  readonly greetings: readonly string[];
  readonly welcome: readonly string[];
  readonly patterns: readonly string[];
  /** With `{topic}`. */
  readonly patterns_about: readonly string[];
  readonly pattern_questions: readonly string[];
  /** Each with exactly one question. */
  readonly clarify: readonly string[];
  /** Explanations by subject; `any` if the subject is unknown. */
  readonly explain: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly explain_questions: readonly string[];
  /** One small thing to do. */
  readonly ways: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly way_questions: readonly string[];
  readonly closings: readonly string[];
  /** With `{topic}`. */
  readonly closings_about: readonly string[];
  /** Greets a person who introduces themselves; with `{name}`. */
  readonly met: readonly string[];
  /** Question after a message that only states a name. */
  readonly met_question: string;
  /** Answers a question for the person's own name; with `{name}`. */
  readonly your_name: string;
  /** The companion's abilities. */
  readonly what_i_can: readonly string[];
  /** Answers a question that the rules cannot answer. */
  readonly cannot_tell: readonly string[];
  /** States that the companion is an AI based on rules, not a person. */
  readonly what_i_am: readonly string[];
  /** States that the companion cannot diagnose. */
  readonly no_name: readonly string[];
  /** With `{quote}`. */
  readonly remembered: readonly string[];
  readonly nothing_remembered: readonly string[];
  /** The person moved on from a pending deletion. */
  readonly let_go: string;
  /** An exercise is paused. */
  readonly paused: string;
  /** The lookup has no answer. */
  readonly nothing_found: string;
  /** With `{quote}`: the summary of an earlier session. */
  readonly last_time: string;
  /** After a misunderstanding. */
  readonly repair: readonly string[];
  /** After a grave message without acute danger: one direct question. */
  readonly check_in: readonly string[];
  /** In the time after a crisis, for messages without a feeling. No question. */
  readonly after_crisis: readonly string[];
  /** Replaces a question for a person who wants none. */
  readonly room: readonly string[];
}

/** Subjects of explanations and techniques: a feeling or an area of life. */
type Subject =
  | "panic"
  | "worry"
  | "sleep"
  | "anger"
  | "sadness"
  | "grief"
  | "shame"
  | "overwhelm"
  | "procrastination"
  | "conflict"
  | "loneliness"
  | "numbness"
  | "ambivalence"
  | "thoughts"
  | "values"
  | "shock"
  | "tiredness";

export const banks: Readonly<Record<OfflineLanguage, Sentences>> = { en, es, de, fr, pt, zh };

/**
 * Returns the reply to a request. It has two to four sentences, at most one question, no digit of its own and no exclamation mark. The same
 * conversation always gets the same reply. Throws `model.failed` for a reply that the gate directs, because the gate's own sentences are better.
 */
export function replyTo(input: Prompted): string {
  if (input.directed || input.style === "crisis_response")
    throw new ThroughlineError("model.failed", "The rules write no reply to somebody in danger.", { hint: "The gate's own sentences are said." });
  if (input.given !== undefined) return input.given;
  const bank = banks[input.language];
  const seed: Seed = { text: `${input.text}|${input.earlier.length}`, avoid: input.last_replies };
  const wording: Wording = { bank, input, choose: (variants, purpose) => pick(variants, seed, purpose) };
  const reply = textOf(partsOf(wording), wording);
  const after = [...(input.let_go ? [bank.let_go] : []), ...(input.paused ? [bank.paused] : [])];
  return [reply, ...after].join(input.language === "zh" ? "" : " ");
}

/** Parts of a reply, each one or a few sentences. A short reply has only the core and the question. */
interface Parts {
  readonly lead?: string | undefined;
  readonly core: string;
  readonly more?: string | undefined;
  readonly ask?: string | undefined;
}

/** Input of the wording. */
interface Wording {
  readonly bank: Sentences;
  readonly input: Prompted;
  /** Chooses one of several variants. `purpose` makes the choices within one reply independent. */
  readonly choose: (variants: readonly string[], purpose: string) => string;
}

const filled = (sentence: string, name: string, value: string): string => sentence.replaceAll(`{${name}}`, value);

const ofFeeling = (feeling: Feeling, { bank, choose }: Wording): string =>
  choose(bank.feelings[feeling] ?? (isGlad(feeling) ? bank.glad : bank.heard), "heard");

/** Acknowledges a difficult feeling; undefined if the message names none. */
function weighing(wording: Wording): string | undefined {
  const feeling = feelingIn(wording.input.text);
  return feeling === undefined || isGlad(feeling) ? undefined : ofFeeling(feeling, wording);
}

/** Earlier messages that are checked for a loss. */
const mostGrief = 6;

/** Tells whether a loss was mentioned recently, and the message has no positive feeling or other approach. */
function isGrieving({ input: { text, earlier } }: Wording): boolean {
  const feeling = feelingIn(text);
  if (approachOf(text) !== "none" || (feeling !== undefined && isGlad(feeling))) return false;
  return earlier.slice(0, mostGrief).some((before) => approachOf(before) === "grief_support");
}

/** Acknowledges a loss or an event first, then a feeling, then the subject; undefined if the message has none. */
function acknowledged(wording: Wording): string | undefined {
  const { bank, input, choose } = wording;
  const approach = approachOf(input.text);
  const ofApproach = approach === "dbt_skills" ? bank.feelings.overwhelmed : bank.of_approach[approach];
  const feeling = feelingIn(input.text);
  if (ofApproach !== undefined && (feeling === undefined || approach === "grief_support" || approach === "pfa")) return choose(ofApproach, "heard");
  if (feeling === undefined) return isGrieving(wording) && !says(input.text, "asks") ? choose(bank.grieving, "heard") : undefined;
  return ofFeeling(feeling, wording);
}

const long = 25;
/** Tells whether to ask a question: always after a short message, after two in three of the others. */
const isAskedAbout = (text: string): boolean => lengthOf(text) < 6 || hashOf(`ask|${text}`) % 3 !== 0;

function supportive(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const { text, language } = input;
  if (says(text, "just_listen")) return { lead: weighing(wording), core: choose(bank.listening, "core") };
  if (says(text, "greeting")) return { core: choose(bank.greetings, "core") };
  if (says(text, "thanks")) return { core: choose(bank.welcome, "core") };
  if (says(text, "asks_about_it")) return { core: choose(bank.no_self, "core") };
  if (!input.after_crisis && says(text, "accepts", "declines")) return { core: choose(bank.onward, "core") };
  // After a crisis, small talk, questions and guesses about the subject are inappropriate. The gate asks the necessary questions.
  if (input.after_crisis)
    return {
      core: feelingIn(text) === undefined ? choose(bank.after_crisis, "core") : (acknowledged(wording) ?? choose(bank.after_crisis, "core")),
      ask: choose(bank.room, "ask"),
    };
  const core = acknowledged(wording);
  const feeling = feelingIn(text);
  const isGood = feeling !== undefined && isGlad(feeling);
  const ofApproach = bank.approach_questions[approachOf(text)];
  const topic = isGood || ofApproach !== undefined || isGrieving(wording) ? undefined : topicIn(text, language);
  if (core === undefined && topic === undefined && says(text, "asks")) return { core: choose(bank.cannot_tell, "core") };
  const other = bank.heard.filter((sentence) => sentence !== core);
  const more = topic === undefined ? (lengthOf(text) > long ? choose(other, "more") : undefined) : filled(choose(bank.about, "more"), "topic", topic);
  const isLight = core === undefined && topic === undefined && lengthOf(text) <= long;
  const questions = ofApproach ?? (isGood ? bank.glad_questions : isLight ? bank.light_questions : bank.questions);
  const ask = isAskedAbout(text) ? choose(questions, "ask") : more === undefined ? choose(bank.room, "ask") : undefined;
  return { core: core ?? choose(other, "heard"), more, ask };
}

function reflective(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const topic = topicIn(input.text, input.language);
  const core = topic === undefined ? choose(bank.patterns, "core") : filled(choose(bank.patterns_about, "core"), "topic", topic);
  return { lead: weighing(wording), core, ask: choose(bank.pattern_questions, "ask") };
}

function explaining({ bank, input, choose }: Wording): Parts {
  const subject = subjectOf(input.text, input);
  const texts = (subject === undefined ? undefined : bank.explain[subject]) ?? bank.explain.any;
  return { core: choose(texts, "core"), ask: choose(bank.explain_questions, "ask") };
}

function technique(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const subject = subjectOf(input.text, input);
  const texts = (subject === undefined ? undefined : bank.ways[subject]) ?? bank.ways.any;
  return { lead: weighing(wording), core: choose(texts, "core"), ask: choose(bank.way_questions, "ask") };
}

/** Returns a farewell with the topic of the newest message that names one. */
function closing({ bank, input, choose }: Wording): Parts {
  const isLoss = input.earlier.slice(0, mostGrief).some((text) => approachOf(text) === "grief_support");
  const topic = isLoss ? undefined : input.earlier.map((text) => topicIn(text, input.language)).find((found) => found !== undefined);
  return { core: topic === undefined ? choose(bank.closings, "core") : filled(choose(bank.closings_about, "core"), "topic", topic) };
}

/** Returns a sentence on a memory, if one fits. */
function remembered({ bank, input, choose }: Wording): string | undefined {
  const recalled = recalledFor(input);
  if (recalled === undefined) return undefined;
  return filled(recalled.type === "session" ? bank.last_time : choose(bank.remembered, "core"), "quote", recalled.text);
}

/** Returns the name with which the person introduces themselves. */
function nameIn(text: string): string | undefined {
  const name = cueHeard(text, "introduces")?.groups?.["name"];
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Greets a person who introduces themselves. */
function introduced({ bank, input, choose }: Wording): string | undefined {
  const name = nameIn(input.text);
  return name === undefined ? undefined : filled(choose(bank.met, "met"), "name", name);
}

const asksForName =
  /\b(?:my name|who i am|mi nombre|me llamo|mein(?:en)? name|ich heiße|mon (?:pré)?nom|je m'appelle|meu nome|me chamo)\b|我叫什么|我的名字/u;

/** Answers a question for the person's own name, if this conversation or the memory contains it. */
function named({ bank, input }: Wording): string | undefined {
  if (!asksForName.test(input.text)) return undefined;
  const quoted = input.memory.flatMap((line) => /"(?<said>[^"]+)"/u.exec(line)?.groups?.["said"] ?? []);
  const name = [...input.earlier, ...quoted.map(folded)].map(nameIn).find((one) => one !== undefined);
  return name === undefined ? undefined : filled(bank.your_name, "name", name);
}

/** Most words of a message that only states a name. */
const mostOfName = 7;

/** Returns the greeting by name, then the reply to the rest of the message. Without a rest, it asks for a topic. */
function greeted(met: string, wording: Wording): Parts {
  const { bank, input, choose } = wording;
  if (lengthOf(input.text) <= mostOfName) return { core: met, ask: bank.met_question };
  return acknowledged(wording) === undefined
    ? { core: met, more: bank.heard[0], ask: choose(bank.light_questions.slice(1), "ask") }
    : { ...supportive(wording), lead: met };
}

/** Returns the answers that come before every style: on the companion itself, on its limits, and after a misunderstanding. */
function first({ bank, input, choose }: Wording): Parts | undefined {
  const { text, style, repair } = input;
  if (says(text, "what_can_you_do")) return { core: choose(bank.what_i_can, "core") };
  if (says(text, "what_are_you")) return { core: choose(bank.what_i_am, "core") };
  if (says(text, "what_do_i_have")) return { core: choose(bank.no_name, "core") };
  if (style === "safety_check") return { core: choose(bank.check_in, "core") };
  if (style === "grounded_lookup") return { core: bank.nothing_found };
  return style !== "closing" && (repair || says(text, "missed")) ? { core: choose(bank.repair, "core") } : undefined;
}

/** Returns the parts of a reply. */
function partsOf(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const { style, wishes, asks_memory } = input;
  const before = first(wording);
  if (before !== undefined) return before;
  if (style === "closing") return closing(wording);
  if (style === "clarifying") return { core: choose(input.after_crisis ? bank.after_crisis : bank.clarify, "core") };
  const memory = asks_memory ? (named(wording) ?? remembered(wording)) : remembered(wording);
  if (asks_memory)
    return memory === undefined ? { core: choose(bank.nothing_remembered, "core") } : { core: memory, ask: choose(bank.questions, "ask") };
  if (style === "reflective") return reflective(wording);
  if (style === "psychoeducation") return explaining(wording);
  if (style === "technique" && !wishes.no_advice) return technique(wording);
  const met = input.after_crisis ? undefined : introduced(wording);
  const parts = met === undefined ? supportive(wording) : greeted(met, wording);
  return memory === undefined ? parts : { ...parts, more: memory };
}

const subjects = ["panic", "sleep", "procrastination", "conflict", "thoughts", "values"] as const satisfies readonly Subject[];

const namedSubject = file.subjects.map(({ subject, cues }) => ({ subject: subjects.find((one) => one === subject), cues: new RegExp(cues, "u") }));

const byFeeling: Readonly<Partial<Record<Feeling, Subject>>> = {
  ...({
    overwhelmed: "overwhelm",
    anxious: "worry",
    angry: "anger",
    ashamed: "shame",
    lonely: "loneliness",
    tired: "tiredness",
    sad: "sadness",
  } as const),
  ...({ hurt: "sadness", stressed: "overwhelm", numb: "numbness", confused: "ambivalence", jealous: "shame" } as const),
};

const byApproach: Readonly<Partial<Record<TherapeuticApproach, Subject>>> = {
  grief_support: "grief",
  pfa: "shock",
  motivational_interviewing: "ambivalence",
  dbt_skills: "overwhelm",
  act: "values",
  interpersonal_therapy: "conflict",
};

/** Earlier messages that are checked for a subject. */
const mostBefore = 4;

/** Returns the subject that a message names, or that its feeling implies. */
function spokenOf(text: string): Subject | undefined {
  const feeling = feelingIn(text);
  if (approachOf(text) === "grief_support") return "grief";
  return namedSubject.find(({ cues }) => cues.test(text))?.subject ?? (feeling === undefined ? undefined : byFeeling[feeling]);
}

/** A message that refers to earlier ones: "what can I do about it?" */
const pointsBack = /\b(?:it|this|that|these|those|eso|esto|ello|das|es|dagegen|damit|davon|ça|cela|isso|isto|disso)\b|这|那|它/u;

/**
 * Returns the subject of a message. A loss or a recent event comes first, then a named subject or feeling. If the message refers to earlier ones,
 * theirs follow, newest first. The approach's default comes last.
 */
function subjectOf(
  text: string,
  { approach, earlier }: { readonly approach: TherapeuticApproach; readonly earlier: readonly string[] },
): Subject | undefined {
  if (approach === "grief_support" || approach === "pfa") return byApproach[approach];
  const before = pointsBack.test(text) ? earlier.slice(0, mostBefore).map(spokenOf) : [];
  return spokenOf(text) ?? before.find((subject) => subject !== undefined) ?? byApproach[approach];
}

/** A memory that the reply can mention. */
interface Recalled {
  /** `session`: a summary of an earlier session. `quote`: the person's own words. */
  readonly type: "quote" | "session";
  readonly text: string;
}

const longest = 140;

/** Frequent words, which do not link a memory to a message. */
const common =
  /^(?:about|with|that|this|have|been|from|feel|feeling|felt|really|today|just|like|know|think|remember|told|talk|what|when|your|they|them|there|still|would|could|should|want|going|because|again|very|much|more|last|time)$/u;

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (folded(text).match(/\p{Script=Han}{2}|[\p{L}\p{N}]{4,}/gu) ?? [])
      .filter((word) => !common.test(word))
      .map((word) => word.replace(/(?:ing|ed|s)$/u, "")),
  );

/** Returns the quotable part of a memory line: its first sentence. A line that may contain a phone number is not quoted. */
function quotable(line: string): Recalled | undefined {
  if (/\byou said: "/u.test(line)) return undefined;
  const session =
    /last session \[[^\]]*\]: (?<text>[^[]+)/iu.exec(line)?.groups?.["text"] ??
    /last session \([^)]*\): (?<text>[^[]+)/iu.exec(line)?.groups?.["text"];
  const quote = /"(?<text>[^"]+)"(?: \(was so until [^)]*\))?\s*$/u.exec(line)?.groups?.["text"];
  const text = (session ?? quote)
    ?.replaceAll("&lt;", "<")
    .split(/[.!?](?=\s|$)|[。！？]/u)[0]
    ?.trim();
  if (text === undefined || text === "" || text.length > longest || /\d{3}/u.test(text)) return undefined;
  return { type: session === undefined ? "quote" : "session", text };
}

/**
 * Returns the memory to mention. On request, it is the line that shares most words with the question, otherwise the newest session summary. Unasked,
 * it is only a line that clearly matches, and only if the person wants recall.
 */
function recalledFor({ memory, earlier_texts, text, asks_memory, may_recall, last_replies }: Prompted): Recalled | undefined {
  if (!asks_memory && !may_recall) return undefined;
  const wanted = wordsOf(text);
  // Memory search does not cover the current conversation, but the person can ask about it.
  const here = asks_memory ? earlier_texts.filter((line) => !/[?？]/u.test(line)).map((line) => `"${line.replaceAll(/["\n]/gu, " ")}"`) : [];
  const lines = [...memory, ...here]
    .flatMap((line) => quotable(line) ?? [])
    .filter((one) => (asks_memory || !last_replies.includes(one.text)) && !text.includes(folded(one.text)));
  const scored = lines.map((one) => ({ one, score: [...wordsOf(one.text)].filter((word) => wanted.has(word)).length }));
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  if (best !== undefined && best.score >= (asks_memory ? 1 : 2)) return best.one;
  return asks_memory && wanted.size <= 1 ? lines.findLast(({ type }) => type === "session") : undefined;
}

const sentencesOf = (text: string): readonly string[] =>
  (text.match(/[^.!?。！？]+(?:[.!?](?=\S)[^.!?。！？]*)*[.!?。！？]+["”»“）]?\s*/gu) ?? [text])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

const isQuestion = (sentence: string): boolean => /[?？]["”»]?$/u.test(sentence);

/** Most words of a sentence that can end with the person's name. */
const nameable = 12;

/** Adds the name to the end of the first sentence, which works in every language. One in three replies has it. */
function addressed(text: string, name: string, seed: string): string {
  const first = /^[^.。?？:："“„«]+(?=[.。])/u.exec(text)?.[0];
  if (first === undefined || lengthOf(first) > nameable || hashOf(`name|${seed}`) % 3 !== 0) return text;
  return `${first}${text.charAt(first.length) === "。" ? "，" : ", "}${name}${text.slice(first.length)}`;
}

/** Shortens a reply to two sentences: the first, and the question if there is one. */
const shortened = (sentences: readonly string[]): readonly string[] =>
  sentences.length > 2
    ? [...sentences.slice(0, 1), ...(isQuestion(sentences.at(-1) ?? "") ? sentences.slice(-1) : sentences.slice(1, 2))]
    : sentences;

/** Joins the parts into a text with at most one question, the last one. Omits questions and shortens the text if the person prefers that. */
function textOf({ lead, core, more, ask }: Parts, { input, bank, choose }: Wording): string {
  const { wishes, language, text } = input;
  const parts = wishes.short ? [core, ask] : [lead, core, more, ask];
  const sentences = parts.flatMap((part) => (part === undefined ? [] : sentencesOf(part)));
  const question = sentences.findLast(isQuestion);
  const wanted = sentences.filter((sentence) => !isQuestion(sentence) || (sentence === question && !wishes.no_questions));
  // If the omitted question was most of the reply, an invitation replaces it.
  const full = wishes.no_questions && question !== undefined && wanted.length < 2 ? [...wanted, choose(bank.room, "room")] : wanted;
  const kept = wishes.short ? shortened(full) : full;
  const joined = kept.join(language === "zh" ? "" : " ");
  return wishes.name === undefined ? joined : addressed(joined, wishes.name, text);
}
