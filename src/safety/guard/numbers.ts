/** Tells numbers that somebody could dial from the times, ages, amounts and counts of ordinary talk. */
import type { SafetyLevel } from "../assessment.ts";
import { callWord, pressWord, technique, unitAfter } from "./call-words.ts";
import { digitRuns } from "./runs.ts";
import type { DigitRun } from "./runs.ts";
import type { Span } from "./sentences.ts";

/** Numbers that are known as crisis lines far beyond their country: shown at no level without being allowed. */
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

/** Counts that exercises are known by: breathing and grounding. */
const exercises: ReadonlySet<string> = new Set(["478", "54321", "4444", "333", "3333", "5555", "446", "464", "4268", "555", "5432", "321"]);

/** Figures that may be shown: each number as its digits, the way the text writes it. An extension of one digit is none: other numbers are made of it. */
export const allowedRuns = (numbers: readonly string[]): ReadonlySet<string> =>
  new Set(["247", ...numbers.flatMap((number) => digitRuns(number).map(({ groups }) => groups.join(""))).filter(({ length }) => length > 2)]);

/** Whether a run is made of allowed numbers alone, one after another. */
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

/** Counting, an exercise, or round the clock: what is said in numbers and dialled by nobody. */
function isCount({ groups }: DigitRun): boolean {
  const digits = groups.join("");
  const values = (groups.length === 1 ? digits.split("") : groups).map(Number);
  return digits === "247" || (groups.length > 1 && exercises.has(digits)) || (values.length > 2 && (step(values, 1) || step(values, -1)));
}

const isYear = (group: string): boolean => /^(?:1[5-9]|20|21)\d{2}$/u.test(group);

/** A date, a time, a year, a range of years, an amount with its separators, a fraction. */
const plainly =
  /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{2}|\d{4})|\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?-\s?\d{1,2}[:.h]\d{2})?|\d{1,3}(?:[,.'\u{00A0} ]000)+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+[.,]\d{1,2}|\d{1,4}\s?[/x×]\s?\d{1,4})$/u;

/** Whether a run of ordinary talk could be dialled. `called`: the sentence speaks of calling. */
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

/** Figures and letters that look like figures, such as `9B8`; not seconds or pounds. */
const disguised = /(?<![\p{L}\d])(?=[a-z|!]{0,8}\d)(?=\d{0,8}[a-z|!])(?!\d+(?:s|lbs?|ish|g)(?![\p{L}\d]))[\dolisbzg|!]{3,9}(?![\p{L}\d])/gu;

/** A number in which letters stand for figures, such as a freephone number that spells a word. */
const vanity = /(?<!\d)(?:1[-. ])?(?:8(?:00|33|44|55|66|77|88)|0800)[-. ]?(?=[a-z]*[a-z])[a-z][a-z\d-]{2,12}/gu;

/** Figures as character references. */
const references = /(?:&#x?[\da-f]{2,4};?\s?){2,}/gu;

/** Letters that are spelled one by one: `n-i-n-e`. */
const spelledLetters = /(?<![\p{L}])(?:\p{L}[\s\-._*·]{1,2}){5,80}\p{L}(?![\p{L}])/gu;

const romanNumerals = /(?<![A-Za-z])[MDCLXVI]{4,}(?![A-Za-z])/gu;

const aboutDigits = /\bdigits?\b|\bziffern?\b|\bdigitos?\b|\bchiffres?\b|\balgarismos?\b|अंक|أرقام|数字/u;

/** What a sentence is about, read once for all of its numbers. */
const subjectOf = (sentence: string): { readonly called: boolean; readonly exercise: boolean; readonly digits: boolean } => ({
  called: callWord.test(sentence),
  exercise: technique.test(sentence),
  digits: aboutDigits.test(sentence),
});

/** A number takes the place of `[[emergency]]`: figures at its side would lengthen it. */
const besidePlaceholder = (text: string, { start, end }: DigitRun): boolean =>
  /[\]}][^\p{L}\d.!?\n]{0,6}$/u.test(text.slice(Math.max(0, start - 7), start)) || /^[^\p{L}\d.!?\n]{0,6}[[{]/u.test(text.slice(end, end + 7));

const spansOf = (text: string, pattern: RegExp): readonly Span[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));

/** Spans of a folded text that spell a number in a disguise: looked for where someone may be in danger. */
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
 * Spans of a folded text that hold a number which is not allowed. Where nobody is in danger those that could be dialled; from level 1 on every run of three
 * digits, in figures or words, that is no time, count or exercise: a reply in a crisis needs none.
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

/** Spans of the original text that are numbers in Roman figures: looked for from level 1 on. */
export const romanSpans = (original: string): readonly Span[] => spansOf(original, romanNumerals);
