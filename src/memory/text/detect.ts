/** Which language a text is in, told by its script and by words that only one language has. */
import type { Locale } from "./locale.ts";
import type { Stretch } from "./stretches.ts";

/** Tells languages apart. */
export interface Detector {
  /** Place of the locale whose telltale words are most, the first of equals; -1 if there are none. */
  place(found: readonly Stretch[]): number;
  /** The locales that the stretches may be of, in order. */
  locales(found: readonly Stretch[]): readonly Locale[];
}

const isRun = (stretch: Stretch): stretch is string => typeof stretch === "string";

/** Tells some languages apart. */
export const createDetector = (locales: readonly Locale[]): Detector => {
  const scripts = locales.map(({ scripts: names = [] }) => names.map((name) => new RegExp(`\\p{Script_Extensions=${name}}`, "u")));

  const place = (found: readonly Stretch[]): number => {
    const votes = locales.map(() => 0);
    for (const stretch of found) if (!isRun(stretch) && stretch.telltale >= 0) votes[stretch.telltale] = (votes[stretch.telltale] ?? 0) + 1;
    const most = Math.max(0, ...votes);
    return most === 0 ? -1 : votes.indexOf(most);
  };

  /** Those that name the script of most of the text; a pair of characters says about as much as a word. */
  const byScript = (found: readonly Stretch[]): readonly Locale[] => {
    const runs = found.filter(isRun);
    const characters = runs.reduce((sum, run) => sum + run.length, 0);
    if (characters <= 2 * (found.length - runs.length)) return [];
    return locales.filter((_, at) => scripts[at]?.some((script) => runs.some((run) => script.test(run))) === true);
  };

  return {
    place,
    locales: (found) => {
      if (locales.length < 2) return locales;
      const named = byScript(found);
      if (named.length > 0) return named;
      const voted = place(found);
      return voted < 0 ? locales : locales.slice(voted, voted + 1);
    },
  };
};
