/** Finds the patterns of packs in a text, including abbreviations. No match crosses a sentence. */
import { find, type Found, type Sequence, sequenceOf, type Word } from "./matcher.ts";
import type { CompiledPack, CompiledPacks, ConceptId, FrameId, Label } from "./rule-pack.ts";

/** The position of a match, in the words of its pack and in the text. */
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

/** The matches in a text, before any interpretation. */
export interface Evidence {
  readonly concepts: readonly FoundConcept[];
  readonly frames: readonly FoundFrame[];
  /** By pack: the words that its patterns were matched against. */
  readonly words: readonly (readonly Word[])[];
}

/** Most matches of one kind in one sentence. More add no information, only time. */
const mostOfAKind = 40;

function placeOf({ label, first, after }: Found<Label>, words: readonly Word[]): Place | undefined {
  const start = words[first];
  const last = words[after - 1];
  if (start === undefined || last === undefined) return undefined;
  return { pack: label.pack, first, after, from: start.from, to: last.to, sentence: start.sentence, clause: start.clause, lastClause: last.clause };
}

/** Returns all matches of the packs in the words of a text. `language`: index of the pack for the text's language. */
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

/** A part of a search: words, and by pack the sentences that it reads in other words. */
interface Pass {
  /** The pack that searches, or undefined for all of them. */
  readonly pack: number | undefined;
  readonly sequence: Sequence;
  readonly skipped: readonly ReadonlySet<number>[];
}

/** Returns the matches of a pass. */
function foundIn({ sequence, skipped }: Pick<Pass, "sequence" | "skipped">, compiled: CompiledPacks): readonly Found<Label>[] {
  const many = sequence.words.length;
  const open = new Uint8Array(many);
  const negations = find(sequence, compiled.negations, { blocked: compiled.packs.map(() => open), skipped });
  const blocked = compiled.packs.map((_, pack) => {
    const own = negations.filter(({ label }) => label.pack === pack);
    if (own.length === 0) return open;
    const closed = new Uint8Array(many);
    for (const { first, after } of own) closed.fill(1, first, after);
    return closed;
  });
  return [...negations, ...find(sequence, compiled.patterns, { blocked, skipped })];
}

/** Returns the index of the first word of each sentence. */
function startsOf(words: readonly Word[]): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const [at, { sentence }] of words.entries()) if (words[at - 1]?.sentence !== sentence) starts.set(sentence, at);
  return starts;
}

/** Returns a function that moves matches to the positions of the same sentences in another word list. */
function mover(words: readonly Word[], into: readonly Word[]): (found: Found<Label>) => Found<Label> {
  const [starts, others] = [startsOf(words), startsOf(into)];
  return ({ label, first, after }) => {
    const sentence = words[first]?.sentence ?? 0;
    const by = (others.get(sentence) ?? 0) - (starts.get(sentence) ?? 0);
    return { label, first: first + by, after: after + by };
  };
}

/**
 * Returns the passes of a search: one over the words with all packs, and one for each pack that reads sentences in other words, over those sentences and with
 * its elements alone. So each pack searches each sentence once.
 */
export function passesOf(words: readonly Word[], spelled: readonly Spelled[], compiled: CompiledPacks): readonly Pass[] {
  const { index } = compiled.vocabulary;
  const passes: Pass[] = [{ pack: undefined, sequence: sequenceOf(words, index), skipped: spelled.map(({ sentences }) => sentences) }];
  for (const [pack, { words: own, sentences }] of spelled.entries()) {
    if (sentences.size === 0) continue;
    const changed = own.filter(({ sentence }) => sentences.has(sentence));
    passes.push({ pack, sequence: sequenceOf(changed, index, compiled.packs[pack]?.span), skipped: [] });
  }
  return passes;
}

/** Returns all matches, each in the words as its pack reads them (`spelled`). */
export function search(words: readonly Word[], spelled: readonly Spelled[], compiled: CompiledPacks): readonly Found<Label>[] {
  const byPack = compiled.packs.map((): Found<Label>[] => []);
  const common: Found<Label>[] = [];
  for (const { pack, sequence, skipped } of passesOf(words, spelled, compiled)) {
    const isMoved = spelled.map(({ sentences }, place) => (pack === undefined ? sentences.size > 0 : pack === place));
    const moves = spelled.map((own, place) => (isMoved[place] === true ? mover(sequence.words, own.words) : undefined));
    for (const one of foundIn({ sequence, skipped }, compiled)) {
      const move = moves[one.label.pack];
      if (move === undefined) common.push(one);
      else byPack[one.label.pack]?.push(move(one));
    }
  }
  const all: Found<Label>[] = [];
  for (const [pack, own] of spelled.entries()) {
    const sentenceOf = ({ first }: Found<Label>): number => own.words[first]?.sentence ?? 0;
    if (own.sentences.size === 0) all.push(...common.splice(0));
    else all.push(...(byPack[pack] ?? []).toSorted((one, other) => sentenceOf(one) - sentenceOf(other)));
  }
  return all;
}

/** The words as a pack reads them. */
interface Spelled {
  readonly words: readonly Word[];
  /** Sentences with an expanded abbreviation. The other sentences are unchanged. */
  readonly sentences: ReadonlySet<number>;
}

const nowhere: ReadonlySet<number> = new Set();

/** Expands the abbreviations of one pack. Returns the same words if there are none. A frequent word of the text's own language is not expanded. */
export function spellOut(words: readonly Word[], pack: CompiledPack, language: CompiledPack | undefined): Spelled {
  const { abbreviations } = pack;
  if (abbreviations.size === 0) return { words, sentences: nowhere };
  const foreign = language !== undefined && language !== pack;
  const sentences = new Set<number>();
  let spelled: Word[] | undefined;
  for (const [at, word] of words.entries()) {
    const short = word.forms[0] ?? "";
    const full = abbreviations.get(word.written ?? short) ?? abbreviations.get(short);
    if (full === undefined || (foreign && (language.detect.has(short) || language.abbreviations.has(word.written ?? short)))) spelled?.push(word);
    else {
      spelled ??= words.slice(0, at);
      sentences.add(word.sentence);
      for (const forms of full) spelled.push({ forms, from: word.from, to: word.to, sentence: word.sentence, clause: word.clause });
    }
  }
  return { words: spelled ?? words, sentences };
}
