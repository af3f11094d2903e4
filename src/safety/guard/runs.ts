/** Finds runs of digits, however they are written: in figures, in words, in parts. */
import { between, hundreds, joinedDigits, joinedHundreds, numberWords, repeats } from "./number-words.ts";

/** Digits that belong together. */
export interface DigitRun {
  readonly start: number;
  readonly end: number;
  /** Its parts: what each is worth, as figures. */
  readonly groups: readonly string[];
  readonly spelled: boolean;
  /** What stands between its parts. */
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

/** So much may stand between two parts, and so many words. */
const widestGap = 24;
const mostFillers = 4;

/** Joins a word's worth to the run: tens take the unit behind them, hundreds the number before. */
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

/** In the place of a number that is not worked out: no number of a table reads so. */
const unreadable: readonly string[] = ["???"];

/** What a token is: figures, a word that is a number, a word that may stand in between, a gap, or the end of a run. */
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

/** The runs of a folded text, `across` the ends of its sentences too. Linear: each token is looked at once. */
export function digitRuns(text: string, across = true): readonly DigitRun[] {
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
