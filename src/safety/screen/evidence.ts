import type { CompiledPacks, Label } from "./compiled.ts";
import type { Found, Word } from "./matcher.ts";
import type { ConceptId, FrameId } from "./pack.ts";
import { search } from "./search.ts";
import { spellOut } from "./short-forms.ts";

/** Where something was found: in the words of its pack, and in the text. */
export interface Place {
  readonly pack: number;
  readonly first: number;
  readonly after: number;
  readonly from: number;
  readonly to: number;
  readonly sentence: number;
  readonly clause: number;
  readonly lastClause: number;
}

export interface FoundConcept extends Place {
  readonly concept: ConceptId;
  readonly strength: "soft" | "hard";
}

export interface FoundFrame extends Place {
  readonly frame: FrameId;
}

/** What was found in a text, before anything is made of it. */
export interface Evidence {
  readonly concepts: readonly FoundConcept[];
  readonly frames: readonly FoundFrame[];
  /** By pack: the words that its patterns were matched against. */
  readonly words: readonly (readonly Word[])[];
}

/** More of one kind in one sentence say nothing more; they would only take time. */
const mostOfAKind = 40;

function placeOf({ label, first, after }: Found<Label>, words: readonly Word[]): Place | undefined {
  const start = words[first];
  const last = words[after - 1];
  if (start === undefined || last === undefined) return undefined;
  return { pack: label.pack, first, after, from: start.from, to: last.to, sentence: start.sentence, clause: start.clause, lastClause: last.clause };
}

/** Everything that packs find in the words of a text; `language` is the place of the pack of its language. */
export function evidenceOf(words: readonly Word[], compiled: CompiledPacks, language: number | undefined): Evidence {
  const { packs } = compiled;
  const spelled = packs.map((pack) => spellOut(words, pack, language === undefined ? undefined : packs[language]));
  const found = search(words, spelled, compiled);
  const concepts: FoundConcept[] = [];
  const frames: FoundFrame[] = [];
  const counts = new Map<string, number>();
  for (const one of found) {
    const { label } = one;
    const place = placeOf(one, spelled[label.pack]?.words ?? words);
    const kind = `${label.pack} ${place?.sentence ?? 0} ${label.type === "frame" ? label.frame : `${label.concept} ${label.strength}`}`;
    const count = (counts.get(kind) ?? 0) + 1;
    if (place === undefined || count > mostOfAKind) continue;
    counts.set(kind, count);
    if (label.type === "frame") frames.push({ ...place, frame: label.frame });
    else concepts.push({ ...place, concept: label.concept, strength: label.strength });
  }
  return { concepts, frames, words: spelled.map((own) => own.words) };
}
