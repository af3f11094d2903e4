/** How somebody wants to be talked with, as far as rules understand it. Whatever they do not understand, they do not follow. */
import type { OfflineLanguage } from "../words/language.ts";

/** Wishes about the manner of a reply. */
export interface Wishes {
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

/** The wishes in a text of rules. */
export function wishesIn(rules: string): Wishes {
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
