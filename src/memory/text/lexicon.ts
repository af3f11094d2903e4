/** Classes of things by their names, for questions that name a class where the answer names a thing: "which instrument", "the violin". */
import { oncePerLocale } from "./once.ts";
import type { Locale } from "./locale.ts";
import { wordsOf } from "./locale.ts";
import type { Tokenizer } from "./tokenize.ts";

/** Classes of things, by index terms. */
export interface Lexicon {
  /** Terms of the members of the class that a term names; empty for most terms. */
  members(term: string): readonly string[];
}

const entriesOf = oncePerLocale((locale: Locale) =>
  [...Object.entries(locale.concepts), ...(locale.synonyms ?? []).map((group) => [group, group] as const)].map(([names, members]) => ({
    names: wordsOf(names),
    members: wordsOf(members).join(" . "),
  })),
);

/** The classes of all languages of a tokenizer, in its terms. A term that names several classes has the members of all, and is never its own. */
export const createLexicon = (tokenizer: Tokenizer): Lexicon => {
  const classes = new Map<string, string[]>();
  for (const locale of tokenizer.locales) {
    for (const { names, members } of entriesOf(locale)) {
      const terms = tokenizer.terms(members, locale);
      for (const name of names.flatMap((word) => tokenizer.terms(word, locale))) classes.set(name, [...(classes.get(name) ?? []), ...terms]);
    }
  }
  const members = new Map([...classes].map(([name, terms]) => [name, Object.freeze([...new Set(terms)].filter((term) => term !== name))] as const));
  return { members: (term) => members.get(term) ?? [] };
};
