/** The languages that an index reads, as it needs them. */
import { speaksOfTime, timesIn } from "../text/dates.ts";
import { createLexicon, type Lexicon } from "../text/lexicon.ts";
import { preparingTexts } from "../text/once.ts";
import { asksWhen, isQuestion } from "../text/questions.ts";
import { createTokenizer, type Tokenizer } from "../text/tokenize.ts";
import type { TimeRange } from "../text/calendar.ts";
import type { TextReader } from "./reader.ts";

const noTimes: readonly TimeRange[] = Object.freeze([]);

/** What an index reads with a tokenizer's languages: their words, times, ways to ask, and classes of things (those of a lexicon of one's own, if given). */
export const createTextReader = (tokenizer: Tokenizer = createTokenizer(), lexicon?: Lexicon): TextReader => {
  let classes = lexicon;
  const members = (term: string): readonly string[] => (classes ??= createLexicon(tokenizer)).members(term);
  return Object.freeze<TextReader>({
    terms: (text) => tokenizer.terms(text),
    words: (text) => tokenizer.words(text),
    members,
    times: (text, at) => timesIn(text, at, tokenizer.localesOf(text)),
    read: (text, at) => {
      const { terms, locales } = tokenizer.read(text);
      const timed = speaksOfTime(text, locales);
      return { terms, asks: isQuestion(text, locales), speaksOfTime: timed, times: timed ? timesIn(text, at, locales) : noTimes };
    },
    asksWhen: (text) => asksWhen(text, tokenizer.localesOf(text)),
    prepare: function* () {
      yield members("");
      for (const locale of tokenizer.locales) {
        for (const text of preparingTexts) {
          yield speaksOfTime(text, [locale]);
          yield isQuestion(text, [locale]);
          yield asksWhen(text, [locale]);
        }
      }
    },
  });
};

let shared: TextReader | undefined;

/** The reader that an index has when it is given none: of the supplied languages. Its tables are made when they are first needed, once for all indexes; it keeps no text. */
export const defaultReader = (): TextReader => (shared ??= createTextReader());
