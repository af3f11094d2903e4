/** What the floor keeps of one's own questions, and what it turns away of those that people ask of other memories. */
import type { Corpus } from "./corpus.ts";
import type { Engine } from "./engine.ts";
import { percent } from "./report.ts";

/** Shares in percent, of so many questions. */
export interface FloorFigures {
  readonly own_kept: number;
  readonly own: number;
  readonly foreign_rejected: number;
  readonly foreign: number;
}

/** Asks each memory its own questions and those of all others; 0 where there are no others. */
export function floorFigures(engine: Engine, corpora: readonly Corpus[]): FloorFigures {
  const counts = { kept: 0, own: 0, rejected: 0, foreign: 0 };
  for (const corpus of corpora) {
    const opened = engine.open([...corpus.turns, ...corpus.facts]);
    for (const { questions } of corpora) {
      const isOwn = questions === corpus.questions;
      const now = corpus.questions[0]?.now ?? 0;
      const below = questions.filter(({ text }) => opened.isBelowFloor?.({ text, now, limit: 50 })).length;
      if (isOwn) [counts.own, counts.kept] = [counts.own + questions.length, counts.kept + questions.length - below];
      else [counts.foreign, counts.rejected] = [counts.foreign + questions.length, counts.rejected + below];
    }
  }
  const { kept, own, rejected, foreign } = counts;
  return { own_kept: percent(kept / own), own, foreign_rejected: percent(rejected / foreign), foreign };
}
