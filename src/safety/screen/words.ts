import { scriptOf } from "./characters.ts";
import type { Word } from "./matcher.ts";
import { formsOf, isKnown, partsOf, type Vocabulary } from "./spelling.ts";
import type { Token } from "./tokens.ts";

/** Letters that were spaced out are joined from this many on. */
const leastSpaced = 3;
const longestSpaced = 120;

const isLetter = ({ word }: Token): boolean => word.length <= 2 && /^[\p{L}@$!|*\d]$/u.test(word) && scriptOf(word) !== "Han";

interface Group {
  readonly tokens: readonly Token[];
  readonly word: string;
}

/** A space between words of spaced letters; what is invisible may be in it. */
const wideSpace = / [\p{Cf}\p{Mn}]* |\s\/\s|\n/u;

/** Rows of single letters, joined: "k i l l". Where the spaces between words are wider than those between letters, words end there. */
function groups(tokens: readonly Token[], raw: { readonly text: string; readonly offset: number }): readonly Group[] {
  const grouped: Group[] = [];
  for (let at = 0; at < tokens.length;) {
    let end = at;
    while (end < tokens.length && end - at < longestSpaced && tokens[end] !== undefined && isLetter(tokens[end] as Token)) end += 1;
    const run = tokens.slice(at, Math.max(end, at + 1));
    if (run.length < leastSpaced || !run.some(({ word }) => /\p{L}/u.test(word))) {
      for (const token of run) grouped.push({ tokens: [token], word: token.word });
      at += run.length;
      continue;
    }
    const wide = (before: Token, after: Token): boolean => wideSpace.test(raw.text.slice(before.to - raw.offset, after.from - raw.offset));
    let part: Token[] = [];
    for (const [step, token] of run.entries()) {
      const before = run[step - 1];
      if (before !== undefined && wide(before, token)) {
        grouped.push({ tokens: part, word: part.map(({ word }) => word).join("") });
        part = [];
      }
      part.push(token);
    }
    grouped.push({ tokens: part, word: part.map(({ word }) => word).join("") });
    at = end;
  }
  return grouped;
}

function wordsOf(group: Group, vocabulary: Vocabulary): readonly Word[] {
  const [first] = group.tokens;
  const last = group.tokens.at(-1);
  if (first === undefined || last === undefined) return [];
  const place = { from: first.from, to: last.to, sentence: first.sentence, clause: first.clause };
  const written = group.word.replaceAll("'", "");
  if (!written.startsWith(":")) {
    const parts = group.tokens.length > 1 ? (partsOf(written, vocabulary, leastSpaced) ?? spaced(written, vocabulary)) : partsOf(written, vocabulary);
    if (parts !== undefined) return parts.map((part) => ({ ...place, forms: [part] }));
  }
  return [{ ...place, forms: formsOf(group.word, vocabulary), ...(group.word.includes("'") && { written: group.word }) }];
}

/** Letters that were spaced out and also disguised: read as letters, then taken apart. */
function spaced(word: string, vocabulary: Vocabulary): readonly string[] | undefined {
  const read = word.replace(/[01345@$!|]/g, (sign) => ({ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "@": "a", $: "s" })[sign] ?? "i");
  return read === word ? undefined : isKnown(vocabulary, read) ? [read] : partsOf(read, vocabulary, leastSpaced);
}

/** Two halves of a word that a space got into: "su icide". */
function rejoined(words: readonly Word[], vocabulary: Vocabulary): readonly Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const [one = "", other = ""] = [before?.forms[0], word.forms[0]];
    const both = one + other;
    const rare = before !== undefined && before.sentence === word.sentence && (!isKnown(vocabulary, one) || !isKnown(vocabulary, other));
    if (rare && vocabulary.slips.get(both)?.includes(both) === true) joined[joined.length - 1] = { ...before, forms: [both], to: word.to };
    else joined.push(word);
  }
  return joined;
}

/** Words of a text, with disguises taken off. */
export function readWords(
  tokens: readonly Token[],
  vocabulary: Vocabulary,
  raw: { readonly text: string; readonly offset: number },
): readonly Word[] {
  const known = new Map<string, readonly Word[]>();
  const words: Word[] = [];
  for (const group of groups(tokens, raw)) {
    const [token] = group.tokens;
    const before = group.tokens.length === 1 ? known.get(group.word) : undefined;
    const read = before ?? wordsOf(group, vocabulary);
    if (group.tokens.length === 1) known.set(group.word, read);
    if (token === undefined) continue;
    const { from, sentence, clause } = token;
    const to = group.tokens.at(-1)?.to ?? token.to;
    for (const { forms, written } of read) words.push({ forms, ...(written !== undefined && { written }), from, to, sentence, clause });
  }
  return rejoined(words, vocabulary);
}
