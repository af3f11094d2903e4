/** A word that nobody has said, read as the one that was meant: a slip of the finger, or another form of it. */
import type { Term } from "./shelf.ts";

/** Shorter words are near too many others. */
const shortest = 5;
/** Of a word that begins another, so much must be there. */
const leastShare = 0.6;
/** Words of scripts in which a letter is a sound: elsewhere one sign more or less is another word. */
const spelled = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u;

/** Whether two words differ by one letter that was added, left out or changed, or by two that changed places. */
export const isSlip = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || short === long) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  let end = 0;
  while (end < short.length - start && short[short.length - 1 - end] === long[long.length - 1 - end]) end++;
  const [left, over] = [short.length - start - end, long.length - start - end];
  if (over <= 1) return true;
  return left === 2 && over === 2 && short[start] === long[start + 1] && short[start + 1] === long[start];
};

const isForm = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length >= leastShare * long.length && long.startsWith(short);
};

/** The word nearest to one that is not there: a slip of it before a form of it, of those the one that is said most, then the first by letters. */
export const nearestTerm = (terms: ReadonlyMap<string, Term>, word: string): Term | undefined => {
  if (word.length < shortest || !spelled.test(word)) return undefined;
  let best: Term | undefined;
  let bestIsSlip = false;
  for (const [text, term] of terms) {
    if (text.length < shortest - 1 || text.charCodeAt(0) !== word.charCodeAt(0)) continue;
    const slip = isSlip(word, text);
    if (!slip && (bestIsSlip || text.length < shortest || !isForm(word, text))) continue;
    const more = term.postings.length - (best?.postings.length ?? 0);
    if (best && slip === bestIsSlip && (more < 0 || (more === 0 && text > best.text))) continue;
    best = term;
    bestIsSlip = slip;
  }
  return best;
};
