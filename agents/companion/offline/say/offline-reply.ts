/** The reply of the rules: its parts, what of the memory it may name, and its text in the manner that somebody wished for. */
import { ThroughlineError } from "throughline";
import type { TherapeuticApproach } from "../../contract.ts";
import { heard as cueHeard, says } from "../cues/offline-cues.ts";
import { type Feeling, feelingIn, isGlad, topicIn } from "../understand/feelings.ts";
import { approachOf } from "../understand/message-wishes.ts";
import file from "../understand/subjects.data.json" with { type: "json" };
import { folded, hashOf, lengthOf, pick, type Seed } from "../words/folded-words.ts";
import type { Prompted } from "./prompted.ts";
import { banks, type Sentences, type Subject } from "./reply-sentences.ts";

/**
 * The reply to a request. It has two to four sentences, at most one question, no digit of its own and no exclamation mark; the same conversation always gets the
 * same one. A reply that the gate directs is left to the gate, whose own sentences are better than any that rules put together: then it throws `model.failed`.
 */
export function replyTo(asked: Prompted): string {
  if (asked.directed || asked.style === "crisis_response")
    throw new ThroughlineError("model.failed", "The rules write no reply to somebody in danger.", { hint: "The gate's own sentences are said." });
  if (asked.given !== undefined) return asked.given;
  const bank = banks[asked.language];
  const seed: Seed = { text: `${asked.text}|${asked.earlier.length}`, said: asked.said };
  const wording: Wording = { bank, asked, choose: (variants, purpose) => pick(variants, seed, purpose) };
  const reply = told(partsOf(wording), wording);
  const after = [...(asked.let_go ? [bank.let_go] : []), ...(asked.paused ? [bank.paused] : [])];
  return [reply, ...after].join(asked.language === "zh" ? "" : " ");
}

/** Parts of a reply, each a sentence or a few. Whoever wants it short gets the core and the question. */
interface Parts {
  readonly lead?: string | undefined;
  readonly core: string;
  readonly more?: string | undefined;
  readonly ask?: string | undefined;
}

/** What parts are worded from. */
interface Wording {
  readonly bank: Sentences;
  readonly asked: Prompted;
  /** One of several ways to say the same; `purpose` keeps the choices of one reply apart. */
  readonly choose: (variants: readonly string[], purpose: string) => string;
}

const filled = (sentence: string, name: string, value: string): string => sentence.replaceAll(`{${name}}`, value);

const ofFeeling = (feeling: Feeling, { bank, choose }: Wording): string =>
  choose(bank.feelings[feeling] ?? (isGlad(feeling) ? bank.glad : bank.heard), "heard");

/** What was heard of a feeling that weighs; undefined where none was named. */
function weighing(wording: Wording): string | undefined {
  const feeling = feelingIn(wording.asked.text);
  return feeling === undefined || isGlad(feeling) ? undefined : ofFeeling(feeling, wording);
}

/** Messages that are looked back at for a loss. */
const mostGrief = 6;

/** Whether a loss was named not long ago, and nothing good or else is spoken of now. */
function isGrieving({ asked: { text, earlier } }: Wording): boolean {
  const feeling = feelingIn(text);
  if (approachOf(text) !== "none" || (feeling !== undefined && isGlad(feeling))) return false;
  return earlier.slice(0, mostGrief).some((before) => approachOf(before) === "grief_support");
}

/** What was heard: somebody lost or something that has happened first, then a feeling, then what else it is about; undefined where nothing of it is heard. */
function heard(wording: Wording): string | undefined {
  const { bank, asked, choose } = wording;
  const approach = approachOf(asked.text);
  const ofApproach = approach === "dbt_skills" ? bank.feelings.overwhelmed : bank.of_approach[approach];
  const feeling = feelingIn(asked.text);
  if (ofApproach !== undefined && (feeling === undefined || approach === "grief_support" || approach === "pfa")) return choose(ofApproach, "heard");
  if (feeling === undefined) return isGrieving(wording) && !says(asked.text, "asks") ? choose(bank.grieving, "heard") : undefined;
  return ofFeeling(feeling, wording);
}

const long = 25;
/** A message that has little to it is asked about; of longer ones, two in three. */
const isAskedAbout = (text: string): boolean => lengthOf(text) < 6 || hashOf(`ask|${text}`) % 3 !== 0;

function supportive(wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  const { text, language } = asked;
  if (says(text, "just_listen")) return { lead: weighing(wording), core: choose(bank.listening, "core") };
  if (says(text, "greeting")) return { core: choose(bank.greetings, "core") };
  if (says(text, "thanks")) return { core: choose(bank.welcome, "core") };
  if (says(text, "asks_about_it")) return { core: choose(bank.no_self, "core") };
  if (!asked.after_crisis && says(text, "accepts", "declines")) return { core: choose(bank.onward, "core") };
  // Small talk is out of place then, and so is asking on, or guessing what it is about: what is to be asked, the gate asks.
  if (asked.after_crisis)
    return {
      core: feelingIn(text) === undefined ? choose(bank.after_crisis, "core") : (heard(wording) ?? choose(bank.after_crisis, "core")),
      ask: choose(bank.room, "ask"),
    };
  const core = heard(wording);
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
  const { bank, asked, choose } = wording;
  const topic = topicIn(asked.text, asked.language);
  const core = topic === undefined ? choose(bank.patterns, "core") : filled(choose(bank.patterns_about, "core"), "topic", topic);
  return { lead: weighing(wording), core, ask: choose(bank.pattern_questions, "ask") };
}

