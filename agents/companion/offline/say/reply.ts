/** The reply of the rules: a lead that shows what was heard, a core that is what the style is for, and at most one question. */
import { ThroughlineError } from "throughline";
import { says } from "../cues/all.ts";
import { feelingIn, isGlad } from "../understand/feelings.ts";
import { approachOf } from "../understand/style.ts";
import { subjectOf } from "../understand/subject.ts";
import { topicIn } from "../understand/topics.ts";
import { lengthOf } from "../words/fold.ts";
import { hashOf, pick, type Seed } from "../words/pick.ts";
import { banks } from "./banks.ts";
import type { Prompted } from "./prompted.ts";
import { recalledFor } from "./remembered.ts";
import type { Sentences } from "./sentences.ts";

/** Parts of a reply, each a sentence or a few. */
interface Parts {
  readonly lead?: string;
  readonly core: string;
  readonly ask?: string;
}

/** What a part is worded from. */
interface Wording {
  readonly bank: Sentences;
  readonly asked: Prompted;
  readonly choose: (variants: readonly string[], purpose: string) => string;
}

const named = (sentence: string, name: string, value: string): string => sentence.replaceAll(`{${name}}`, value);

/** What was heard: somebody lost, something that has happened, two wishes, a feeling; else that it was heard. */
function heardIn({ bank, asked, choose }: Wording): string {
  const { text } = asked;
  const approach = approachOf(text);
  if (approach === "grief_support") return choose(bank.grief, "heard");
  if (approach === "pfa") return choose(bank.shock, "heard");
  const feeling = feelingIn(text);
  if (feeling !== undefined) return choose(bank.feelings[feeling] ?? (isGlad(feeling) ? bank.glad : bank.heard), "heard");
  return choose(approach === "motivational_interviewing" ? bank.torn : bank.heard, "heard");
}

/** A message that has little to it is asked about; of longer ones, two in three. */
const asks = (text: string): boolean => lengthOf(text) < 6 || hashOf(`ask|${text}`) % 3 !== 0;

function supportive(wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  const { text, language } = asked;
  if (says(text, "just_listen")) return { core: choose(bank.listening, "core") };
  if (says(text, "greeting")) return { core: choose(bank.greetings, "core") };
  if (says(text, "thanks")) return { core: choose(bank.welcome, "core") };
  const feeling = feelingIn(text);
  const topic = topicIn(text, language);
  const lead = heardIn(wording);
  const isGrief = approachOf(text) === "grief_support";
  const questions = isGrief ? bank.grief_questions : feeling !== undefined && isGlad(feeling) ? bank.glad_questions : bank.questions;
  const about =
    topic === undefined || isGrief || (feeling !== undefined && isGlad(feeling)) ? undefined : named(choose(bank.about, "about"), "topic", topic);
  const core =
    about ??
    (lengthOf(text) > 25
      ? choose(
          bank.heard.filter((sentence) => sentence !== lead),
          "core",
        )
      : "");
  return { lead, core, ...(asks(text) ? { ask: choose(questions, "ask") } : core === "" ? { ask: choose(bank.room, "ask") } : {}) };
}

function reflective({ bank, asked, choose }: Wording): Parts {
  const topic = topicIn(asked.text, asked.language);
  const core = topic === undefined ? choose(bank.patterns, "core") : named(choose(bank.patterns_about, "core"), "topic", topic);
  const feeling = feelingIn(asked.text);
  const lead = feeling === undefined || isGlad(feeling) ? undefined : choose(bank.feelings[feeling] ?? bank.heard, "lead");
  return { ...(lead === undefined ? {} : { lead }), core, ask: choose(bank.pattern_questions, "ask") };
}

function explaining({ bank, asked, choose }: Wording): Parts {
  const subject = subjectOf(asked.text, asked.approach);
  return {
    core: choose((subject === undefined ? undefined : bank.explain[subject]) ?? bank.explain.any, "core"),
    ask: choose(bank.explain_questions, "ask"),
  };
}

