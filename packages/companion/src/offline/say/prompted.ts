/** Parses a reply request for the rules: the companion's instructions, the messages, and the person's preferences. */
import { type Clock, type RuleInput, systemClock } from "throughline";
import { type ResponseStyle, responseStyles, type TherapeuticApproach, therapeuticApproaches } from "../../contract.ts";
import { saidIn } from "../../exercises/exercise-wording.ts";
import { approachTexts, intents, notes, styleTexts } from "../../prompts/companion-prompts.ts";
import { says } from "../cues/offline-cues.ts";
import { styleOf } from "../understand/message-wishes.ts";
import { calledIn, introducedIn } from "../understand/own-name.ts";
import { folded, languageAmong, type OfflineLanguage } from "../words/folded-words.ts";

/** Input of an offline reply. */
export interface Prompted {
  /** The person's current text, folded. */
  readonly text: string;
  /** The same in the original spelling. */
  readonly said: string;
  readonly style: ResponseStyle;
  readonly approach: TherapeuticApproach;
  readonly language: OfflineLanguage;
  readonly wishes: Wishes;
  /** The companion's earlier replies, newest first, to avoid repetition. */
  readonly replies: readonly string[];
  /** The person's earlier messages, newest first, folded. */
  readonly earlier: readonly string[];
  /** The same in the original spelling. */
  readonly earlier_texts: readonly string[];
  /** Text to send verbatim: a step of an exercise. */
  readonly given: string | undefined;
  /** The gate directs this reply. */
  readonly directed: boolean;
  /** The time now, in milliseconds. */
  readonly now: number;
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

/** Returns the lines between data marks. */
const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/<data name="[^"\n]*">\n(?<body>[\s\S]*?)\n<\/data>/gu)].flatMap(({ groups }) => (groups?.["body"] ?? "").split("\n"));

/** Recognizes a directive of the gate by its placeholders or its one question. */
const gateDirects = /\[\[(?:emergency|resources)\]\]|Ask exactly one question, as the last sentence|Ask no question that needs an answer now/u;

/** Parses a request. The instruction identifies the style. Without one, as in an agent with other prompts, the message determines it. */
export function prompted(input: RuleInput, clock: Pick<Clock, "now"> = systemClock): Prompted {
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
  const afterCrisis = instructions.includes(notes.afterCrisis);
  const dataOf = (name: string): readonly string[] => linesIn(request.sections.find((one) => one.name === name)?.text ?? "");
  const asked = wishesIn(dataOf("procedural_rules").join("\n"));
  const name = asked.name ?? texts.map(introducedIn).find((one) => one !== undefined);
  const wishes = name === undefined ? asked : { ...asked, name };
  return {
    text,
    said: now.join("\n"),
    style: responseStyles.find((style) => instructions.includes(styleTexts[style])) ?? found.style,
    approach: therapeuticApproaches.find((approach) => approach !== "none" && instructions.includes(approachTexts[approach])) ?? found.approach,
    language: wishes.language ?? languageAmong([now.join("\n"), ...texts]),
    wishes,
    replies: earlier
      .filter(({ role }) => role === "assistant")
      .map((reply) => reply.text)
      .toReversed(),
    earlier: texts.map(folded),
    earlier_texts: texts,
    given: request.sections.map((one) => saidIn(one.text)).find((words) => words !== undefined),
    directed: section("safety") !== undefined || gateDirects.test(instructions),
    now: clock.now(),
    memory: dataOf("memory"),
    may_recall: section("recall") === undefined,
    // After something grave no call reads what the message is about.
    asks_memory: instructions.includes(notes.explicitReference) || (afterCrisis && says(text, "recalls")),
    let_go: instructions.includes(notes.letGo),
    paused: /The guided exercise "[^"]+" is paused at step/u.test(instructions),
    after_crisis: afterCrisis,
    repair: intents["repair"] !== undefined && instructions.includes(intents["repair"]),
  };
}

/** Preferences for the manner of a reply. */
interface Wishes {
  readonly short: boolean;
  readonly one_sentence: boolean;
  readonly no_questions: boolean;
  readonly no_advice: boolean;
  readonly name?: string;
  readonly language?: OfflineLanguage;
}

/** Wishes in a person's own words, in any language of the rules. */
const short =
  /\b(?:short\p{L}*|brief\p{L}*|concise|few words|to the point|cort[oa]s?|breves?|brevemente|kurz\p{L}*|kürz\p{L}*|knapp\p{L}*|courte?s?|bref|brèves?|brièvement|curt[oa]s?|resumid[oa]|singkat\p{L}*|pendek|ringkas|chh?ot[aei]|sankshipt|kam likho)(?!\p{L})|简短|短(?:一)?点|简洁|छोटे|छोटा|छोटी|संक्षि|संक्षेप|قصيرة?|أقصر|باختصار|مختصر|اختصر|موجز/iu;
