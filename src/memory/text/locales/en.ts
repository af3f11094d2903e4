import type { Locale } from "../locale.ts";
import { porter } from "../porter.ts";
import { concepts } from "./en-concepts.ts";
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
  time: {
    months: [
      "January jan",
      "February feb",
      "March mar",
      "April apr",
      "May",
      "June jun",
      "July jul",
      "August aug",
      "September sept sep",
      "October oct",
      "November nov",
      "December dec",
    ],
    weekdays: ["Monday mon", "Tuesday tues tue", "Wednesday wed", "Thursday thurs thur thu", "Friday fri", "Saturday sat", "Sunday sun"],
    seasons: ["spring", "summer", "autumn fall", "winter"],
    numbers: {
      a: 1,
      an: 1,
      one: 1,
      two: 2,
      three: 3,
      four: 4,
      five: 5,
      six: 6,
      seven: 7,
      eight: 8,
      nine: 9,
      ten: 10,
      eleven: 11,
      twelve: 12,
      fifteen: 15,
      twenty: 20,
      thirty: 30,
    },
    units: {
      day: "day days",
      week: "week weeks",
      fortnight: "fortnight fortnights",
      weekend: "weekend weekends",
      month: "month months",
      year: "year years",
    },
    figures: "mdy",
    expressions: [],
  },
  concepts,
});