function explaining({ bank, asked, choose }: Wording): Parts {
  const subject = subjectOf(asked.text, asked);
  const texts = (subject === undefined ? undefined : bank.explain[subject]) ?? bank.explain.any;
  return { core: choose(texts, "core"), ask: choose(bank.explain_questions, "ask") };
}

function technique(wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  const subject = subjectOf(asked.text, asked);
  const texts = (subject === undefined ? undefined : bank.ways[subject]) ?? bank.ways.any;
  return { lead: weighing(wording), core: choose(texts, "core"), ask: choose(bank.way_questions, "ask") };
}

/** What the conversation was about: the newest message that names a subject. */
function closing({ bank, asked, choose }: Wording): Parts {
  const isLoss = asked.earlier.slice(0, mostGrief).some((text) => approachOf(text) === "grief_support");
  const topic = isLoss ? undefined : asked.earlier.map((text) => topicIn(text, asked.language)).find((found) => found !== undefined);
  return { core: topic === undefined ? choose(bank.closings, "core") : filled(choose(bank.closings_about, "core"), "topic", topic) };
}

/** What is said of what is remembered, if anything. */
function remembered({ bank, asked, choose }: Wording): string | undefined {
  const recalled = recalledFor(asked);
  if (recalled === undefined) return undefined;
  return filled(recalled.type === "session" ? bank.last_time : choose(bank.remembered, "core"), "quote", recalled.text);
}

/** The name that somebody says in a text. */
function nameIn(text: string): string | undefined {
  const name = cueHeard(text, "introduces")?.groups?.["name"];
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
}

/** To somebody who says their name. */
function introduced({ bank, asked, choose }: Wording): string | undefined {
  const name = nameIn(asked.text);
  return name === undefined ? undefined : filled(choose(bank.met, "met"), "name", name);
}

const asksForName =
  /\b(?:my name|who i am|mi nombre|me llamo|mein(?:en)? name|ich heiße|mon (?:pré)?nom|je m'appelle|meu nome|me chamo)\b|我叫什么|我的名字/u;

/** To somebody who asks for their name, if they have said it: in this conversation, or in what is remembered. */
function named({ bank, asked }: Wording): string | undefined {
  if (!asksForName.test(asked.text)) return undefined;
  const quoted = asked.memory.flatMap((line) => /"(?<said>[^"]+)"/u.exec(line)?.groups?.["said"] ?? []);
  const name = [...asked.earlier, ...quoted.map(folded)].map(nameIn).find((one) => one !== undefined);
  return name === undefined ? undefined : filled(bank.your_name, "name", name);
}

/** Words of a message that says a name and nothing else. */
const mostOfName = 7;

/** A name, and then what else was said; with nothing else, what they would like to talk about. */
function greeted(met: string, wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  if (lengthOf(asked.text) <= mostOfName) return { core: met, ask: bank.met_question };
  return heard(wording) === undefined
    ? { core: met, more: bank.heard[0], ask: choose(bank.light_questions.slice(1), "ask") }
    : { ...supportive(wording), lead: met };
}

/** Answers that come before every style: what it is, what it cannot say, and that it has missed them. */
function first({ bank, asked, choose }: Wording): Parts | undefined {
  const { text, style, repair } = asked;
  if (says(text, "what_can_you_do")) return { core: choose(bank.what_i_can, "core") };
  if (says(text, "what_are_you")) return { core: choose(bank.what_i_am, "core") };
  if (says(text, "what_do_i_have")) return { core: choose(bank.no_name, "core") };
  if (style === "safety_check") return { core: choose(bank.check_in, "core") };
  if (style === "grounded_lookup") return { core: bank.nothing_found };
  return style !== "closing" && (repair || says(text, "missed")) ? { core: choose(bank.repair, "core") } : undefined;
}