const oneSentence =
  /\b(?:one|1|a single) (?:\p{L}+ )?sentence\b|\buna (?:sola |única )?(?:frase|oración)(?!\p{L})|\b(?:ein|einem|1) (?:\p{L}+ )?satz\b|\bune (?:seule )?phrase\b|\buma (?:só |única )?frase\b|\b(?:satu|1) kalimat\b|\bek (?:hi )?(?:\p{L}+ )?(?:line|vaakya|sentence)\b|एक (?:ही )?(?:\p{L}[\p{L}\p{M}]* )?(?:वाक्य|लाइन|पंक्ति)|جملة واحدة|一(?:句话|个句子|句)/iu;
const noQuestions =
  /\b(?:no|not|don't|do not|never|stop|quit|enough|without|fewer|less)\b[^.]{0,24}\bquestions?\b|\b(?:sin|no|menos|deja|para|basta)\b[^.]{0,20}\bpregunt\p{L}+|\b(?:kein\p{L}*|weniger|nicht|ohne|auf)(?!\p{L})[^.]{0,20}(?:fragen|frag)(?!\p{L})|\bfrag\p{L}* (?:mich )?nicht|\bstell\p{L}*[^.]{0,12}kein|\b(?:pas|plus|sans|arrête|cesse|trop)(?!\p{L})[^.]{0,28}questions?|\b(?:sem|não|chega|menos|pare|para)(?!\p{L})[^.]{0,20}pergunt\p{L}+|(?:不要|别|不用)[^。]{0,6}(?:问|提问)|\bjangan[^.]{0,20}(?:tanya|nanya)|\b(?:berhenti|stop|tanpa|kurangi)[^.]{0,8}(?:tanya|pertanyaan|bertanya)|\b(?:sawaal|sawal|questions?)\b[^.]{0,16}\b(?:mat|na|nahi|band)\b|सवाल[^।]{0,16}(?:मत|न |बंद|नहीं)|(?:لا تسأل|بدون|بلا|توقف|كفى|لا تطرح|كف)[^.]{0,24}(?:سؤال|أسئلة|تسأل|سؤالي)|لا تسأل/iu;
const noAdvice =
  /\b(?:no|not|don't|do not|never|stop|without)\b[^.]{0,24}\b(?:advice|suggestions?|tips|solutions?)\b|\b(?:sin|no|deja)\b[^.]{0,16}consejos|\bkeine (?:ratschläge|tipps)|\b(?:pas|plus|sans|arrête)(?!\p{L})[^.]{0,20}conseils|\b(?:sem|não|pare)(?!\p{L})[^.]{0,14}conselhos|(?:不要|别)(?:再)?(?:给)?(?:我)?(?:提)?建议|\b(?:jangan|tanpa)[^.]{0,14}(?:saran|nasihat)|\b(?:salah|advice|tips?) (?:mat|nahi|na)\b|(?:सलाह|सुझाव) (?:मत|नहीं|न )|(?:بدون|بلا|لا أريد|لا تعط)[^.]{0,10}نصائح|لا تنصح/iu;
const tongues: readonly (readonly [language: OfflineLanguage, names: RegExp])[] = [
  ["en", /\b(?:in|speak|write|answer|reply|talk) english\b|en inglés|auf englisch|en anglais|em inglês|bahasa inggris|用英[文语]/iu],
  ["es", /\b(?:in|speak) spanish\b|en español|auf spanisch|en espagnol|em espanhol|bahasa spanyol|用西班牙[文语]/iu],
  ["de", /\b(?:in|speak) german\b|en alemán|auf deutsch|en allemand|em alemão|bahasa jerman|用德[文语]/iu],
  ["fr", /\b(?:in|speak) french\b|en francés|auf französisch|en français|em francês|bahasa prancis|用法[文语]/iu],
  ["pt", /\b(?:in|speak) portuguese\b|en portugués|auf portugiesisch|en portugais|em português|用葡萄牙[文语]/iu],
  ["zh", /\b(?:in|speak) chinese\b|en chino|auf chinesisch|en chinois|em chinês|用中文/iu],
  ["id", /\b(?:in|speak) indonesian\b|bahasa indonesia/iu],
  ["ar", /\b(?:in|speak) arabic\b|بالعربية/iu],
];

/** Returns the preferences in the procedural rules. */
function wishesIn(rules: string): Wishes {
  const called = calledIn(rules);
  const language = tongues.find(([, names]) => names.test(rules))?.[0];
  return {
    short: short.test(rules),
    one_sentence: oneSentence.test(rules),
    no_questions: noQuestions.test(rules),
    no_advice: noAdvice.test(rules),
    ...(called === undefined ? {} : { name: called }),
    ...(language === undefined ? {} : { language }),
  };
}
