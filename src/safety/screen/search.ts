/** Finds what packs know in a text. Nothing is matched across sentences: those that a pack reads as all others do are gone through once for all of them. */
import type { CompiledPacks, Label } from "./compiled.ts";
import { find, sequenceOf, type Found, type Seen, type Word } from "./matcher.ts";
import type { Spelled } from "./short-forms.ts";

/** Finds what the packs that are `active` know in words. */
function foundIn(
  words: readonly Word[],
  compiled: CompiledPacks,
  given: { readonly seen: Seen; readonly active: readonly boolean[] },
): readonly Found<Label>[] {
  const sequence = sequenceOf(words, compiled.vocabulary.index, given.seen);
  const open = new Uint8Array(words.length);
  const negations = find(sequence, compiled.negations, { active: given.active, blocked: compiled.packs.map(() => open) });
  const blocked = compiled.packs.map((_, pack) => {
    const own = negations.filter(({ label }) => label.pack === pack);
    if (own.length === 0) return open;
    const closed = new Uint8Array(words.length);
    for (const { first, after } of own) closed.fill(1, first, after);
    return closed;
  });
  return [...negations, ...find(sequence, compiled.patterns, { active: given.active, blocked })];
}

/** Where each sentence begins among words. */
function startsOf(words: readonly Word[]): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  for (const [at, { sentence }] of words.entries()) if (words[at - 1]?.sentence !== sentence) starts.set(sentence, at);
  return starts;
}

/** Moves what was found in words to where the same sentences stand among others. */
function mover(words: readonly Word[], into: readonly Word[]): (found: Found<Label>) => Found<Label> {
  const [starts, others] = [startsOf(words), startsOf(into)];
  return ({ label, first, after }) => {
    const sentence = words[first]?.sentence ?? 0;
    const by = (others.get(sentence) ?? 0) - (starts.get(sentence) ?? 0);
    return { label, first: first + by, after: after + by };
  };
}

/** From this share of the sentences on, what a pack reads in its own way is gone through as a whole. */
const mostApart = 0.5;

/** Everything that packs find, each in the words as it reads them (`spelled`), pack by pack where they read them differently. */
export function search(words: readonly Word[], spelled: readonly Spelled[], compiled: CompiledPacks): readonly Found<Label>[] {
  const seen: Seen = new Map();
  const many = mostApart * startsOf(words).size;
  const isWhole = ({ sentences }: Spelled): boolean => sentences.size > many;
  const byPack = compiled.packs.map((): Found<Label>[] => []);
  const common: Found<Label>[] = [];
  for (const one of foundIn(words, compiled, { seen, active: spelled.map((own) => !isWhole(own)) }))
    (spelled[one.label.pack]?.sentences.size === 0 ? common : byPack[one.label.pack])?.push(one);
  const all: Found<Label>[] = [];
  for (const [pack, own] of spelled.entries()) {
    const active = spelled.map((_, place) => place === pack);
    if (own.sentences.size === 0) all.push(...common.splice(0));
    else if (isWhole(own)) all.push(...foundIn(own.words, compiled, { seen, active }));
    else {
      const changed = own.words.filter(({ sentence }) => own.sentences.has(sentence));
      const again = foundIn(changed, compiled, { seen, active });
      const kept = (byPack[pack] ?? []).filter(({ first }) => !own.sentences.has(words[first]?.sentence ?? 0));
      const sentenceOf = ({ first }: Found<Label>): number => own.words[first]?.sentence ?? 0;
      all.push(
        ...[...again.map(mover(changed, own.words)), ...kept.map(mover(words, own.words))].toSorted(
          (one, other) => sentenceOf(one) - sentenceOf(other),
        ),
      );
    }
  }
  return all;
}
