import { elementsOf, type ElementId, type WordIndex } from "./word-index.ts";
import type { Element, Pattern } from "./pattern.ts";

/** A word as it is matched: all ways to read it. */
export interface Word {
  readonly forms: readonly string[];
  /** With its apostrophes, where it has some. */
  readonly written?: string;
  readonly from: number;
  readonly to: number;
  readonly sentence: number;
  readonly clause: number;
}

/** Words in their order, with the elements that each of them stands for. */
export interface Sequence {
  readonly words: readonly Word[];
  /** By place: what begins there, and where it ends; what ends there, and where it begins. */
  readonly begin: readonly (readonly Hit[])[];
  readonly end: readonly (readonly Hit[])[];
}

interface Hit {
  readonly element: ElementId;
  readonly other: number;
}

/** Elements of words that were seen in this text. */
export type Seen = Map<string, readonly ElementId[]>;

function elementsAt(word: Word, index: WordIndex, known: Seen): readonly ElementId[] {
  const of = (form: string): readonly ElementId[] => {
    const before = known.get(form);
    if (before !== undefined) return before;
    const found = elementsOf(index, form);
    known.set(form, found);
    return found;
  };
  const [first = "", ...more] = word.forms;
  return more.length === 0 ? of(first) : [...new Set(word.forms.flatMap(of))];
}

/** Finds what each word stands for, and each row of words that stands for one element. */
export function sequenceOf(words: readonly Word[], index: WordIndex, known: Seen): Sequence {
  const singles = words.map((word) => elementsAt(word, index, known));
  const begin: Hit[][] = singles.map((elements, at) => elements.map((element) => ({ element, other: at + 1 })));
  const end: Hit[][] = [[], ...singles.map((elements, at) => elements.map((element) => ({ element, other: at })))];
  for (const [at, elements] of singles.entries())
    for (const first of elements)
      for (const phrase of index.phrases.get(first) ?? []) {
        const stop = at + phrase.words.length;
        const fits = phrase.words.every(
          (element, step) => singles[at + step]?.includes(element) && words[at + step]?.sentence === words[at]?.sentence,
        );
        if (!fits) continue;
        begin[at]?.push({ element: phrase.element, other: stop });
        end[stop]?.push({ element: phrase.element, other: at });
      }
  return { words, begin, end };
}

const backwards = -1;

/** Steps over elements from places that were reached, to all places that can be reached: forwards from where words begin, or backwards. */
function walk(
  sequence: Sequence,
  from: number,
  steps: { readonly elements: readonly Element[]; readonly direction: 1 | -1; readonly blocked: Uint8Array },
): number[] {
  const { words } = sequence;
  const { direction, blocked, elements } = steps;
  const sentence = words[direction === backwards ? from : from - 1]?.sentence;
  let places = [from];
  for (const element of elements) {
    const reached = new Set<number>();
    for (const place of places) {
      if (element.type === "gap") {
        reached.add(place);
        for (let step = 1, at = place; step <= element.most; step += 1, at += direction) {
          const passed = direction === backwards ? at - 1 : at;
          if (words[passed]?.sentence !== sentence || blocked[passed] === 1) break;
          reached.add(at + direction);
        }
      } else if (element.type === "start") {
        if (place === 0 || words[place - 1]?.clause !== words[place]?.clause) reached.add(place);
      } else if (element.type === "end") {
        if (place === words.length || words[place - 1]?.clause !== words[place]?.clause) reached.add(place);
      } else {
        if (element.optional) reached.add(place);
        for (const hit of (direction === backwards ? sequence.end : sequence.begin)[place] ?? [])
          if (hit.element === element.id && words[direction === backwards ? place - 1 : place]?.sentence === sentence) reached.add(hit.other);
      }
    }
    if (reached.size === 0) return [];
    places = [...reached];
  }
  return places;
}

/** Patterns by the element that they are looked for by. */
export type Anchored<Label> = ReadonlyMap<ElementId, readonly { readonly pattern: Pattern; readonly label: Label }[]>;

export interface Found<Label> {
  readonly label: Label;
  /** Places of words: the first, and the one after the last. */
  readonly first: number;
  readonly after: number;
}

const nothing = new Uint8Array(0);

/** Finds every pattern. Words that are `blocked` for its pack are not passed over by gaps. */
export function find<Label extends { readonly pack: number }>(
  sequence: Sequence,
  anchored: Anchored<Label>,
  blockedOf: readonly Uint8Array[],
): readonly Found<Label>[] {
  const found: Found<Label>[] = [];
  for (const [place, hits] of sequence.begin.entries())
    for (const hit of hits)
      for (const { pattern, label } of anchored.get(hit.element) ?? []) {
        const blocked = blockedOf[label.pack] ?? nothing;
        const ends = walk(sequence, hit.other, { elements: pattern.after, direction: 1, blocked });
        if (ends.length === 0) continue;
        const starts = walk(sequence, place, { elements: pattern.before, direction: backwards, blocked });
        if (starts.length > 0) found.push({ label, first: Math.min(...starts), after: Math.max(...ends) });
      }
  return found;
}
