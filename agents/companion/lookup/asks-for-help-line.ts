/** Asking for a help line, as against speaking of one. */
import { findRegions } from "throughline/safety";
import { refusedFor } from "./refused.ts";

const asking =
  /[?？]|\b(?:numbers?|give|need|want|find|look(?:ing)? (?:up|for)|what(?:'s| is)|which|is there|please|can you|tell me|show me|call|contact|número|necesito|dame|nummer|brauche|gib|numéro|besoin|donne|preciso)\b|电话|号码|给我|需要/iu;
const telling = /\b(?:works?|worked|working|volunteer\w*|job at|called (?:me|her|him|them|my)|used to|watched|movie|film|song|article)\b/iu;
const mostWords = 6;

/** Whether a message asks for a help line: not whether it speaks of one. */
export const asksForHelpLine = (message: string): boolean =>
  message
    .split(/(?<=[.!?。！？])\s*|\n+/u)
    .some(
      (sentence) =>
        refusedFor(sentence) === "crisis" && !telling.test(sentence) && (asking.test(sentence) || sentence.trim().split(/\s+/u).length <= mostWords),
    );

/** The places that a request is for: "the crisis line for Spain" names one, wherever its writer is. */
const placesAsked = (message: string): readonly string[] =>
  [...message.matchAll(/\b(?:in|for|from|en|für|aus|para|au|aux|em|no|na)\s+(?:the\s+|el\s+|la\s+)?([\p{L}][\p{L} ]{1,40})/giu)].map(
    ([, place = ""]) => place.trim(),
  );

/** The regions that a message names: its writer's own, or those that it asks for help lines of. */
export const regionsIn = (message: string): readonly string[] => {
  const stated = findRegions(message).regions;
  if (stated.length > 0 || !asksForHelpLine(message)) return stated;
  return (
    placesAsked(message)
      .map((place) => findRegions(place, { asked: true }).regions)
      .find((found) => found.length > 0) ?? []
  );
};

/** The regions that a message asks for help lines of; undefined where it asks for none. */
export const helpLinesAskedFor = (message: string): readonly string[] | undefined => (asksForHelpLine(message) ? regionsIn(message) : undefined);
