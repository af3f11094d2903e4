/** Builds the offline reply: its parts, the memories that it may mention, and its text, from the sentences in `<language>.yaml`. */
import { ThroughlineError } from "throughline";
import type { TherapeuticApproach } from "../../contract.ts";
import { says } from "../cues/offline-cues.ts";
import { approachOf, type Feeling, feelingIn, isGlad, isUnclear } from "../understand/message-wishes.ts";
import { nameIn } from "../understand/own-name.ts";
import file from "../understand/subjects.data.json" with { type: "json" };
import { filledIn, nameOf, namesName, samePerson, type Story, storyIn, toneIn, whoIn } from "../understand/told-stories.ts";
import { agoOf, clausesOf, folded, hashOf, lengthOf, type OfflineLanguage, pick, type Seed } from "../words/folded-words.ts";
import ar from "./ar.data.json" with { type: "json" };
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import hiLatin from "./hi-latn.data.json" with { type: "json" };
import hi from "./hi.data.json" with { type: "json" };
import id from "./id.data.json" with { type: "json" };
import type { Prompted } from "./prompted.ts";
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/**
 * Sentences of a language. Lists hold variants. The comments name the placeholders `{name}`, `{quote}` and `{date}`. No sentence has a digit or an
 * exclamation mark.
 */
