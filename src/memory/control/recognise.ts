/**
 * What a message says to a question about memory, without a model: yes, no, which one, or nothing clear. Only a message that is nothing but the answer, with politeness
 * around it, counts; whatever else stands in it makes it unclear, because an answer that is misread deletes something.
 */
import { aboutTheQuestion, allPhrases, aroundPlaces, noPhrases, placePhrases, politePhrases, unclearIn, yesPhrases } from "./answer-words.ts";
import type { Place } from "./commands.ts";
import type { Language } from "./language.ts";
import { folded, phrasesOf, piecesOf, standsAt } from "./tokens.ts";

/** What a message says. `other`: it speaks of something else altogether. */
export type Answer =
  | { readonly type: "yes" | "no" }
  | { readonly type: "place"; readonly index: Place | "all" }
  | { readonly type: "unclear" | "other" };

type Phrase = readonly string[];

const yes = phrasesOf(yesPhrases);
const no = phrasesOf(noPhrases);
const polite = phrasesOf(politePhrases);
const around = phrasesOf(aroundPlaces);
const about = phrasesOf(aboutTheQuestion);
const all = phrasesOf(allPhrases);
const aroundAll = [...polite, ...around];
const places: readonly { readonly place: Place; readonly phrase: Phrase }[] = placePhrases
  .flatMap(([place, phrases]) => phrasesOf(phrases).map((phrase) => ({ place, phrase })))
  .toSorted((a, b) => b.phrase.length - a.phrase.length);

/** Longest message that may still be about the question without saying any of its words; a Han character is a piece of its own. */
const shortPieces = 3;
const shortHan = 6;
/** An answer has no more pieces than this. */
const mostPieces = 14;

/** Who asks, wonders or breaks off does not answer; and two sentences that say opposite things say nothing. */
const unsettled = /[?？؟¿]|\.{2,}|…/u;

/**
 * Whether all of `pieces` is made of phrases of `main`, at least one, and of `also`. A phrase that begins with another one is tried as well, so every way of
 * cutting the message is looked at.
 */
function isMadeOf(pieces: readonly string[], main: readonly Phrase[], also: readonly Phrase[]): boolean {
  // For each index: whether the pieces before it can be cut so, and whether a main phrase was among them.
  const reached: { plain: boolean; said: boolean }[] = Array.from({ length: pieces.length + 1 }, () => ({ plain: false, said: false }));
  const start = reached[0];
  if (start !== undefined) start.plain = true;
  const step = (index: number, phrase: Phrase, said: boolean): void => {
    const from = reached[index];
    const to = reached[index + phrase.length];
    if (from === undefined || to === undefined || !standsAt(pieces, index, phrase)) return;
    if (said) to.said ||= from.plain || from.said;
    else {
      to.plain ||= from.plain;
      to.said ||= from.said;
    }
  };
  for (let index = 0; index < pieces.length; index++) {
    for (const phrase of main) step(index, phrase, true);
    for (const phrase of also) step(index, phrase, false);
  }
  return reached.at(-1)?.said === true;
}

const has = (pieces: readonly string[], phrases: readonly Phrase[]): boolean =>
  pieces.some((_, index) => phrases.some((phrase) => standsAt(pieces, index, phrase)));

/** The places that are named in a message; undefined if something else stands in it. */
function placesIn(pieces: readonly string[]): readonly Place[] | undefined {
  const found: { readonly place: Place; readonly phrase: Phrase }[] = [];
  for (let index = 0; index < pieces.length;) {
    const word = pieces[index] ?? "";
    const number = /^(\d{1,3})(?:º|ª|\.|st|nd|rd|th|e|er|eme)?$/u.exec(word)?.[1];
    const named = number === undefined ? places.find(({ phrase }) => standsAt(pieces, index, phrase)) : { place: Number(number), phrase: [word] };
    const aside = named ?? [...around, ...polite].find((phrase) => standsAt(pieces, index, phrase));
    if (aside === undefined) return undefined;
    if (named !== undefined) found.push(named);
    index += "phrase" in aside ? aside.phrase.length : aside.length;
  }
  // "The second one": of a place and a word that is a counter as well, the place is meant.
  const counters = new Set(["one", "uno", "una", "un", "une", "一"]);
  const firm = found.filter(({ phrase }) => !(phrase.length === 1 && counters.has(phrase[0] ?? "")));
  return (firm.length > 0 ? firm : found).map(({ place }) => place);
}

/** The one place that a text names, and nothing besides: `2`, `the second one`, `segundo`, `第二`. */
export const readPlace = (text: string): Place | undefined => placeOf(piecesOf(text));

function placeOf(pieces: readonly string[]): Place | undefined {
  const named = [...new Set(placesIn(pieces) ?? [])];
  return named.length === 1 ? named[0] : undefined;
}

/** Whether a message is long enough, and says nothing that could be an answer: then the person has gone on to something else. */
function isOther(pieces: readonly string[]): boolean {
  const han = pieces.filter((piece) => /^\p{Script=Han}$/u.test(piece)).length;
  if (pieces.length - han <= shortPieces && han <= shortHan) return false;
  return !has(pieces, about) && !has(pieces.slice(0, 2), yes) && !has(pieces.slice(0, 2), no);
}

/**
 * What a message says to a question that was asked in `language`. Yes and no are recognised in English, Spanish, French, German, Portuguese, Italian, Hindi, Arabic,
 * Chinese and Indonesian, whatever the question's language was.
 */
export function readAnswer(message: string, { language = "en" }: { readonly language?: Language } = {}): Answer {
  const pieces = piecesOf(message);
  if (pieces.length === 0) return { type: "unclear" };
  const asks = unsettled.test(folded(message));
  if (!asks && pieces.length <= mostPieces && !pieces.some((piece) => unclearIn[piece]?.includes(language))) {
    if (isMadeOf(pieces, yes, polite)) return { type: "yes" };
    if (isMadeOf(pieces, no, polite)) return { type: "no" };
    const index = placeOf(pieces);
    if (index !== undefined) return { type: "place", index };
    if (isMadeOf(pieces, all, aroundAll)) return { type: "place", index: "all" };
  }
  return { type: isOther(pieces) ? "other" : "unclear" };
}
