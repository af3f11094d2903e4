/** What is made of a locale, made once. */
import type { Locale } from "./locale.ts";

/** A function of a locale that remembers what it made, as long as the locale lives. */
export const oncePerLocale = <Made>(make: (locale: Locale) => Made): ((locale: Locale) => Made) => {
  const made = new WeakMap<Locale, Made>();
  return (locale) => {
    const known = made.get(locale);
    if (known !== undefined) return known;
    const fresh = make(locale);
    made.set(locale, fresh);
    return fresh;
  };
};

/** A source of a pattern that does not begin or end within a word. Scripts without spaces have no such boundary. */
export const bounded = (source: string, { scripts = [] }: Locale): string =>
  scripts.length > 0 ? `(?:${source})` : `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`;
