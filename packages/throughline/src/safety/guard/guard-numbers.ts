/** Finds digits in any spelling, and separates dialable numbers from the times, ages, amounts and counts of ordinary text. */
import type { SafetyLevel } from "../assessment.ts";
import callWords from "./call-words.data.json" with { type: "json" };
import type { Span } from "./folded-text.ts";
import spelledNumbers from "./number-words.data.json" with { type: "json" };

/** Crisis lines that are known far beyond their country. They are removed at every level unless allowed. */
const famous: ReadonlySet<string> = new Set([
  "988",
  "116123",
  "131114",
  "741741",
  "686868",
  "85258",
  "838255",
  "678678",
  "18002738255",
  "8002738255",
]);

/** Counts that name breathing and grounding exercises. */
const exercises: ReadonlySet<string> = new Set(["478", "54321", "4444", "333", "3333", "5555", "446", "464", "4268", "555", "5432", "321"]);

/**
 * Returns the allowed numbers as runs of digits, grouped as the text writes them. Runs of one or two digits are not allowed by themselves, because
 * other numbers are made of them.
 */
export const allowedRuns = (numbers: readonly string[]): ReadonlySet<string> =>
  new Set(["247", ...numbers.flatMap((number) => digitRuns(number).map(({ groups }) => groups.join(""))).filter(({ length }) => length > 2)]);

/** Tells whether a run consists only of allowed numbers, one after another. */
function allAllowed(groups: readonly string[], allowed: ReadonlySet<string>): boolean {
  const reached = Array.from({ length: groups.length + 1 }, (_, at) => at === 0);
  for (let from = 0; from < groups.length; from += 1) {
    if (reached[from] !== true) continue;
    let joined = "";
    for (let to = from; to < groups.length && joined.length < 20; to += 1) {
      joined += groups[to];
      if (allowed.has(joined)) reached[to + 1] = true;
    }
  }
  return reached[groups.length] === true;
}

const step = (values: readonly number[], by: number): boolean => values.every((value, at) => at === 0 || value - (values[at - 1] ?? 0) === by);

/** Tells whether a run is a count, an exercise or "24/7", and so not a phone number. */
function isCount({ groups }: DigitRun): boolean {
  const digits = groups.join("");
  const values = (groups.length === 1 ? digits.split("") : groups).map(Number);
  return digits === "247" || (groups.length > 1 && exercises.has(digits)) || (values.length > 2 && (step(values, 1) || step(values, -1)));
}

const isYear = (group: string): boolean => /^(?:1[5-9]|20|21)\d{2}$/u.test(group);

