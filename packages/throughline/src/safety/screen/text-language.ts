import type { Word } from "./matcher.ts";
import type { CompiledPack } from "./rule-pack.ts";
import { scriptOf, standsAlone } from "./screen-tokens.ts";

/** A text with fewer words can be a name or a sound, so it does not count as an uncovered language. */
const leastWords = 4;
/** Least share of a text's words that must be frequent words of its language. */
const leastShare = 0.15;

/** The detected language of a text, and whether a pack covers it. */
export interface Language {
  /** Index of the pack, or undefined. */
  readonly pack: number | undefined;
  readonly covered: boolean;
}

/** Tells whether most letters are in an unknown script. It reads the original letters, because folding turns Cyrillic look-alikes into Latin. */
function foreign(text: string): boolean {
  if (/^[\0-\x7F]*$/.test(text)) return false;
  let letters = 0;
  let known = 0;
  for (const character of text.normalize("NFKC")) {
    if (!/\p{L}/u.test(character)) continue;
    letters += 1;
    if (scriptOf(character) !== "other") known += 1;
  }
  return letters > 3 && known * 2 < letters;
}

/** Returns the distinct words of a text with their counts. Repeated words share one list of forms. */
function tally(words: readonly Word[]): readonly { readonly word: Word; readonly times: number }[] {
  const counts = new Map<readonly string[], { readonly word: Word; times: number }>();
  for (const word of words) {
    const known = counts.get(word.forms);
    if (known === undefined) counts.set(word.forms, { word, times: 1 });
    else known.times += 1;
  }
  return [...counts.values()];
}

/** Detects the language of a text by its script and its frequent words. If two packs match equally, the `spoken` language of earlier messages decides. */
export function languageOf(text: string, words: readonly Word[], packs: readonly CompiledPack[], spoken?: string): Language {
  if (foreign(text.slice(0, 600))) return { pack: undefined, covered: false };
  const said = tally(words);
  const scripts = new Map<string, number>();
  for (const { word, times } of said) {
    const [form = ""] = word.forms;
    const script = scriptOf(form);
    scripts.set(script, (scripts.get(script) ?? 0) + times * (standsAlone(form) ? 0.5 : 1));
  }
  const [script] = [...scripts].toSorted((one, other) => other[1] - one[1])[0] ?? ["Latin"];
  if (script !== "Latin") {
    const pack = packs.findIndex((candidate) => candidate.script === script);
    return { pack: pack === -1 ? undefined : pack, covered: pack !== -1 };
  }
  let best = { pack: -1, count: 0 };
  for (const [pack, { detect, abbreviations, language }] of packs.entries()) {
    let count = 0;
    for (const { word, times } of said)
      if (word.forms.some((form) => detect.has(form)) || abbreviations.has(word.written ?? word.forms[0] ?? "")) count += times;
    if (count > best.count || (count === best.count && count > 0 && language === spoken)) best = { pack, count };
  }
  const share = words.length === 0 ? 1 : best.count / words.length;
  const marked = /[\u00C0-\u024F\u1E00-\u1EFF]/.test(text);
  const covered = share >= leastShare || words.length < (marked ? 2 : leastWords);
  return { pack: best.count > 0 && share >= leastShare ? best.pack : undefined, covered };
}
