/**
 * Stemmer of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the author's two later corrections (`bli` for `abli`, and
 * `logi`).
 */

const isConsonant = (word: string, index: number): boolean => {
  const letter = word[index];
  if (letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u") return false;
  return letter !== "y" || index === 0 || !isConsonant(word, index - 1);
};

/** Returns the number of vowel-consonant sequences: the m of the paper. */
const measure = (stem: string): number => {
  let count = 0;
  let afterVowel = false;
  for (let index = 0; index < stem.length; index++) {
    const consonant = isConsonant(stem, index);
    if (consonant && afterVowel) count++;
    afterVowel = !consonant;
  }
  return count;
};

const hasVowel = (stem: string): boolean => {
  for (let index = 0; index < stem.length; index++) if (!isConsonant(stem, index)) return true;
  return false;
};

const endsDouble = (word: string): boolean => word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);

/** Tells whether a word ends in consonant, vowel, consonant, with the last one not w, x or y: the *o of the paper. */
const endsShort = (word: string): boolean => {
  const last = word.length - 1;
  return last >= 2 && isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2) && !"wxy".includes(word[last] ?? "");
};

const plural = (word: string): string => {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
};

const afterVerbEnding = (stem: string): string => {
  if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) return `${stem}e`;
  if (endsDouble(stem) && !"lsz".includes(stem.at(-1) ?? "")) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
};

const verbEnding = (word: string): string => {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  for (const ending of ["ed", "ing"]) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    return hasVowel(stem) ? afterVerbEnding(stem) : word;
  }
  return word;
};

const finalY = (word: string): string => (word.endsWith("y") && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word);

type Suffixes = readonly (readonly [suffix: string, replacement: string])[];

/** Longer suffixes come before the shorter ones that they end in. */
const doubleSuffixes: Suffixes = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];
const suffixes: Suffixes = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const lastSuffixes: Suffixes = "ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic ou"
  .split(" ")
  .map((suffix) => [suffix, ""] as const);

const replaced = (word: string, list: Suffixes, least: number): string => {
  const found = list.find(([suffix]) => word.endsWith(suffix));
  if (found === undefined) return word;
  const [suffix, replacement] = found;
  const stem = word.slice(0, -suffix.length);
  if (measure(stem) < least || (suffix === "ion" && !/[st]$/u.test(stem))) return word;
  return stem + replacement;
};

const tidied = (word: string): string => {
  let stem = word;
  if (stem.endsWith("e")) {
    const rest = stem.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) stem = rest;
  }
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
};

/** Returns the stem of an English word of the letters a to z. Words of one or two letters stay unchanged. */
export const porter = (word: string): string => {
  if (word.length < 3) return word;
  let stem = finalY(verbEnding(plural(word)));
  stem = replaced(stem, doubleSuffixes, 1);
  stem = replaced(stem, suffixes, 1);
  stem = replaced(stem, lastSuffixes, 2);
  return tidied(stem);
};
