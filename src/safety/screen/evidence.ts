import { find, sequenceOf, type Found, type Seen, type Sequence, type Word } from "./matcher.ts";
import type { CompiledPack, CompiledPacks, Label } from "./compiled.ts";
import type { ConceptId, FrameId } from "./pack.ts";
import { spellOut } from "./words.ts";

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

/** Which words a negation has found, by pack. */
function blockedOf(found: readonly Found<Label>[], length: number, packs: readonly CompiledPack[]): readonly Uint8Array[] {
  const blocked = packs.map(() => new Uint8Array(length));
  for (const { label, first, after } of found) blocked[label.pack]?.fill(1, first, after);
  return blocked;
}

/** Finds what all packs know in words, or what one of them does whose short forms were spelled out. */
function foundIn(sequence: Sequence, compiled: CompiledPacks, mine: (pack: number) => boolean): readonly Found<Label>[] {
  const none = compiled.packs.map(() => new Uint8Array(sequence.words.length));
  const negations = find(sequence, compiled.negations, none).filter(({ label }) => mine(label.pack));
  const blocked = blockedOf(negations, sequence.words.length, compiled.packs);
  return [...negations, ...find(sequence, compiled.patterns, blocked).filter(({ label }) => mine(label.pack))];
}

/** Everything that packs find in the words of a text. */
export function evidenceOf(words: readonly Word[], compiled: CompiledPacks): Evidence {
  const { packs, vocabulary } = compiled;
  const seen: Seen = new Map();
  const spelled = packs.map(({ abbreviations }) => spellOut(words, abbreviations));
  const shared = foundIn(sequenceOf(words, vocabulary.index, seen), compiled, (pack) => spelled[pack] === words);
  const own = spelled.flatMap((read, place) =>
    read === words ? [] : foundIn(sequenceOf(read, vocabulary.index, seen), compiled, (pack) => pack === place),
  );
  const concepts: FoundConcept[] = [];
  const frames: FoundFrame[] = [];
  const counts = new Map<string, number>();
  for (const found of [...shared, ...own]) {
    const { label } = found;
    const place = placeOf(found, spelled[label.pack] ?? words);
    const kind = `${label.pack} ${place?.sentence ?? 0} ${label.type === "frame" ? label.frame : `${label.concept} ${label.strength}`}`;
    const count = (counts.get(kind) ?? 0) + 1;
    if (place === undefined || count > mostOfAKind) continue;
    counts.set(kind, count);
    if (label.type === "frame") frames.push({ ...place, frame: label.frame });
    else concepts.push({ ...place, concept: label.concept, strength: label.strength });
  }
  return { concepts, frames, words: spelled };
}
