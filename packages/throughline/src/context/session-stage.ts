/**
 * Where an episode of a conversation stands: opening, deepening, working, closing. It is told from what the person said, without a model, and the same words
 * always tell the same. It goes forward: back only when they turn to something else, so that one short answer in the middle does not begin anew.
 */
import { askingForWork, farewells, newTopics, thanks } from "./stage-words.ts";

/** The stages, in order. */
export const sessionStages = ["opening", "deepening", "working", "closing"] as const;
/** Where an episode of a conversation stands. */
export type SessionStage = (typeof sessionStages)[number];

/** How far an episode has come: what the next message is weighed against. */
export interface StageProgress {
  readonly stage: SessionStage;
  /** Messages of the person in the episode. */
  readonly turns: number;
  /** Those of them that said something of substance since the topic began. */
  readonly substantive: number;
}

/** What else is known when a message is weighed. */
export interface StageEvidence {
  /** An exercise or a named technique is running. */
  readonly exercise?: boolean;
  /** The agent's last message asked something, so that a short message may be its answer. */
  readonly asked?: boolean;
}

/** An episode before anything was said. */
export const stageAtFirst: StageProgress = Object.freeze({ stage: "opening", turns: 0, substantive: 0 });

/** Words from which on a message says something of substance; of scripts without spaces, characters. */
const substance = { words: 12, characters: 16 } as const;
/** Maximum number of words of a message that is only a farewell. */
const farewell = { words: 14, characters: 24 } as const;
/** This many substantive messages count as work. */
const worked = 4;
/** After this many messages, of any length, an episode is no longer at its beginning. */
const begun = 4;

/** How far the episode has come with one more message of the person. */
export function nextStage(before: StageProgress, said: string, { exercise = false, asked = false }: StageEvidence = {}): StageProgress {
  const folded = fold(said);
  const turns = before.turns + 1;
  const long = isLong(said, folded, substance);
  if (leaves(said, folded, { before, exercise, asked })) return { ...before, turns, stage: "closing" };
  const turned = before.turns > 0 && has(folded, newTopics);
  // Who says more after a farewell has something left to say.
  const again = before.stage === "closing" && (long || turned || said.includes("?") || said.includes("？"));
  const substantive = (turned || again ? 0 : before.substantive) + (long ? 1 : 0);
  if (exercise) return { stage: "working", turns, substantive };
  if (turned || again) return { stage: "deepening", turns, substantive };
  return { stage: forward(before.stage, { turns, substantive, wants: has(folded, askingForWork) }), turns, substantive };
}

/** The stage of an episode, from all that the person said in it. */
export const stageOf = (said: readonly string[], evidence: StageEvidence = {}): SessionStage =>
  said.reduce<StageProgress>((progress, text, index) => nextStage(progress, text, index === said.length - 1 ? evidence : {}), stageAtFirst).stage;

/** One stage forward, or none. */
function forward(
  stage: SessionStage,
  { turns, substantive, wants }: { readonly turns: number; readonly substantive: number; readonly wants: boolean },
): SessionStage {
  if (stage === "opening") return (turns > 1 && substantive > 0) || turns >= begun ? "deepening" : "opening";
  if (stage === "deepening") return (wants && substantive > 0) || substantive >= worked ? "working" : "deepening";
  return stage;
}

/** Whether a message says that they go: a farewell, or thanks after work that answer no question. */
function leaves(
  said: string,
  folded: string,
  { before, exercise, asked }: { readonly before: StageProgress; readonly exercise: boolean; readonly asked: boolean },
): boolean {
  if (/[?？]/u.test(said) || isLong(said, folded, farewell)) return false;
  if (has(folded, farewells)) return true;
  return !exercise && !asked && (before.stage === "working" || before.stage === "closing") && has(folded, thanks);
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

function isLong(said: string, folded: string, { words, characters }: { readonly words: number; readonly characters: number }): boolean {
  const dense = said.match(unspaced)?.length ?? 0;
  return dense > 0 ? dense >= characters : folded.split(" ").filter((word) => word !== "").length >= words;
}

/** A text as its words: lower case, without accents, apostrophes and marks. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['’ʼ`]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether a folded text has one of the phrases, as whole words where the script has words. */
const has = (folded: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => (unspacedPhrase.test(phrase) ? folded.includes(phrase) : ` ${folded} `.includes(` ${phrase} `)));
const unspacedPhrase = /\p{Script=Han}/u;