/** A date, a time, a year, a range of years, an amount with separators, a fraction. */
const plainly =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{2}|\d{4})|\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?-\s?\d{1,2}[:.h]\d{2})?|\d{1,3}(?:[,.'\u{00A0} ]000)+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+[.,]\d{1,2}|\d{1,4}\s?[/x×]\s?\d{1,4})$/u;

/** Tells whether a run in ordinary text could be dialed. `called`: the sentence mentions calling. */
function dialled(
  run: DigitRun,
  written: string,
  { called, before, after }: { readonly called: boolean; readonly before: string; readonly after: string },
): boolean {
  const digits = run.groups.join("");
  if (digits.length < 3 || plainly.test(written) || /[$€£¥₹₩]\s?$/u.test(before) || /^\s?[$€£¥₹₩%°]/u.test(after)) return false;
  if (famous.has(digits) && !unitAfter.test(after)) return true;
  if (run.groups.every(isYear) && !called) return false;
  if (/[+]\s?$|\(\s?\+?$/u.test(before) && digits.length >= 7) return true;
  const tight = run.gaps.every((gap) => /^[\s\-./()·]{1,3}$/u.test(gap));
  const sizes = run.groups.every(({ length }) => length >= 1 && length <= 5);
  if (digits.length >= 7 && digits.length <= 16 && tight && run.gaps.length > 0 && sizes && !run.groups.every(isYear)) return true;
  if (digits.length >= 8 && (digits.startsWith("0") || run.spelled)) return true;
  return called && !unitAfter.test(after) && (digits.length <= 16 || tight);
}

/** Digits mixed with letters that look like digits, such as `9B8`, but not seconds or pounds. */
const disguised = /(?<![\p{L}\d])(?=[a-z|!]{0,8}\d)(?=\d{0,8}[a-z|!])(?!\d+(?:s|lbs?|ish|g)(?![\p{L}\d]))[\dolisbzg|!]{3,9}(?![\p{L}\d])/gu;

/** A number in which letters stand for digits, such as a freephone number that spells a word. */
const vanity = /(?<!\d)(?:1[-. ])?(?:8(?:00|33|44|55|66|77|88)|0800)[-. ]?(?=[a-z]*[a-z])[a-z][a-z\d-]{2,12}/gu;

/** Digits as character references. */
const references = /(?:&#x?[\da-f]{2,4};?\s?){2,}/gu;

/** A word spelled letter by letter: `n-i-n-e`. */
const spelledLetters = /(?<![\p{L}])(?:\p{L}[\s\-._*·]{1,2}){5,80}\p{L}(?![\p{L}])/gu;

const romanNumerals = /(?<![A-Za-z])[MDCLXVI]{4,}(?![A-Za-z])/gu;

const aboutDigits = /\bdigits?\b|\bziffern?\b|\bdigitos?\b|\bchiffres?\b|\balgarismos?\b|अंक|أرقام|数字/u;

/** Classifies a sentence once for all of its numbers. */
const subjectOf = (sentence: string): { readonly called: boolean; readonly exercise: boolean; readonly digits: boolean } => ({
  called: callWord.test(sentence),
  exercise: technique.test(sentence),
  digits: aboutDigits.test(sentence),
});

/** Tells whether a run is next to a placeholder. The number that replaces `[[emergency]]` would be lengthened by adjacent digits. */
const besidePlaceholder = (text: string, { start, end }: DigitRun): boolean =>
  /[\]}][^\p{L}\d.!?\n]{0,6}$/u.test(text.slice(Math.max(0, start - 7), start)) || /^[^\p{L}\d.!?\n]{0,6}[[{]/u.test(text.slice(end, end + 7));

const spansOf = (text: string, pattern: RegExp): readonly Span[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));

/** Returns the spans of a folded text that spell a number in disguise. They are checked from level 1 on. */
function disguises(text: string): readonly Span[] {
  const letters = spansOf(text, spelledLetters).filter(
    ({ start, end }) => digitRuns(text.slice(start, end).replaceAll(/[\s\-._*·]/gu, "")).length > 0,
  );
  const pressed = [...text.matchAll(pressWord)].flatMap(({ 0: found, index }) => {
    const from = index + found.length;
    const [first] = digitRuns(text.slice(from, from + 24));
    return first === undefined || first.start > 12 ? [] : [{ start: index, end: from + first.end }];
  });
  return [...spansOf(text, disguised), ...letters, ...pressed];
}

/**
 * Returns the spans of a folded text with numbers that are not allowed. At level 0 these are dialable numbers. From level 1 on they are all runs of
 * three or more digits, in figures or words, that are not times, counts or exercises: a crisis reply needs none.
 */
export function numberSpans(
  text: string,
  { level, allowed, sentences }: { readonly level: SafetyLevel; readonly allowed: ReadonlySet<string>; readonly sentences: readonly Span[] },
): readonly Span[] {
  const found: Span[] = [...spansOf(text, vanity), ...spansOf(text, references), ...(level > 0 ? disguises(text) : [])];
  let at = -1;
  let about = { called: false, exercise: false, digits: false };
  for (const run of digitRuns(text, level > 0)) {
    const before = at;
    while (at < sentences.length - 1 && (sentences[at]?.end ?? 0) <= run.start) at += 1;
    if (at !== before) about = subjectOf(text.slice(sentences[at]?.start, sentences[at]?.end));
    if (level > 0 && (about.digits || besidePlaceholder(text, run))) found.push(run);
    if (run.groups.join("").length < 3 || allAllowed(run.groups, allowed)) continue;
    const { called } = about;
    if (isCount(run) && (!called || about.exercise)) continue;
    const written = text.slice(run.start, run.end);
    const around = { called, before: text.slice(Math.max(0, run.start - 4), run.start), after: text.slice(run.end, run.end + 24) };
    if (level === 0 ? dialled(run, written, around) : called || !(unitAfter.test(around.after) || /^\d{1,2}:\d{2}$/u.test(written))) found.push(run);
  }
  return found;
}

/** Returns the spans of the original text with numbers in Roman numerals. They are checked from level 1 on. */
export const romanSpans = (original: string): readonly Span[] => spansOf(original, romanNumerals);

/** Digits that belong together. */
interface DigitRun {
  readonly start: number;
  readonly end: number;
  /** The parts of the run, each as digits. */
  readonly groups: readonly string[];
  readonly spelled: boolean;
  /** The text between its parts. */
  readonly gaps: readonly string[];
}

interface Part {
  readonly start: number;
  end: number;
  groups: string[];
  gaps: string[];
  spelled: boolean;
}

const token =
  /\d+|[〇零一二三四五六七八九幺壹两贰叁肆伍陆柒捌玖]|[\p{L}\p{M}']+?(?=[〇零一二三四五六七八九幺壹两贰叁肆伍陆柒捌玖])|[\p{L}\p{M}']+|[^\d\p{L}\p{M}']+/gu;

/** Longest gap between two parts, in characters, and the most filler words in it. */
const widestGap = 24;
const mostFillers = 4;

/** Adds the value of a word to the run. Tens absorb the following unit, and hundreds multiply the number before them. */
function add(run: Part, value: number, hundred: boolean): void {
  const last = Number(run.groups.at(-1) ?? "");
  const close = run.spelled && run.groups.length > 0 && !/[-,.]\s/u.test(run.gaps.at(-1) ?? "");
  if (hundred) run.groups[run.groups.length - 1] = String(last * 100);
  else if (close && last >= 20 && last % 100 !== 0 && last % 10 === 0 && value > 0 && value < 10) merge(run, last + value);
  else if (close && last >= 100 && last % 100 === 0 && value < 100 && value > 0) merge(run, last + value);
  else run.groups.push(String(value));
}

function merge(run: Part, value: number): void {
  run.gaps.pop();
  run.groups[run.groups.length - 1] = String(value);
}

/** Stands for a number whose value is not computed. No number of a table has this form. */
const unreadable: readonly string[] = ["???"];

/** The kind of a token: digits, a number word, a filler word, a gap, or the end of a run. */
type Sort =
  | { readonly type: "figures"; readonly groups: readonly string[] }
  | { readonly type: "word"; readonly value: number }
  | { readonly type: "hundred" | "repeat" | "filler" | "gap" | "end" };

function sortOf(piece: string, across: boolean): Sort {
  if (/^\d/u.test(piece)) return { type: "figures", groups: [piece] };
  if (!/[\p{L}\p{M}]/u.test(piece)) return { type: across || !/[.!?…]["')\]]*\s|\n/u.test(piece) ? "gap" : "end" };
  const value = numberWords.get(piece);
  if (value !== undefined) return { type: "word", value };
  if (hundreds.has(piece)) return { type: "hundred" };
  if (repeats.has(piece)) return { type: "repeat" };
  if (between.has(piece)) return { type: "filler" };
  if (piece.length <= 80 && joinedDigits.test(piece)) return { type: "figures", groups: unreadable };
  return joinedHundreds.test(piece) ? { type: "figures", groups: unreadable } : { type: "end" };
}

/** Returns the runs of digits in a folded text. `across`: runs may cross sentence ends. Linear: each token is read once. */
function digitRuns(text: string, across = true): readonly DigitRun[] {
  const runs: DigitRun[] = [];
  let run: Part | undefined;
  let gap = "";
  let fillers = 0;
  let times = 1;
  const close = (): void => {
    if (run !== undefined) runs.push(run);
    run = undefined;
    gap = "";
    fillers = 0;
    times = 1;
  };
  for (const { 0: piece, index } of text.matchAll(token)) {
    const sort = sortOf(piece, across);
    if (sort.type === "figures" || sort.type === "word") {
      const end = index + piece.length;
      if (run !== undefined) run.gaps.push(gap);
      else run = { start: index, end, groups: [], gaps: [], spelled: sort.type === "word" };
      if (sort.type === "figures") run.groups.push(...sort.groups);
      else add(run, sort.value, false);
      run.spelled ||= sort.type === "word";
      if (times > 1) run.groups[run.groups.length - 1] = (run.groups.at(-1) ?? "").repeat(times);
      run.end = end;
      gap = "";
      fillers = 0;
      times = 1;
      continue;
    }
    if (sort.type === "repeat") times = repeats.get(piece) ?? 1;
    if (sort.type === "hundred" && run !== undefined) {
      add(run, 0, true);
      run.end = index + piece.length;
    }
    if (run === undefined) continue;
    gap += piece;
    if (sort.type === "filler") fillers += 1;
    if (sort.type === "end" || gap.length > widestGap || fillers > mostFillers) close();
  }
  close();
  return runs;
}

const any = (patterns: readonly string[], flags = "u"): RegExp => new RegExp(patterns.join("|").normalize("NFC"), flags);

/** The sentence mentions calling, writing to a number, or a line. */
const callWord = any(callWords.callWord);

/** An instruction to press a key. A single digit is then enough. */
const pressWord = any(callWords.pressWord, "gu");

/** A counted unit follows the number. */
const unitAfter = any(callWords.unitAfter);

/** The sentence is about breathing, counting or grounding. */
const technique = any(callWords.technique);

/** Removes accents. */
const bare = (word: string): string =>
  word
    .normalize("NFD")
    .replaceAll(/[\u{0300}-\u{036F}]/gu, "")
    .normalize("NFC");

/** The value of each number word, by its folded form. */
const numberWords: ReadonlyMap<string, number> = new Map([
  ...Object.entries(spelledNumbers.digits).flatMap(([digit, names]) => names.map((name) => [bare(name), Number(digit)] as const)),
  ...Object.entries(spelledNumbers.numbers),
]);

/** Words that multiply the number before them. */
const hundreds: ReadonlySet<string> = new Set(spelledNumbers.hundreds);

/** Words that repeat the next digit two or three times. */
const repeats: ReadonlyMap<string, number> = new Map(Object.entries(spelledNumbers.repeats));

/** Filler words that can separate the digits of a disguised number. */
const between: ReadonlySet<string> = new Set(spelledNumbers.between);

/** Single-digit words written without a space, such as `nineeighteight`. */
const joinedDigits = new RegExp(spelledNumbers.joinedDigits, "u");

/** German writes a number below a thousand as one word. */
const joinedHundreds = new RegExp(spelledNumbers.joinedHundreds, "u");
