/** What an index asks of language: words, times and the manner of a question. It holds no language itself. */

import type { TimeRange } from "../text/calendar.ts";
import type { Word } from "../text/tokenize.ts";

/** Language, as the index needs it. */
export interface TextReader {
  /** The words that carry meaning, as they are indexed. */
  terms(text: string): readonly string[];
  /** Every word, in order. */
  words(text: string): readonly Word[];
  /** Terms that belong to the class which this term names; empty for most. */
  members(term: string): readonly string[];
  /** Times that a text names, read by a moment. */
  times(text: string, at: number): readonly TimeRange[];
  /** Whether a text names a time at all. */
  speaksOfTime(text: string): boolean;
  /** Whether a text is a question. */
  asks(text: string): boolean;
  /** Whether a question wants a time for an answer. */
  asksWhen(text: string): boolean;
}
