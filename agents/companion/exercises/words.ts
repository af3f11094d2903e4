/** How people say where they are in an exercise and how they ask for one, from `words/<language>.yaml`. */
import type { ExerciseLanguage } from "./definition.ts";
import de from "./words/de.data.json" with { type: "json" };
import en from "./words/en.data.json" with { type: "json" };
import es from "./words/es.data.json" with { type: "json" };
import fr from "./words/fr.data.json" with { type: "json" };
import pt from "./words/pt.data.json" with { type: "json" };
import zh from "./words/zh.data.json" with { type: "json" };

/** Kinds of cue, as `words.schema.json` describes them; earlier ones win. */
export const cueKinds = ["exit_clear", "exit", "unwell", "stuck", "hold", "skip", "advance", "yes", "nothing"] as const;
export type CueKind = (typeof cueKinds)[number];

/** Sources of regular expressions, as `words.schema.json` describes them. */
export interface ExerciseWords {
  /** Missing where the script tells the language. */
  readonly tells?: string;
  readonly before: string;
  readonly after: string;
  readonly cues: Readonly<Record<CueKind, readonly string[]>>;
  readonly resume: readonly string[];
  readonly clarify: readonly string[];
  readonly explain: readonly string[];
  readonly memory: readonly string[];
  readonly lookup: readonly string[];
  readonly orders: { readonly memory: readonly string[]; readonly lookup: readonly string[] };
  readonly requests: { readonly start: readonly string[]; readonly anywhere: readonly string[]; readonly list: string; readonly unless: string };
}

export const exerciseWords: Readonly<Record<ExerciseLanguage, ExerciseWords>> = { en, es, de, fr, pt, zh };
