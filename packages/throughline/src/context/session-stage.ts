/**
 * The stage of an episode of a conversation: opening, deepening, working, closing. It is inferred from the customer's messages, without a model, and
 * is deterministic. It moves forward, and back only when the customer changes the topic, so that one short answer does not restart it.
 */
import { askingForWork, farewells, newTopics, thanks } from "./stage-words.ts";

/** The stages, in order. */
export const sessionStages = ["opening", "deepening", "working", "closing"] as const;
/** The stage of an episode. */
export type SessionStage = (typeof sessionStages)[number];

/** The progress of an episode, from which the next message advances it. */
export interface StageProgress {
  readonly stage: SessionStage;
  /** Number of the customer's messages in the episode. */
  readonly turns: number;
  /** Number of substantive messages among them since the topic started. */
  readonly substantive: number;
}

/** Additional evidence for a message. */
export interface StageEvidence {
  /** Whether an exercise or a named technique is running. */
  readonly exercise?: boolean;
  /** Whether the agent's last message asked a question, so that a short message may be its answer. */
  readonly asked?: boolean;
}

/** The progress of an episode before its first message. */
export const stageAtFirst: StageProgress = Object.freeze({ stage: "opening", turns: 0, substantive: 0 });

/** Minimum words of a substantive message; for scripts without spaces, minimum characters. */
const substance = { words: 12, characters: 16 } as const;
/** Maximum number of words of a message that is only a farewell. */
const farewell = { words: 14, characters: 24 } as const;
/** This many substantive messages count as work. */
const worked = 4;
/** Number of messages, of any length, after which an episode is no longer opening. */
const begun = 4;

/** Returns the progress of the episode after one more message of the customer. */
export function nextStage(before: StageProgress, said: string, { exercise = false, asked = false }: StageEvidence = {}): StageProgress {
  const folded = fold(said);
  const turns = before.turns + 1;
  const long = isLong(said, folded, substance);
  if (leaves(said, folded, { before, exercise, asked })) return { ...before, turns, stage: "closing" };
  const turned = before.turns > 0 && has(folded, newTopics);
  // A longer message after a farewell continues the conversation.
  const again = before.stage === "closing" && (long || turned || said.includes("?") || said.includes("？"));
  const substantive = (turned || again ? 0 : before.substantive) + (long ? 1 : 0);
  if (exercise) return { stage: "working", turns, substantive };
  if (turned || again) return { stage: "deepening", turns, substantive };
  return { stage: forward(before.stage, { turns, substantive, wants: has(folded, askingForWork) }), turns, substantive };
}

/** Returns the stage of an episode from all of the customer's messages in it. */
export const stageOf = (said: readonly string[], evidence: StageEvidence = {}): SessionStage =>
  said.reduce<StageProgress>((progress, text, index) => nextStage(progress, text, index === said.length - 1 ? evidence : {}), stageAtFirst).stage;

/** Moves at most one stage forward. */
function forward(
  stage: SessionStage,
  { turns, substantive, wants }: { readonly turns: number; readonly substantive: number; readonly wants: boolean },
): SessionStage {
  if (stage === "opening") return (turns > 1 && substantive > 0) || turns >= begun ? "deepening" : "opening";
  if (stage === "deepening") return (wants && substantive > 0) || substantive >= worked ? "working" : "deepening";
  return stage;
}

/** Whether a message ends the conversation: a farewell, or thanks after work, unless it answers a question. */
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

/** Returns the words of a text: lower case, without accents, apostrophes and punctuation. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{Mn}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['’ʼ`]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Whether a folded text contains one of the phrases, as whole words if the script has words. */
const has = (folded: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => (unspacedPhrase.test(phrase) ? folded.includes(phrase) : ` ${folded} `.includes(` ${phrase} `)));
const unspacedPhrase = /\p{Script=Han}/u;