function technique({ bank, asked, choose }: Wording): Parts {
  const subject = subjectOf(asked.text, asked.approach);
  const core = choose((subject === undefined ? undefined : bank.ways[subject]) ?? bank.ways.any, "core");
  const feeling = feelingIn(asked.text);
  const lead = feeling === undefined || isGlad(feeling) ? undefined : choose(bank.feelings[feeling] ?? bank.heard, "lead");
  return { ...(lead === undefined ? {} : { lead }), core, ask: choose(bank.way_questions, "ask") };
}

/** What the conversation was about: the newest message that names a subject. */
function closing({ bank, asked, choose }: Wording): Parts {
  const topic = asked.earlier.map((text) => topicIn(text, asked.language)).find((found) => found !== undefined);
  return { core: topic === undefined ? choose(bank.closings, "core") : named(choose(bank.closings_about, "core"), "topic", topic) };
}

/** What an answer to a question about the memory, or a reply that may bring it up, says of it. */
function remembering({ bank, asked, choose }: Wording): Parts | undefined {
  const recalled = recalledFor(asked);
  if (recalled === undefined) return asked.asks_memory ? { core: choose(bank.nothing_remembered, "core") } : undefined;
  const lead = named(recalled.type === "session" ? bank.last_time : choose(bank.remembered, "lead"), "quote", recalled.text);
  return { lead, core: "", ask: choose(bank.questions, "ask") };
}

function partsOf(wording: Wording): Parts {
  const { bank, asked, choose } = wording;
  const { text, style, wishes } = asked;
  if (says(text, "what_are_you")) return { core: choose(bank.what_i_am, "core") };
  if (says(text, "what_do_i_have")) return { core: choose(bank.no_name, "core") };
  if (style === "safety_check") return { core: choose(bank.check_in, "core") };
  if (style === "grounded_lookup") return { core: bank.nothing_found };
  if (style === "closing") return closing(wording);
  if (asked.repair || says(text, "missed")) return { core: choose(bank.repair, "core") };
  const memory = style === "clarifying" ? undefined : remembering(wording);
  if (asked.asks_memory && memory !== undefined) return memory;
  switch (style) {
    case "reflective":
      return reflective(wording);
    case "clarifying":
      return { core: choose(bank.clarify, "core") };
    case "psychoeducation":
      return explaining(wording);
    case "technique":
      return wishes.no_advice ? supportive(wording) : technique(wording);
    default: {
      const parts = supportive(wording);
      return memory?.lead === undefined ? parts : { ...parts, core: memory.lead };
    }
  }
}

const sentencesOf = (text: string): readonly string[] =>
  (text.match(/[^.!?。！？]+(?:[.!?](?=\S)[^.!?。！？]*)*[.!?。！？]+["”»“）]?\s*/gu) ?? [text])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
const isQuestion = (sentence: string): boolean => /[?？]["”»]?$/u.test(sentence);

/** A name at the end of the first sentence, where every language can have one. */
const addressed = (text: string, name: string): string =>
  text.replace(/(?<=^[^.。?？]+)\s*(?<mark>[.。])/u, (_whole, mark: string) => (mark === "。" ? `，${name}。` : `, ${name}.`));

/** Parts as a text, in the manner that was wished for. */
function told({ lead, core, ask }: Parts, { asked, bank, choose }: Wording): string {
  const { wishes } = asked;
  const whole = wishes.short ? [core === "" ? lead : core, ask] : [lead, core, ask];
  const sentences = whole.flatMap((part) => (part === undefined || part === "" ? [] : sentencesOf(part)));
  const question = sentences.findLast(isQuestion);
  const wanted = sentences.filter((sentence) => !isQuestion(sentence) || (sentence === question && !wishes.no_questions));
  const kept = wishes.short && wanted.length > 2 ? [...wanted.slice(0, 1), ...wanted.slice(-1)] : wanted;
  const all = kept.length === 0 ? [choose(bank.listening, "room")] : kept;
  const joined = all.join(asked.language === "zh" ? "" : " ");
  return wishes.name === undefined ? joined : addressed(joined, wishes.name);
}

/**
 * The reply to a request. It has two to four sentences, at most one question, no digit of its own and no exclamation mark; the same conversation always gets the
 * same one. A reply that the gate directs is left to the gate, whose own sentences are better than any that rules put together: then it throws.
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