/** The parts of a reply. */
function partsOf(wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  const { style, wishes, asks_memory } = asked;
  const before = first(wording);
  if (before !== undefined) return before;
  if (style === "closing") return closing(wording);
  if (style === "clarifying") return { core: choose(asked.after_crisis ? bank.after_crisis : bank.clarify, "core") };
  const memory = asks_memory ? (named(wording) ?? remembered(wording)) : remembered(wording);
  if (asks_memory)
    return memory === undefined ? { core: choose(bank.nothing_remembered, "core") } : { core: memory, ask: choose(bank.questions, "ask") };
  if (style === "reflective") return reflective(wording);
  if (style === "psychoeducation") return explaining(wording);
  if (style === "technique" && !wishes.no_advice) return technique(wording);
  const met = asked.after_crisis ? undefined : introduced(wording);
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

/** Messages that are looked back at. */
const mostBefore = 4;

/** What a message names, or what is felt in it. */
function spokenOf(text: string): Subject | undefined {
  const feeling = feelingIn(text);
  if (approachOf(text) === "grief_support") return "grief";
  return namedSubject.find(({ cues }) => cues.test(text))?.subject ?? (feeling === undefined ? undefined : byFeeling[feeling]);
}

/** A message that points back at what was said: "what can I do about it?" */
const pointsBack = /\b(?:it|this|that|these|those|eso|esto|ello|das|es|dagegen|damit|davon|ça|cela|isso|isto|disso)\b|这|那|它/u;

/**
 * What it is about: what is lost or has just happened, what is named or felt, what was so in the messages before if it points back at them (newest first), what the
 * approach is for; else undefined.
 */
function subjectOf(
  text: string,
  { approach, earlier }: { readonly approach: TherapeuticApproach; readonly earlier: readonly string[] },
): Subject | undefined {
  if (approach === "grief_support" || approach === "pfa") return byApproach[approach];
  const before = pointsBack.test(text) ? earlier.slice(0, mostBefore).map(spokenOf) : [];
  return spokenOf(text) ?? before.find((subject) => subject !== undefined) ?? byApproach[approach];
}

/** Something remembered that can be said. */
interface Recalled {
  /** `session`: a note of an earlier session; `quote`: the person's own words. */
  readonly type: "quote" | "session";
  readonly text: string;
}

const longest = 140;

/** Words that many messages share, and that make nothing a memory of the other. */
const common =
  /^(?:about|with|that|this|have|been|from|feel|feeling|felt|really|today|just|like|know|think|remember|told|talk|what|when|your|they|them|there|still|would|could|should|want|going|because|again|very|much|more|last|time)$/u;

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (folded(text).match(/\p{Script=Han}{2}|[\p{L}\p{N}]{4,}/gu) ?? [])
      .filter((word) => !common.test(word))
      .map((word) => word.replace(/(?:ing|ed|s)$/u, "")),
  );

/** What a line of memory can be quoted for: its first sentence. What may be somebody's number is not said again. */
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
 * What can be named now. Asked for, the line that shares most words with the question, else the newest note of a session; brought up unasked, only a line that
 * clearly speaks of the same, and only if that is wanted.
 */
function recalledFor({ memory, told, text, asks_memory, may_recall, said }: Prompted): Recalled | undefined {
  if (!asks_memory && !may_recall) return undefined;
  const wanted = wordsOf(text);
  // What was said in this conversation is not looked up in the memory, and is asked for all the same.
  const here = asks_memory ? told.filter((line) => !/[?？]/u.test(line)).map((line) => `"${line.replaceAll(/["\n]/gu, " ")}"`) : [];
  const lines = [...memory, ...here]
    .flatMap((line) => quotable(line) ?? [])
    .filter((one) => (asks_memory || !said.includes(one.text)) && !text.includes(folded(one.text)));
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

/** Words that a sentence has at most for a name to be put at its end. */
const nameable = 12;

/** A name at the end of the first sentence, where every language can have one; of three replies one has it, as people do. */
function addressed(text: string, name: string, seed: string): string {
  const first = /^[^.。?？:："“„«]+(?=[.。])/u.exec(text)?.[0];
  if (first === undefined || lengthOf(first) > nameable || hashOf(`name|${seed}`) % 3 !== 0) return text;
  return `${first}${text.charAt(first.length) === "。" ? "，" : ", "}${name}${text.slice(first.length)}`;
}

/** Two sentences: the first, and the question if there is one. */
const shortened = (sentences: readonly string[]): readonly string[] =>
  sentences.length > 2
    ? [...sentences.slice(0, 1), ...(isQuestion(sentences.at(-1) ?? "") ? sentences.slice(-1) : sentences.slice(1, 2))]
    : sentences;

/** Parts as a text: at most one question, the last; none, and short, for whoever wants it so. */
function told({ lead, core, more, ask }: Parts, { asked, bank, choose }: Wording): string {
  const { wishes, language, text } = asked;
  const parts = wishes.short ? [core, ask] : [lead, core, more, ask];
  const sentences = parts.flatMap((part) => (part === undefined ? [] : sentencesOf(part)));
  const question = sentences.findLast(isQuestion);
  const wanted = sentences.filter((sentence) => !isQuestion(sentence) || (sentence === question && !wishes.no_questions));
  // Where a question was most of what there was to say, there is room in its place.
  const full = wishes.no_questions && question !== undefined && wanted.length < 2 ? [...wanted, choose(bank.room, "room")] : wanted;
  const kept = wishes.short ? shortened(full) : full;
  const joined = kept.join(language === "zh" ? "" : " ");
  return wishes.name === undefined ? joined : addressed(joined, wishes.name, text);
}
