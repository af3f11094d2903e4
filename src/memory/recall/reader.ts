/** What an index asks of language: words, times and the manner of a question. It holds no language itself. */

import type { TimeRange } from "../text/calendar.ts";
import type { Word } from "../text/tokenize.ts";

/** What an index keeps of a text that was said. */
export interface ReadText {
  /** As {@link TextReader.terms} has them. */
  readonly terms: readonly string[];
  /** Whether it is a question. */
  readonly asks: boolean;
  /** Whether it names a time at all, be it one without a date. */
  readonly speaksOfTime: boolean;
  /** Times that it names, read by the moment when it was said. */
  readonly times: readonly TimeRange[];
}

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
  /** All that an index keeps of a text, said at a moment: it is cut into words once. */
  read(text: string, at: number): ReadText;
  /** Whether a question wants a time for an answer. */
  asksWhen(text: string): boolean;
  /** Makes what reading needs, step by step, before it is needed. */
  prepare(): Iterable<unknown>;
}
