/** Detects questions that are never looked up, and requests for a help line. */
import { findRegions } from "throughline/safety";

/**
 * Reasons to refuse a lookup. `crisis`: help lines come from the table, never from a search. `medical`: doses and medicines are a matter for
 * pharmacists and doctors. `subjective`: no source can answer.
 */
export type LookupRefusal = "crisis" | "medical" | "subjective";

const crisis =
  /\b(?:crisis|suicide|suicidal|emergency) (?:text )?-?(?:lines?|hot-?lines?|help-?lines?)\b|\bhot-?lines?\b|\bhelp-?lines?\b|\bsamaritans\b|\b(?:suicide|crisis) (?:prevention )?(?:numbers?|lines?|chat|text|phone|lifeline)\b|\bemergency (?:numbers?|phone)\b|\blifeline number\b|\b(?:call|dial|text|ring) (?:988|911|112|999)\b|\b(?:988|911|112|999) (?:open|free|available|working|lifeline)\b|\bl[ií]neas? de (?:crisis|ayuda|emergencia)\b|\btelefonseelsorge\b|\bkrisentelefon\w*|\bnotruf(?:nummer)?\b|\bnúmero de emergencia\b|\bnuméro d'urgence\b|\bligne d'écoute\b|\blinha de apoio\b|\b(?:número|teléfono|línea) (?:de |para |contra )?(?:la )?(?:prevención d[el]+ |el )?suicidio|\bsuizid-?(?:hotline|nummer|prävention)|\bnuméro (?:contre|de prévention d[ue]|pour le) (?:le )?suicide|\bprevenção (?:do|ao) suicídio|自杀.{0,4}电话|热线|急救电话/iu;
const medical =
  /\b(?:dos(?:e|es|age|ages|ing)|overdos\w*|lethal|fatal(?:ly)?|deadly|poison\w*|toxic(?:ity)?|milligrams?|\d ?mg|mg|how (?:many|much) .{0,30}\b(?:pills?|tablets?|medicines?|medication|drugs?|alcohol)\b|withdrawal from|taper(?:ing)?|prescri\w+|side effects?|drug interactions?|painless\w*)\b|\bsobredosis\b|\büberdosis\b|\bdosis\b|剂量|致死|过量/iu;
const subjective =
  /^(?:so |and |but |please |hey )*(?:should i|shall i|am i|was i|do you (?:think|like|love|feel)|does (?:he|she|it|my \w+) (?:love|like|hate|miss)|why (?:does|did|is) (?:he|she|my \w+)|what(?:'s| is) wrong with (?:me|him|her)|will (?:i|he|she|it)|what would you|who (?:is|am) (?:right|i)|debería|soll ich|bin ich|我(?:应该|是不是))(?![\p{L}])/iu;

/** Returns why a question is not looked up; undefined if it can be. */
export function refusedFor(query: string): LookupRefusal | undefined {
  const text = query.normalize("NFKC").replaceAll(/[’‘]/gu, "'").trim();
  if (crisis.test(text)) return "crisis";
  if (medical.test(text)) return "medical";
  return subjective.test(text) ? "subjective" : undefined;
}

const asking =
  /[?？]|\b(?:numbers?|give|need|want|find|look(?:ing)? (?:up|for)|what(?:'s| is)|which|is there|please|can you|tell me|show me|call|contact|número|necesito|dame|nummer|brauche|gib|numéro|besoin|donne|preciso)\b|电话|号码|给我|需要/iu;
const telling = /\b(?:works?|worked|working|volunteer\w*|job at|called (?:me|her|him|them|my)|used to|watched|movie|film|song|article)\b/iu;
const mostWords = 6;

/** Tells whether a message requests a help line, as opposed to mentioning one. */
export const asksForHelpLine = (message: string): boolean =>
  message
    .split(/(?<=[.!?。！？])\s*|\n+/u)
    .some(
      (sentence) =>
        refusedFor(sentence) === "crisis" && !telling.test(sentence) && (asking.test(sentence) || sentence.trim().split(/\s+/u).length <= mostWords),
    );

/** Returns the places of a request: "the crisis line for Spain" names one, independent of the writer's location. */
const placesAsked = (message: string): readonly string[] =>
  [...message.matchAll(/\b(?:in|for|from|en|für|aus|para|au|aux|em|no|na)\s+(?:the\s+|el\s+|la\s+)?([\p{L}][\p{L} ]{1,40})/giu)].map(
    ([, place = ""]) => place.trim(),
  );

/** Returns the regions of a message: the writer's own, or those of its request for help lines. */
export const regionsIn = (message: string): readonly string[] => {
  const stated = findRegions(message).regions;
  if (stated.length > 0 || !asksForHelpLine(message)) return stated;
  return (
    placesAsked(message)
      .map((place) => findRegions(place, { asked: true }).regions)
      .find((found) => found.length > 0) ?? []
  );
};

/** Returns the regions of a request for help lines; undefined if the message requests none. */
export const helpLinesAskedFor = (message: string): readonly string[] | undefined => (asksForHelpLine(message) ? regionsIn(message) : undefined);
