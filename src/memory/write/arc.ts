/** The arc of an episode, from a draft: cut to its limits, without what is barred, and with what the runtime knows and no draft may say. */
import type { Arc } from "../entry.ts";
import { sentencesOf } from "../recall/hidden.ts";
import type { BarCheck } from "./bar.ts";
import { mostCharacters } from "./check-candidate.ts";
import type { ArcDraft } from "./extraction.ts";
import { policyVersion } from "./policy.ts";

/** What the runtime knows of an episode. */
export interface EpisodeFrame extends Pick<
  Arc,
  "session_id" | "episode" | "started_at" | "ended_at" | "from" | "upto" | "turn_count" | "approach" | "approach_context" | "level"
> {
  readonly now: number;
  /** What the person has done to the arc that stood there before. */
  readonly before: Arc | undefined;
}

const mostThemes = 3;
const mostSentences = 4;
const mostLoops = 10;
/** Of a theme or an open loop. */
const mostInItem = 200;

/** A text cut at a length, at the end of a word. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most - 1).toWellFormed();
  return `${head.slice(0, Math.max(head.lastIndexOf(" "), Math.floor(most / 2)))}…`;
}

const items = (list: readonly string[], most: number, isBarred: BarCheck): readonly string[] =>
  [...new Set(list.map((text) => cut(text.trim(), mostInItem)))].filter((text) => text !== "" && !isBarred({ text })).slice(0, most);

/** Whole sentences, as many as fit; of one that is too long its beginning. */
function summaryOf(summary: string, isBarred: BarCheck): string {
  const kept: string[] = [];
  for (const sentence of sentencesOf(summary)
    .filter((sentence) => !isBarred({ text: sentence }))
    .slice(0, mostSentences)) {
    if ([...kept, sentence].join(" ").length > mostCharacters.summary) break;
    kept.push(sentence);
  }
  const [first] = kept;
  return first === undefined
    ? cut(sentencesOf(summary).find((sentence) => !isBarred({ text: sentence })) ?? "", mostCharacters.summary)
    : kept.join(" ");
}

/** The arc; null if there is nothing left to tell. */
export function arcOf(draft: ArcDraft, { now, before, ...frame }: EpisodeFrame, isBarred: BarCheck): Arc | null {
  const summary = summaryOf(draft.summary, isBarred);
  if (summary === "") return null;
  const { mood, goal } = draft;
  const { approach, approach_context, level, ...place } = frame;
  return {
    type: "arc",
    ...place,
    summary,
    themes: items(draft.themes, mostThemes, isBarred),
    ...(mood === undefined ? {} : { mood: { opened: cut(mood.opened, mostCharacters.mood), closed: cut(mood.closed, mostCharacters.mood) } }),
    open_loops: items(draft.open_loops, mostLoops, isBarred),
    resolved: items(draft.resolved, mostLoops, isBarred),
    ...(goal === undefined || goal.trim() === "" || isBarred({ text: goal }) ? {} : { goal: cut(goal.trim(), mostInItem) }),
    ...(approach === undefined ? {} : { approach }),
    ...(approach_context === undefined ? {} : { approach_context }),
    ...(level === undefined ? {} : { level }),
    policy: policyVersion,
    recorded_at: now,
    ...(before?.pinned === true ? { pinned: true } : {}),
    ...(before?.never_recall === true ? { never_recall: true } : {}),
    sensitivity: (level ?? 0) > 0 ? "sensitive" : "personal",
  };
}
