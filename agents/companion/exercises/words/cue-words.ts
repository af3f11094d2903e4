/** How people say where they are in an exercise: kinds of cue, and the patterns of a language. */

/**
 * - `exit`: wants to leave; `exit_clear` names the exercise, so it counts wherever it stands.
 * - `unwell`: it does them no good, in body or mind. `stuck`: cannot do the step. `hold`: is still at it, or lost it. `skip`: wants the next one without this one.
 * - `yes`: did it, or agrees; `advance`: wants to go on.
 * - `nothing`: says nothing by itself, such as "well".
 */
export const cueKinds = ["exit_clear", "exit", "unwell", "stuck", "hold", "skip", "advance", "yes", "nothing"] as const;
export type CueKind = (typeof cueKinds)[number];

/**
 * The cues of a language. Each is a regular expression that a whole clause is held against: lower case, without closing marks, without what `before` and `after` take
 * away. Earlier kinds win.
 */
export interface CueWords {
  /** What stands before a cue and changes nothing. */
  readonly before: string;
  /** What stands after a cue and changes nothing. */
  readonly after: string;
  readonly cues: Readonly<Record<CueKind, readonly string[]>>;
  /** Goes back to an exercise that was left for a while; held against the whole message, anywhere. */
  readonly resume: readonly string[];
  /** Asks what a step means; held against the whole message, anywhere. */
  readonly clarify: readonly string[];
  /** Asks why an exercise is done, or how it works; held against the whole message, at its start. */
  readonly explain: readonly string[];
  /** Asks for something of the memory; held against a sentence from its start. */
  readonly memory: readonly string[];
  /** Asks for something to be looked up; held against a sentence from its start. */
  readonly lookup: readonly string[];
  /** As `memory` and `lookup`, but orders that address nobody: on a step that asks what to do they are an answer, "look up a yoga class". */
  readonly orders: { readonly memory: readonly string[]; readonly lookup: readonly string[] };
}
