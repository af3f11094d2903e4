/** How people say yes, no and which one, from `answers.yaml`. */
import words from "./answers.data.json" with { type: "json" };
import type { Place } from "./commands.ts";
import { isLanguage, type Language } from "./language.ts";

/** A whole answer that means yes. */
export const yesPhrases: readonly string[] = Object.values(words.yes).flat();

/** A whole answer that means no. */
export const noPhrases: readonly string[] = Object.values(words.no).flat();

/** Words that are no clear answer to a question in one of these languages. */
export const unclearIn: Readonly<Record<string, readonly Language[]>> = Object.fromEntries(
  Object.entries(words.unclear).map(([word, languages]) => [word, languages.filter(isLanguage)]),
);

/** How a place is said. */
export const placePhrases: readonly (readonly [place: Place, phrases: readonly string[]])[] = Object.entries(words.places).map(([place, phrases]) => [
  place === "last" ? place : Number(place),
  phrases,
]);

/** What is said around an answer and changes nothing; how all of several are said; around a place; about the question without answering it. */
export const { polite: politePhrases, all: allPhrases, around: aroundPlaces, about: aboutTheQuestion } = words;
