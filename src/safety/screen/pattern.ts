import { ThroughlineError, seen } from "../../kernel/error.ts";
import { addAlternative, type ElementId, type KnownElement, type WordIndex } from "./word-index.ts";

/** What a pattern is made of, ready to be matched. */
export type Element =
  | { readonly type: "word"; readonly id: ElementId; readonly optional: boolean }
  | { readonly type: "gap"; readonly most: number }
  | { readonly type: "start" }
  | { readonly type: "end" };

export interface Pattern {
  /** The element that is looked for first: the rarest one that must be there. */
  readonly anchor: ElementId;
  /** The other elements that must be there: where a text has not all of them, nothing is looked for. */
  readonly needs: readonly ElementId[];
  /** What stands before it, from it backwards, and what stands after it. */
  readonly before: readonly Element[];
  readonly after: readonly Element[];
}

/** Where patterns come from, for errors and for the lists that they name. */
export interface PatternSource {
  readonly language: string;
  readonly where: string;
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Words that every other text has: no pattern is looked for by them. */
  readonly common: ReadonlySet<string>;
}

const mostGap = 8;

function wrong(pattern: string, { language, where }: PatternSource, problem: string): ThroughlineError {
  return new ThroughlineError("safety.invalid", `Pack "${language}", ${where}: the pattern ${seen(pattern)} ${problem}.`);
}

/** Chunks of a pattern: parted by spaces, and in writing without spaces before and after `~2` and `{name}`. */
function chunksOf(pattern: string): readonly string[] {
  return pattern
    .split(/\s+/)
    .flatMap((chunk) => (chunk.includes("|") ? [chunk] : chunk.split(/(~\d+|\{[^}]*\}\??)/)))
    .filter((chunk) => chunk !== "");
}

function alternativesOf(pattern: string, chunk: string, source: PatternSource): readonly string[] {
  return chunk.split("|").flatMap((alternative) => {
    const name = /^\{(.*)\}$/.exec(alternative)?.[1];
    if (name === undefined) return [alternative];
    const list = Object.hasOwn(source.words, name) ? source.words[name] : undefined;
    if (list === undefined) throw wrong(pattern, source, `names a list "${name}" that the pack does not have`);
    return list;
  });
}

/** How common a word is, roughly: one that is in every other text costs as much as hundreds of rare ones. */
function commonness(word: string, common: ReadonlySet<string>): number {
  if (common.has(word)) return word.length <= 3 ? 400 : 100;
  return word.length < 3 ? 50 : word.length === 3 ? 5 : 1;
}

/** A gap that nothing follows says nothing. */
const bounded = (elements: readonly Element[]): readonly Element[] => elements.slice(0, elements.findLastIndex(({ type }) => type !== "gap") + 1);

/** The element of a chunk, the same for the same chunk of a pack, and how common it is. */
function elementOf(pattern: string, chunk: string, source: PatternSource, index: WordIndex): KnownElement {
  const key = `${source.language} ${chunk}`;
  const known = index.known.get(key);
  if (known !== undefined) return known;
  const id = index.known.size + 1;
  let cost = 0;
  for (const alternative of alternativesOf(pattern, chunk, source)) {
    const words = addAlternative(index, alternative, id);
    if (words === undefined) throw wrong(pattern, source, `has ${seen(alternative)}, which is no word, or too short to begin or end one`);
    cost += Math.min(...words.map((word) => commonness(word, source.common)));
  }
  const element = { id, cost };
  index.known.set(key, element);
  return element;
}

function gapOf(pattern: string, most: number, source: PatternSource): Element {
  if (most < 1 || most > mostGap) throw wrong(pattern, source, `has a gap of ${most} words; it may be 1 to ${mostGap}`);
  return { type: "gap", most };
}

/** Reads a pattern; `safety.invalid` says what is wrong with it. */
export function compilePattern(pattern: string, source: PatternSource, index: WordIndex): Pattern {
  const elements: Element[] = [];
  let rarest: { readonly id: ElementId; readonly place: number; readonly cost: number } | undefined;
  for (const chunk of chunksOf(pattern)) {
    const gap = /^~(\d+)$/.exec(chunk)?.[1];
    if (gap !== undefined) elements.push(gapOf(pattern, Number(gap), source));
    else if (chunk === "^" || chunk === "$") elements.push({ type: chunk === "^" ? "start" : "end" });
    else {
      const optional = chunk.endsWith("?");
      const { id, cost } = elementOf(pattern, optional ? chunk.slice(0, -1) : chunk, source, index);
      if (!optional && (rarest === undefined || cost < rarest.cost)) rarest = { id, place: elements.length, cost };
      elements.push({ type: "word", id, optional });
    }
  }
  if (rarest === undefined) throw wrong(pattern, source, "has no word that must be there");
  const { id, place } = rarest;
  const needs = elements.flatMap((element) => (element.type === "word" && !element.optional && element.id !== id ? [element.id] : []));
  return { anchor: id, needs, before: bounded(elements.slice(0, place).toReversed()), after: bounded(elements.slice(place + 1)) };
}