interface Sentences {
  /** Acknowledges a feeling. */
  readonly feelings: Readonly<Partial<Record<Feeling, readonly string[]>>>;
  /** Acknowledges a message that the rules understood no better: honest, and true of any message. */
  readonly heard: readonly string[];
  /** Acknowledges a message without a named feeling whose approach shows its subject: a loss, a shock, ambivalence, a hard thought, other people. */
  readonly of_approach: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Acknowledges a later message after a loss was named. */
  readonly grieving: readonly string[];
  /** Acknowledges something good. */
  readonly glad: readonly string[];
  /** One open question. */
  readonly questions: readonly string[];
  readonly approach_questions: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Answers a yes, a no or an ok to no question. */
  readonly onward: readonly string[];
  /** Answers a yes, a no or an ok of a person who wants to be left in peace. No question. */
  readonly quiet: readonly string[];
  /** Answers questions for the companion's likes and stories: it has none. */
  readonly no_self: readonly string[];
  readonly glad_questions: readonly string[];
  /** For a person who wants to be heard, not advised. No question. */
  readonly listening: readonly string[];
  readonly greetings: readonly string[];
  readonly welcome: readonly string[];
  readonly patterns: readonly string[];
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
  /** After the complaint that the companion repeats itself. */
  readonly repeated: readonly string[];
  /** After a grave message without acute danger: one direct question. */
  readonly check_in: readonly string[];
  /** In the time after a crisis, for messages without a feeling. No question. */
  readonly after_crisis: readonly string[];
  /** Answers a question for the day; with `{date}`. */
  readonly today: readonly string[];
  /** Answers a correction. */
  readonly corrected: readonly string[];
  readonly jokes: readonly string[];
  /** Answers a question for what happens if something goes wrong. */
  readonly what_if: readonly string[];
  /** Answers a question for an opinion or a verdict: gives the weighing back. */
  readonly no_opinion: readonly string[];
  /** Answers the wish for another voice. */
  readonly no_part: readonly string[];
  /** Acknowledges a message of which only the person is understood; with `{who}`. */
  readonly of_person: readonly string[];
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

export const banks: Readonly<Record<OfflineLanguage, Sentences>> = { en, es, de, fr, pt, zh, id, hi, "hi-latn": hiLatin, ar };

/**
 * Returns the reply to a request. It has two to four sentences, at most one question, no digit of its own and no exclamation mark. The same
 * conversation always gets the same reply. Throws `model.failed` for a reply that the gate directs, because the gate's own sentences are better.
 */
export function replyTo(input: Prompted): string {
  if (input.directed || input.style === "crisis_response")
    throw new ThroughlineError("model.failed", "The rules write no reply to somebody in danger.", { hint: "The gate's own sentences are said." });
  if (input.given !== undefined) return input.given;
  const bank = banks[input.language];
  const seed: Seed = { text: `${input.text}|${input.earlier.length}`, avoid: input.replies };
  const wording: Wording = { bank, input, choose: (variants, purpose) => pick(variants, seed, purpose) };
  const reply = unrepeated(wording);
  const after = [...(input.let_go ? [bank.let_go] : []), ...(input.paused ? [bank.paused] : [])];
  return [reply, ...after].join(input.language === "zh" ? "" : " ");
}

/** Returns a reply that is not one of the earlier ones, unless it answers a question. A repeated one becomes a general sentence. */
function unrepeated(wording: Wording): string {
  const { bank, input, choose } = wording;
  const parts = partsOf(wording);
  const reply = textOf(parts, wording);
  if (parts.answers === true || !input.replies.includes(reply)) return reply;
  return textOf({ ...parts, lead: undefined, core: choose(input.after_crisis ? bank.after_crisis : bank.heard, "again"), ask: undefined }, wording);
}

/** Parts of a reply, each one or a few sentences. A short reply has only the core and the question. */
interface Parts {
  readonly lead?: string | undefined;
  readonly core: string;
  readonly more?: string | undefined;
  readonly ask?: string | undefined;
  /** Answers a question. Asked again, the answer is the same. */
  readonly answers?: boolean;
}

/** Input of the wording. */
interface Wording {
  readonly bank: Sentences;
  readonly input: Prompted;
  /** Chooses one of several variants. `purpose` makes the choices within one reply independent. */
  readonly choose: (variants: readonly string[], purpose: string) => string;
}

/** No question and no closing phrase comes again within this many replies. */
const apart = 5;

/** Returns one of the questions that was not asked lately; undefined if all were, or if the last reply asked one already. */
function asked({ input, choose }: Wording, questions: readonly string[]): string | undefined {
  if (isQuestion(sentencesOf(input.replies[0] ?? "").at(-1) ?? "")) return undefined;
  return unused(questions, input.replies, choose, "ask");
}

function unused(variants: readonly string[], replies: readonly string[], choose: Wording["choose"], purpose: string): string | undefined {
  const fresh = variants.filter((variant) => agoOf(variant, replies) >= apart);
  return fresh.length === 0 ? undefined : choose(fresh, purpose);
}

const filled = (sentence: string, name: string, value: string): string => sentence.replaceAll(`{${name}}`, value);

const ofFeeling = (feeling: Feeling, { bank, choose }: Wording): string =>
  choose(bank.feelings[feeling] ?? (isGlad(feeling) ? bank.glad : bank.heard), "heard");

/** Acknowledges a difficult feeling; undefined if the message names none. */
function weighing(wording: Wording): string | undefined {
  const feeling = feelingIn(wording.input.text);
  return feeling === undefined || isGlad(feeling) ? undefined : ofFeeling(feeling, wording);
}

/** Earlier messages that are checked for a loss. Later ones are about other things, unless they say so. */
const mostGrief = 3;

/** Tells whether a loss was mentioned recently, and the message has no positive feeling or other approach. */
function isGrieving({ input: { text, earlier, language } }: Wording): boolean {
  const feeling = feelingIn(text);
  if (approachOf(text) !== "none" || (feeling !== undefined && isGlad(feeling)) || toneIn(text, language)?.mood === "good") return false;
  if (says(text, "turns_away") || whoIn(text, [], language) !== undefined) return false;
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

/** Returns the parts for a story that the rules know, with a question that fits it. */
function told(story: Story, wording: Wording): Parts {
  const { input, choose } = wording;
  const [about] = story.say;
  // The first sentence names the person, if there is one. It is preferred unless it was said already.
  const core = about !== undefined && agoOf(about, input.replies) >= apart * 2 ? about : choose(story.say, "core");
  const feeling = feelingIn(input.text);
  const felt = feeling === undefined || isGlad(feeling) ? undefined : ofFeeling(feeling, wording);
  if (story.mood === "fine" && felt !== undefined) return { core: felt };
  const isHard = story.mood === "hard";
  return {
    lead: isHard ? felt : undefined,
    core,
    more: story.mood === "plain" ? felt : undefined,
    ask: input.after_crisis || story.ask === undefined ? undefined : asked(wording, [story.ask]),
  };
}

/** Returns the parts for a message that the rules understood no better: what it feels like if it says so, else a general sentence. */
function general(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const { text } = input;
  const isVerdict = says(text, "asks_opinion") && says(text, "asks") && clausesOf(text).length === 1 && approachOf(text) === "none";
  const core = isVerdict ? undefined : acknowledged(wording);
  const feeling = feelingIn(text);
  const isGood = feeling !== undefined && isGlad(feeling);
  if (core === undefined && says(text, "asks")) {
    const answer = says(text, "asks_opinion") ? bank.no_opinion : bank.cannot_tell;
    return { core: choose(answer, "core") };
  }
  const tone = core === undefined ? toneIn(text, input.language) : undefined;
  const fitting = tone === undefined ? undefined : unused(tone.say, input.replies, choose, "tone");
  if (fitting !== undefined) return { core: fitting, ask: asked(wording, tone?.ask === undefined ? [] : [tone.ask]) };
  const about = core === undefined ? aboutPerson(wording) : undefined;
  if (about !== undefined) return { core: about };
  const ofApproach = core === undefined ? undefined : bank.approach_questions[approachOf(text)];
  const questions = ofApproach ?? (isGood ? bank.glad_questions : bank.questions);
  return { core: core ?? choose(bank.heard, "heard"), ask: asked(wording, questions) };
}

/** Acknowledges the person whom a message names, if it has not just done so. */
function aboutPerson({ bank, input, choose }: Wording): string | undefined {
  const who = whoIn(input.text, [], input.language);
  if (who === undefined) return undefined;
  const sentences = bank.of_person.map((sentence) => filledIn(sentence, who));
  return unused(sentences, input.replies, choose, "person");
}

const refuses = /^(?:no|nope|nein|non|não|bukan|nahi|nahin|नहीं|不对|不是|لا)(?!\p{L})/u;
const contrasts = /[,，،] ?(?:not|nicht|no|pas|não|不是|bukan|ليس) ?\p{L}+|^(?:not|nicht|pas|bukan) [^,]+, \p{L}|^不是[^，,]+[，,]?是/u;

/** Tells whether a message corrects something said before. A mere no must share a word with it, since it may answer a question. */
function isCorrection({ text, earlier }: Prompted): boolean {
  if (!says(text, "corrects") || says(text, "asks")) return false;
  if (!refuses.test(text) || contrasts.test(text)) return true;
  const words = wordsOf(text);
  return earlier.some((before) => [...wordsOf(before)].some((word) => words.has(word)));
}

/** Earlier messages in which a wish to be left in peace still counts. */
const mostQuiet = 4;

/** Most words of a message that says no more than that wish. */
const mostOfWish = 9;

/** Tells whether a person is to be left in peace: they ask for it, or say little more than yes or no after they asked for it, or after a crisis. */
function isLeftInPeace({ text, earlier, after_crisis }: Prompted): boolean {
  if (says(text, "wants_quiet") && lengthOf(text) <= mostOfWish) return true;
  const isBare = says(text, "accepts", "declines");
  if (isBare && after_crisis) return true;
  return (isBare || isUnclear(text)) && earlier.slice(0, mostQuiet).some((before) => says(before, "wants_quiet"));
}

function supportive(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const { text, earlier, language } = input;
  if (says(text, "just_listen")) return { lead: weighing(wording), core: choose(bank.listening, "core") };
  if (says(text, "greeting")) return { core: choose(bank.greetings, "core") };
  if (says(text, "thanks")) return { core: choose(bank.welcome, "core") };
  if (says(text, "asks_about_it")) return { core: choose(bank.no_self, "core"), answers: true };
  // A name that is stated is the part of a message that can be given back for certain.
  const name = nameOf(input.said, [input.said], language);
  if (isCorrection(input)) return { core: choose(bank.corrected, "core"), more: name };
  const stated = name === undefined || (lengthOf(text) > barely && !namesName.test(text)) ? undefined : ({ mood: "plain", say: [name] } as const);
  const story = storyIn(text, earlier, language) ?? stated;
  // After a crisis, small talk, questions and guesses about the subject are inappropriate. The gate asks the necessary questions.
  if (input.after_crisis) {
    if (story !== undefined) return told(story, wording);
    // Where the gate asks nothing, a question is answered as such.
    const isEveryday = says(text, "asks") && feelingIn(text) === undefined && approachOf(text) === "none";
    const name = isEveryday ? called(wording) : undefined;
    if (isEveryday) return { core: name ?? choose(says(text, "asks_opinion") ? bank.no_opinion : bank.cannot_tell, "core"), answers: true };
    return { core: feelingIn(text) === undefined ? choose(bank.after_crisis, "core") : (acknowledged(wording) ?? choose(bank.after_crisis, "core")) };
  }
  if (says(text, "accepts", "declines")) return { core: choose(bank.onward, "core") };
  if (says(text, "what_if")) return { core: choose(bank.what_if, "core") };
  const isLoss = approachOf(text) === "grief_support" || approachOf(text) === "pfa";
  return story === undefined || isLoss ? general(wording) : told(story, wording);
}

function reflective(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const story = storyIn(input.text, input.earlier, input.language);
  if (story !== undefined && lengthOf(input.text) < shortTelling) return told(story, wording);
  return { lead: weighing(wording), core: choose(bank.patterns, "core"), ask: asked(wording, bank.pattern_questions) };
}

/** Fewest words of a message from which a recurring pattern can be heard instead of a single event. */
const shortTelling = 8;

function explaining(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const subject = subjectOf(input.text, input);
  const texts = (subject === undefined ? undefined : bank.explain[subject]) ?? bank.explain.any;
  return { core: choose(texts, "core"), ask: asked(wording, bank.explain_questions) };
}

function technique(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const subject = subjectOf(input.text, input);
  const texts = (subject === undefined ? undefined : bank.ways[subject]) ?? bank.ways.any;
  return { lead: weighing(wording), core: choose(texts, "core"), ask: asked(wording, bank.way_questions) };
}

const closing = ({ bank, choose }: Wording): Parts => ({ core: choose(bank.closings, "core") });

/** Returns a sentence on a memory, if one fits. */
function remembered({ bank, input, choose }: Wording): string | undefined {
  const recalled = recalledFor(input);
  if (recalled === undefined) return undefined;
  return filled(recalled.type === "session" ? bank.last_time : choose(bank.remembered, "core"), "quote", recalled.text);
}

/** Greets a person who introduces themselves. */
function introduced({ bank, input, choose }: Wording): string | undefined {
  const name = nameIn(input.said);
  return name === undefined || input.earlier_texts.some((before) => nameIn(before) === name)
    ? undefined
    : filled(choose(bank.met, "met"), "name", name);
}

/** Answers a question for the person's own name, if they said it or asked to be called by it; undefined if it is not known. */
function named({ bank, input }: Wording): string | undefined {
  if (!says(input.text, "asks_name")) return undefined;
  const quoted = input.memory.flatMap((line) => /"(?<said>[^"]+)"/u.exec(line)?.groups?.["said"] ?? []);
  const name = input.wishes.name ?? [...input.earlier_texts, ...quoted].map(nameIn).find((one) => one !== undefined);
  return name === undefined ? undefined : filled(bank.your_name, "name", name);
}

/** Answers a question for the name of somebody of theirs, as last stated. */
function called({ input: { text, earlier_texts, memory, language } }: Wording): string | undefined {
  if (!namesName.test(text)) return undefined;
  return nameOf(text, [...earlier_texts, ...memory.toReversed()], language);
}

/** Most words of a message that only states a name: the person's own, or that of somebody of theirs ("my brother Daniel"). */
const mostOfName = 7;
const barely = 4;

/** Returns the greeting by name, then the reply to the rest of the message. Without a rest, it asks for a topic. */
function greeted(met: string, wording: Wording): Parts {
  const { bank, input } = wording;
  if (lengthOf(input.text) <= mostOfName) return { core: met, ask: bank.met_question };
  return { ...supportive(wording), lead: met };
}

const repeats = /repeat|same|wiederhol|dasselbe|gleiche|repit|mismo|répèt|même|repet|mesma|重复|同样|ulang|itu-itu|dohra|wahi|दोहरा|वही|تكرر|نفس/u;

/** Returns the answers that come before every style: on the companion itself, on its limits, and after a misunderstanding. */
function first(wording: Wording): Parts | undefined {
  const { bank, input, choose } = wording;
  const { text, style, repair } = input;
  if (says(text, "what_can_you_do")) return { core: choose(bank.what_i_can, "core"), answers: true };
  if (says(text, "what_are_you")) return { core: choose(bank.what_i_am, "core"), answers: true };
  if (says(text, "what_do_i_have")) return { core: choose(bank.no_name, "core"), answers: true };
  if (says(text, "asks_day")) return { core: filled(choose(bank.today, "core"), "date", dayIn(input)), answers: true };
  if (says(text, "asks_name")) return { core: named(wording) ?? choose(bank.nothing_remembered, "core"), answers: true };
  if (says(text, "plays_part")) return { core: choose(bank.no_part, "core"), answers: true };
  if (says(text, "asks_joke") && !input.after_crisis) return { core: choose(bank.jokes, "core") };
  if (style === "safety_check") return { core: choose(bank.check_in, "core") };
  if (style === "grounded_lookup") return { core: bank.nothing_found };
  if (style === "closing" || !(repair || says(text, "missed"))) return undefined;
  return { core: choose(repeats.test(text) ? bank.repeated : bank.repair, "core") };
}

/** Returns the date in the words of a language, in the time zone of the process. */
const dayIn = ({ language, now }: Prompted): string =>
  new Intl.DateTimeFormat(language === "hi-latn" ? "en-IN" : language, { dateStyle: "full", numberingSystem: "latn" }).format(now);

/** Returns the parts of a reply. */
function partsOf(wording: Wording): Parts {
  const { bank, input, choose } = wording;
  const { style, wishes, asks_memory } = input;
  if (style !== "safety_check" && isLeftInPeace(input)) return { core: choose(bank.quiet, "core"), answers: true };
  const before = first(wording);
  if (before !== undefined) return before;
  // "Buenas noches" greets in the evening.
  if (style === "closing" && !(input.replies.length === 0 && says(input.text, "greeting"))) return closing(wording);
  if (style === "clarifying") return { core: choose(input.after_crisis ? bank.after_crisis : bank.clarify, "core") };
  const memory = asks_memory ? (called(wording) ?? remembered(wording)) : remembered(wording);
  if (asks_memory && (memory !== undefined || !input.after_crisis)) return { core: memory ?? choose(bank.nothing_remembered, "core"), answers: true };
  if (style === "reflective") return reflective(wording);
  if (style === "psychoeducation") return explaining(wording);
  // Somebody who asks for advice wants it, whatever they said before.
  if (style === "technique" && (!wishes.no_advice || says(input.text, "wants_a_way"))) return technique(wording);
  const met = input.after_crisis || isCorrection(input) ? undefined : introduced(wording);
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
  const named = namedSubject.find(({ cues }) => cues.test(text))?.subject ?? (feeling === undefined ? undefined : byFeeling[feeling]);
  return named ?? byApproach[approachOf(text)];
}

/** A message that refers to earlier ones: "what can I do about it?" */
const pointsBack = /\b(?:it|this|that|these|those|eso|esto|ello|das|es|dagegen|damit|davon|ça|cela|isso|isto|disso)\b|这|那|它/u;

/** A question that came before is no trouble of the person's. */
const asksFacts = /[?？؟]\s*$/u;

/** A request with no more words, such as "any tips?", refers to what was said before. */
const fewWords = 5;

/**
 * Returns the subject of a message. A loss or a recent event comes first, then a named subject or feeling. If the message refers to earlier ones,
 * theirs follow, newest first. The approach's default comes last.
 */
function subjectOf(
  text: string,
  { approach, earlier }: { readonly approach: TherapeuticApproach; readonly earlier: readonly string[] },
): Subject | undefined {
  if (approach === "grief_support" || approach === "pfa") return byApproach[approach];
  const before =
    pointsBack.test(text) || lengthOf(text) <= fewWords
      ? earlier
          .slice(0, mostBefore)
          .filter((before) => !asksFacts.test(before))
          .map(spokenOf)
      : [];
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

/** Returns the sentences of a memory line that may be quoted. A sentence that may contain a phone number is not quoted. */
function quotable(line: string): readonly Recalled[] {
  if (/\byou said: "/u.test(line)) return [];
  const session =
    /last session \[[^\]]*\]: (?<text>[^[]+)/iu.exec(line)?.groups?.["text"] ??
    /last session \([^)]*\): (?<text>[^[]+)/iu.exec(line)?.groups?.["text"];
  const quote = /"(?<text>[^"]+)"(?: \(was so until [^)]*\))?\s*$/u.exec(line)?.groups?.["text"];
  const type = session === undefined ? "quote" : "session";
  return (session ?? quote ?? "")
    .replaceAll("&lt;", "<")
    .split(/[.!?](?=\s|$)|[。！？]/u)
    .map((text) => text.trim())
    .filter((text) => lengthOf(text) > 1 && text.length <= longest && !/\d{3}/u.test(text))
    .map((text) => ({ type, text }));
}

/**
 * Returns the memory to mention. On request, it is the sentence that shares most words with the question, otherwise the newest session summary. Unasked,
 * it is only a sentence that clearly matches, or the last session at the beginning of a new one, and only if the person wants recall.
 */
function recalledFor({ memory, earlier_texts, text, asks_memory, may_recall, replies, language, after_crisis }: Prompted): Recalled | undefined {
  if (!asks_memory && !may_recall) return undefined;
  const wanted = wordsOf(text);
  // Memory search does not cover the current conversation, but the person can ask about it.
  const here = asks_memory ? earlier_texts.filter((line) => !/[?？؟]/u.test(line)).map((line) => `"${line.replaceAll(/["\n]/gu, " ")}"`) : [];
  const lines = [...memory, ...here]
    .flatMap(quotable)
    .filter((one) => (asks_memory || !replies.some((reply) => reply.includes(one.text))) && !text.includes(folded(one.text)));
  const scored = lines.map((one) => {
    const shared = [...wordsOf(one.text)].filter((word) => wanted.has(word)).length;
    return { one, score: shared + (asks_memory && samePerson(text, folded(one.text), language) ? 2 : 0) };
  });
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  if (best !== undefined && best.score >= (asks_memory ? 1 : 2)) return best.one;
  const last = lines.find(({ type }) => type === "session");
  const isOpen = [...wanted].every((word) => telling.test(word));
  if (asks_memory) return wanted.size > 1 && !isOpen ? undefined : (last ?? (isOpen ? toldHere(earlier_texts, after_crisis) : undefined));
  return replies.length === 0 ? last : undefined;
}

/** Words of a question that names nothing but the telling: "what did I tell you?" */
const telling =
  /^(?:tell|told|said|habe|hast|alles|everything|mention\p{L}*|dije|dicho|cont[eé]|erzähl\p{L}*|gesagt|sagte|raconté|disse|dito|contei|falei|bilang|cerita\p{L}*|bataya|kaha|bola|قلت\p{L}*|[说诉讲我你过什么跟告了]{2})$|^बता|^कहा/u;

/** Fewest words of a message that tells something. */
const leastTold = 4;

/** Returns what the person told in this conversation, for "what did I tell you?": who they are, or else the last thing, which after something grave may be that. */
function toldHere(texts: readonly string[], afterCrisis: boolean): Recalled | undefined {
  const told = texts.filter((text) => !/[?？؟]/u.test(text) && lengthOf(text) >= leastTold);
  const introduced = told.find((text) => nameIn(text) !== undefined);
  const [one] = (introduced === undefined && afterCrisis ? [] : [introduced ?? told[0] ?? ""]).flatMap((text) =>
    quotable(`"${text.replaceAll(/["\n]/gu, " ")}"`),
  );
  return one;
}

const sentencesOf = (text: string): readonly string[] =>
  (text.match(/[^.!?。！？।؟]+(?:[.!?](?=\S)[^.!?。！？।؟]*)*[.!?。！？।؟]+["”»“）]?\s*/gu) ?? [text])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

const isQuestion = (sentence: string): boolean => /[?？؟]["”»]?$/u.test(sentence);

/** Most words of a sentence that can end with the person's name. */
const nameable = 12;

/** Adds the name to the end of the first sentence, which works in every language. One in three replies has it. */
function addressed(text: string, name: string, seed: string): string {
  const first = /^[^.。।?？؟:："“„«]+(?=[.。।])/u.exec(text)?.[0];
  if (first === undefined || text.includes(name) || lengthOf(first) > nameable || hashOf(`name|${seed}`) % 3 !== 0) return text;
  return `${first}${text.charAt(first.length) === "。" ? "，" : /\p{Script=Arabic}/u.test(first) ? "، " : ", "}${name}${text.slice(first.length)}`;
}

/** Shortens a reply to two sentences: the first, and the question if there is one. */
const shortened = (sentences: readonly string[]): readonly string[] =>
  sentences.length > 2
    ? [...sentences.slice(0, 1), ...(isQuestion(sentences.at(-1) ?? "") ? sentences.slice(-1) : sentences.slice(1, 2))]
    : sentences;

/** Joins the parts into a text with at most one question, the last one. Omits questions and shortens the text if the person prefers that. */
function textOf({ lead, core, more, ask }: Parts, { input, bank, choose }: Wording): string {
  const { wishes, language, text } = input;
  const parts = wishes.one_sentence ? [core] : wishes.short ? [core, ask] : [lead, core, more, ask];
  const sentences = parts.flatMap((part) => (part === undefined ? [] : sentencesOf(part)));
  const question = sentences.findLast(isQuestion);
  const wanted = sentences.filter((sentence) => !isQuestion(sentence) || (sentence === question && !wishes.no_questions));
  // The question was the whole reply.
  const full = wanted.length === 0 ? [choose(bank.heard, "heard")] : wanted;
  const kept = wishes.one_sentence ? full.slice(0, 1) : wishes.short ? shortened(full) : full;
  const joined = kept.join(language === "zh" ? "" : " ");
  return wishes.name === undefined ? joined : addressed(joined, wishes.name, text);
}
