/** What a reply is made of: a core that is what the style is for, what was heard before it, and at most one question. */
import { heard as cueHeard, says } from "../cues/all.ts";
import { feelingIn, isGlad, type Feeling } from "../understand/feelings.ts";
import { approachOf } from "../understand/style.ts";
import { subjectOf } from "../understand/subject.ts";
import { topicIn } from "../understand/topics.ts";
import { folded, lengthOf } from "../words/fold.ts";
import { hashOf } from "../words/pick.ts";
import type { Prompted } from "./prompted.ts";
import { recalledFor } from "./remembered.ts";
import type { Sentences } from "./sentences.ts";

/** Parts of a reply, each a sentence or a few. Whoever wants it short gets the core and the question. */
export interface Parts {
  readonly lead?: string | undefined;
  readonly core: string;
  readonly more?: string | undefined;
  readonly ask?: string | undefined;
}

/** What parts are worded from. */
export interface Wording {
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
export function partsOf(wording: Wording): Parts {
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
