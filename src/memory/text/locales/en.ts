import type { Locale } from "../locale.ts";
import { porter } from "../porter.ts";
import { concepts } from "./en-concepts.ts";
import { synonyms } from "./en-synonyms.ts";
import { time } from "./en-time.ts";
import { irregular, stopWords, telltale } from "./en-words.ts";

const ordinal = /^(\d+)(?:st|nd|rd|th)$/u;
const letters = /^[a-z]+$/u;

const auxiliaries =
  "am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must|isn'?t|aren'?t|wasn'?t|weren'?t|don'?t|doesn'?t|didn'?t|haven'?t|hasn'?t|can'?t|won'?t";

/** English: Porter's stemmer for words of the letters a to z, ordinals as their numbers. */
export const english: Locale = Object.freeze<Locale>({
  code: "en",
  stopWords,
  telltale,
  irregular,
  stem: (word: string): string => (letters.test(word) ? porter(word) : word.replace(ordinal, "$1")),
  questions: {
    opens: `who|whom|whose|what|what's|when|where|which|why|how|(?:${auxiliaries}) (?:i|you|he|she|it|we|they|the|a|an|my|your|his|her|our|their|this|that|these|those|there|any|anyone)`,
    when: "when|what (?:date|day|month|year|time|week|weekend|season)|(?:which|in which|in what) (?:date|day|month|year|week|weekend|season)|how long ago|how recently|since when",
    howMany: "how (?:many|much)|what number of|number of",
    howOften: "how (?:often|frequently|regularly|many times)",
    howLong: "how long|for how long|how old|how many (?:days|weeks|months|years|hours|minutes)",
    who: "who|whom|whose|which (?:person|people|friend|one of)|with whom",
    where:
      "where|what (?:place|city|town|country|state|location|street|address)|(?:which|in which|in what) (?:place|city|town|country|state|location|street)",
  },
  time,
  concepts,
  synonyms,
});
