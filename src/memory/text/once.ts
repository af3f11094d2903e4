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

/**
 * Texts that make a pattern ready: V8 compiles it for texts within Latin-1 and for others apart, each when it is first used and once more when it is used
 * again, and forgets what was long not used.
 */
export const preparingTexts: readonly string[] = Object.freeze(["a", "a", "…", "…"]);

/** A source of a pattern that does not begin or end within a word. Scripts without spaces have no such boundary. */
export const bounded = (source: string, { scripts = [] }: Locale): string =>
  scripts.length > 0 ? `(?:${source})` : `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`;
