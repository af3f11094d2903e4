/** Every number that ranking rests on, in one frozen value with a version. */

/** What ranking weighs. Scores are shares of the question's weight: 1 is "every word of it was found". */
export interface RetrievalWeights {
  /** Names this set of numbers: written into the diagnostics of every turn, so that two rankings can be told apart. */
  readonly id: string;
  /** BM25: how soon a further occurrence stops counting (Robertson and Zaragoza 2009). */
  readonly saturation: number;
  /** BM25: how much a turn is held to its length, 0 to 1. Turns of a conversation are short, and the longer of them say more. */
  readonly turnLength: number;
  /** The same for facts and summaries of arcs, which are indexed with their quotes. */
  readonly factLength: number;
  /** The same for whole groups. */
  readonly groupLength: number;
  /** A memory counts as one of at least so many units when it is told how rare a word is: of three messages each word is in many, and that says nothing. */
  readonly least: number;
  /** Terms from which on a text is a long one: told stories, pasted letters. */
  readonly long: number;
  /** How much a text is held to its length beyond that: long ones would else come first for everything they touch on. */
  readonly longLength: number;
  /** How much of what the previous turns say counts as said by this one, nearest first: an answer seldom repeats the words of what it answers. */
  readonly before: readonly number[];
  /** The same for the next turns. */
  readonly after: readonly number[];
  /** Of the score of the whole group, as one text. */
  readonly session: number;
  /** For a unit whose subject the question names. */
  readonly subject: number;
  /** For a unit of the time that the question names, by when it was said or by what it speaks of. */
  readonly date: number;
  /** For a unit that speaks of a time, when the question asks for one. */
  readonly when: number;
  /** Of the previous turn's own score, where that is a question: what follows it is the answer. */
  readonly answer: number;
  /** For a unit that is a question itself, taken off: it asks, and does not say. */
  readonly question: number;
  /** Of the best word that belongs to a class that the question names. */
  readonly concept: number;
  /** Of what a word is worth, for the nearest one where nobody has said it: mistyped, or another form. */
  readonly near: number;
  /** Of a source turn's score, for the fact that was drawn from it. */
  readonly source: number;
  /** Of a fact's own score, for the turn that it was drawn from. */
  readonly fact: number;
  /** What the words of an assistant count for, of what the person's own would. */
  readonly assistant: number;
  /** What the best members of a group count for in the group's score, best first. */
  readonly members: readonly number[];
  /** Of the score of an arc's own summary, for its group. */
  readonly summary: number;
  /** What is told in many words is met when so many of the weightiest are found: for the floor alone. */
  readonly enough: number;
  /** Below it, without a named subject or date that was met, nothing is recalled. */
  readonly floor: number;
}

/**
 * The weights in force. They began as the published figures of a study on LoCoMo, REALTALK and BEAM, and were then searched one by one on three conversations of
 * LoCoMo (Maharana et al. 2024): each of the three ranked better under what the search found on the other two, and the values here are rounded between the three.
 * `least` is from our own conversations, cut down to so many messages: with one, the floor kept 50 % of the questions about it, and keeps 90 % (of other people's it turned away 97 %, and turns away
 * 95 %); with ten 86 % became 94 % (89 % became 79 %). Memories of more than 128 units are ranked as before.
 */
export const defaultWeights: RetrievalWeights = Object.freeze({
  id: "2026-11.2",
  saturation: 0.9,
  turnLength: 0.2,
  factLength: 0.3,
  groupLength: 0.5,
  least: 128,
  long: 40,
  longLength: 0.75,
  before: Object.freeze([0.4, 0.25, 0.1]),
  after: Object.freeze([0.25, 0.1]),
  session: 0.3,
  subject: 0.15,
  date: 0.3,
  when: 0.2,
  answer: 0.3,
  question: 0.08,
  concept: 0.4,
  near: 0.7,
  source: 0.7,
  fact: 0.5,
  assistant: 0.5,
  members: Object.freeze([1, 0.5, 0.25]),
  summary: 0.1,
  enough: 6,
  floor: 0.25,
});
