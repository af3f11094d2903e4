/** Drafts an arc without a model: it selects the user's own sentences by rules and adds nothing. */
import { present } from "../../../kernel/json.ts";
import type { FactCandidate } from "../../entry.ts";
import { sentencesOf } from "../../control/hidden-words.ts";
import type { ArcDraft, SaidTurn } from "../check-candidate.ts";
import { allWords } from "../key.ts";
import type { Reader } from "./compile.ts";

/** Minimum number of substantive turns for an arc. */
const fewestTurns = 3;
const fewestWords = 4;
const mostSentences = 4;
const mostCharacters = 600;
const longestSentence = 240;

/** Names of categories among an episode's themes. */
const themes: Readonly<Record<string, string>> = {
  coping_strategy: "coping",
  trigger: "worries",
  goal: "goals",
  relationship: "relationships",
  loss: "a loss",
};

/** Categories that are not themes. A name or a preference is not the subject of an episode. */
const unthemed: ReadonlySet<string> = new Set(["context", "preference"]);

interface Sentence {
  readonly text: string;
  readonly score: number;
  readonly place: number;
}

const feelingIn = (text: string, readers: readonly Reader[]): string | undefined => {
  for (const { feeling } of readers) {
    const found = feeling(text);
    if (found !== undefined) return found;
  }
  return undefined;
};

function moodOf(turns: readonly SaidTurn[], readers: readonly Reader[]): ArcDraft["mood"] {
  const feelings = turns.map(({ text }) => feelingIn(text, readers)).filter((feeling) => feeling !== undefined);
  const [opened, closed] = [feelings[0], feelings.at(-1)];
  return opened === undefined || closed === undefined || feelings.length < 2 ? undefined : { opened, closed };
}

/** Scores the sentences of a turn by remembered quotes, feelings and length. Questions score lower. */
function scoredSentences(turn: SaidTurn, place: number, candidates: readonly FactCandidate[], readers: readonly Reader[]): readonly Sentence[] {
  const quotes = candidates.filter(({ offset }) => offset === turn.offset).map(({ quote }) => quote);
  return sentencesOf(turn.text)
    .filter((text) => text.length <= longestSentence && !readers.some(({ isCrisis }) => isCrisis(text)))
    .map((text, index) => {
      const remembered = quotes.filter((quote) => text.includes(quote)).length;
      const felt = feelingIn(text, readers) === undefined ? 0 : 1;
      const asks = /[?？]["”’)]*$/u.test(text) ? 2 : 0;
      return { text, score: remembered * 2 + felt + (allWords(text).length >= 6 ? 0.5 : 0) - asks, place: place + index / 1000 };
    });
}

function summaryOf(scored: readonly Sentence[]): string {
  let room = mostCharacters;
  const chosen = scored
    .filter(({ score }) => score >= 1)
    .toSorted((left, right) => right.score - left.score || left.place - right.place)
    .slice(0, mostSentences)
    .filter(({ text }) => (room -= text.length + 2) > 0);
  return chosen
    .toSorted((left, right) => left.place - right.place)
    .map(({ text }) => (/[.!?…。！？]["”’)]*$/u.test(text) ? text : `${text}.`))
    .join(" ");
}

/** Returns the arc of an episode, or null for small talk and short episodes. */
export function draftArc(turns: readonly SaidTurn[], candidates: readonly FactCandidate[], readers: readonly Reader[]): ArcDraft | null {
  const substantive = turns.filter(({ text }) => allWords(text).length >= fewestWords);
  if (substantive.length < fewestTurns) return null;
  const summary = summaryOf(substantive.flatMap((turn, index) => scoredSentences(turn, index, candidates, readers)));
  if (summary === "") return null;
  const goals = candidates.filter(({ category }) => category === "goal");
  const [goal] = goals;
  const mood = moodOf(turns, readers);
  return {
    summary,
    themes: [...new Set(candidates.filter(({ category }) => !unthemed.has(category)).map(({ category }) => themes[category] ?? category))].slice(
      0,
      3,
    ),
    ...present({ mood }),
    open_loops: [...new Set(goals.map(({ quote }) => quote))],
    resolved: [],
    ...(goal === undefined ? {} : { goal: goal.object.id }),
  };
}
