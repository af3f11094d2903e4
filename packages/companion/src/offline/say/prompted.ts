/** Parses a reply request for the rules: the companion's instructions, the messages, and the person's preferences. */
import type { RuleInput } from "throughline";
import { type ResponseStyle, responseStyles, type TherapeuticApproach, therapeuticApproaches } from "../../contract.ts";
import { saidIn } from "../../exercises/exercise-wording.ts";
import { approachTexts, intents, notes, styleTexts } from "../../prompts/companion-prompts.ts";
import { styleOf } from "../understand/message-wishes.ts";
import { folded, languageAmong, type OfflineLanguage } from "../words/folded-words.ts";

/** Input of an offline reply. */
export interface Prompted {
  /** The person's current text, folded. */
  readonly text: string;
  readonly style: ResponseStyle;
  readonly approach: TherapeuticApproach;
  readonly language: OfflineLanguage;
  readonly wishes: Wishes;
  /** The companion's last replies, to avoid repetition. */
  readonly last_replies: string;
  /** The person's earlier messages, newest first, folded. */
  readonly earlier: readonly string[];
  /** The same in the original spelling. */
  readonly earlier_texts: readonly string[];
  /** Text to send verbatim: a step of an exercise. */
  readonly given: string | undefined;
  /** The gate directs this reply. */
  readonly directed: boolean;
  /** Lines of memory. */
  readonly memory: readonly string[];
  /** Whether the reply may mention memories unasked. */
  readonly may_recall: boolean;
  /** The message asks about memories. */
  readonly asks_memory: boolean;
  readonly let_go: boolean;
  readonly paused: boolean;
  readonly repair: boolean;
  /** A grave message came recently, and the gate already asked about it. */
  readonly after_crisis: boolean;
}

const lastReplies = 3;

/** Returns the lines between data marks. */
const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/<data name="[^"\n]*">\n(?<body>[\s\S]*?)\n<\/data>/gu)].flatMap(({ groups }) => (groups?.["body"] ?? "").split("\n"));

/** Recognizes a directive of the gate by its placeholders or its one question. */
const gateDirects = /\[\[(?:emergency|resources)\]\]|Ask exactly one question, as the last sentence|Ask no question that needs an answer now/u;

/** Parses a request. The instruction identifies the style. Without one, as in an agent with other prompts, the message determines it. */
export function prompted(input: RuleInput): Prompted {
  const { request } = input;
  const section = (name: string): string | undefined => input.section(name);
  const instructions = request.sections.map(({ text }) => text).join("\n\n");
  const turns = request.messages.filter(({ role }) => role === "user" || role === "assistant");
  const begun = turns.findLastIndex(({ role }) => role === "assistant") + 1;
  const now = turns.slice(begun).map(({ text }) => text);
  const earlier = turns.slice(0, begun);
  const texts = earlier
    .filter(({ role }) => role === "user")
    .map(({ text }) => text)
    .toReversed();
  const text = folded(now.join("\n"));
  const found = styleOf(text);
  const dataOf = (name: string): readonly string[] => linesIn(request.sections.find((one) => one.name === name)?.text ?? "");
  const wishes = wishesIn(dataOf("procedural_rules").join("\n"));
  return {
    text,
    style: responseStyles.find((style) => instructions.includes(styleTexts[style])) ?? found.style,
    approach: therapeuticApproaches.find((approach) => approach !== "none" && instructions.includes(approachTexts[approach])) ?? found.approach,
    language: wishes.language ?? languageAmong([now.join("\n"), ...texts]),
    wishes,
    last_replies: earlier
      .filter(({ role }) => role === "assistant")
      .slice(-lastReplies)
      .map((reply) => reply.text)
      .join("\n"),
    earlier: texts.map(folded),
    earlier_texts: texts,
    given: request.sections.map((one) => saidIn(one.text)).find((words) => words !== undefined),
    directed: section("safety") !== undefined || gateDirects.test(instructions),
    memory: dataOf("memory"),
    may_recall: section("recall") === undefined,
    asks_memory: instructions.includes(notes.explicitReference),
    let_go: instructions.includes(notes.letGo),
    paused: /The guided exercise "[^"]+" is paused at step/u.test(instructions),
    after_crisis: instructions.includes(notes.afterCrisis),
    repair: intents["repair"] !== undefined && instructions.includes(intents["repair"]),
  };
}

/** Preferences for the manner of a reply. */
interface Wishes {
  readonly short: boolean;
  readonly no_questions: boolean;
  readonly no_advice: boolean;
  readonly name?: string;
  readonly language?: OfflineLanguage;
}

const short =
  /\b(?:short\p{L}*|brief\p{L}*|concise|few words|to the point|cort[oa]s?|breves?|kurz\p{L}*|knapp\p{L}*|courte?s?|bref|brèves?|curt[oa]s?)\b|简短|短一点/iu;
const noQuestions =
  /\b(?:no|not|don't|do not|never|stop|without|fewer|less)\b[^.]{0,24}\bquestions?\b|\b(?:sin|no)\b[^.]{0,20}\bpregunt\p{L}+|\bkeine (?:weiteren )?fragen|\b(?:pas de|sans) questions?|\b(?:sem|não)\b[^.]{0,20}\bpergunt\p{L}+|(?:不要|别)(?:再)?(?:问|提问)/iu;
const noAdvice =
  /\b(?:no|not|don't|do not|never|stop|without)\b[^.]{0,24}\b(?:advice|suggestions?|tips|solutions?)\b|\bsin consejos|\bkeine (?:ratschläge|tipps)|\b(?:pas de|sans) conseils|\bsem conselhos|(?:不要|别)(?:给)?建议/iu;
const name =
  /(?:\bcall (?:me|them)|\buse (?:my|the) name|\bllámame|\bnenn mich|\bappelle-moi|\bme chame? de|叫我)\s*[:"“«]?\s*(?<name>\p{L}[\p{L}'-]{0,30})/iu;

const tongues: readonly (readonly [language: OfflineLanguage, names: RegExp])[] = [
  ["en", /\bin english\b|en inglés|auf englisch|en anglais|em inglês|用英[文语]/iu],
  ["es", /\bin spanish\b|en español|auf spanisch|en espagnol|em espanhol|用西班牙[文语]/iu],
  ["de", /\bin german\b|en alemán|auf deutsch|en allemand|em alemão|用德[文语]/iu],
  ["fr", /\bin french\b|en francés|auf französisch|en français|em francês|用法[文语]/iu],
  ["pt", /\bin portuguese\b|en portugués|auf portugiesisch|en portugais|em português|用葡萄牙[文语]/iu],
  ["zh", /\bin chinese\b|en chino|auf chinesisch|en chinois|em chinês|用中文/iu],
];

/** Returns the preferences in the procedural rules. */
function wishesIn(rules: string): Wishes {
  const called = name.exec(rules)?.groups?.["name"];
  const language = tongues.find(([, names]) => names.test(rules))?.[0];
  return {
    short: short.test(rules),
    no_questions: noQuestions.test(rules),
    no_advice: noAdvice.test(rules),
    ...(called === undefined ? {} : { name: called.charAt(0).toUpperCase() + called.slice(1) }),
    ...(language === undefined ? {} : { language }),
  };
}
