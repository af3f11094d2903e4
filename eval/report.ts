/** The figures of an evaluation, as they are printed: shares in percent, times in milliseconds. */
import { quantile } from "../bench/figures.ts";
import { confidence, type Interval, mean } from "./metrics.ts";
import { budgets, depths, type Found, type Outcome, type Searched } from "./outcome.ts";

/** Recall of some questions. `any_at_10`: at least one piece of the evidence; `all_at_10`: every piece. */
export interface RecallFigures {
  readonly n: number;
  readonly recall_at_5: number;
  readonly recall_at_10: number;
  readonly recall_at_20: number;
  readonly mrr: number;
  readonly any_at_10: number;
  readonly all_at_10: number;
  /** 95 % intervals, by the name of the figure. */
  readonly ci95: Readonly<Record<string, Interval>>;
}

/** The same for whole sessions. */
export interface SessionFigures {
  readonly n: number;
  readonly recall_at_5: number;
  readonly recall_at_10: number;
  readonly any_at_5: number;
  readonly any_at_10: number;
  readonly all_at_5: number;
  readonly all_at_10: number;
  /** Mean number of sessions that were to choose from: ten of eleven are no feat. */
  readonly candidates: number;
  readonly ci95: Readonly<Record<string, Interval>>;
}

/** Share of the evidence of the answerable questions within a number of tokens. */
export interface BudgetFigures extends Readonly<Record<`${(typeof budgets)[number]}`, number>> {
  readonly tokens: "characters / 4";
  readonly ci95: Readonly<Record<string, Interval>>;
  /** With turns alone. */
  readonly verbatim: Readonly<Record<string, number>>;
}

/** All figures of an evaluation. */
export interface Report {
  readonly unit: "percent";
  /** All categories. */
  readonly all: RecallFigures;
  /** Categories 1 to 4. */
  readonly answerable: RecallFigures;
  readonly by_category: Readonly<Record<string, RecallFigures>>;
  /** As `answerable`, with facts beside the turns: a fact counts for the turns that it rests on. */
  readonly with_facts: RecallFigures;
  readonly sessions: SessionFigures;
  readonly budget: BudgetFigures;
  readonly latency: { readonly p50: number; readonly p95: number; readonly build: number; readonly units: number; readonly unit: "ms" };
  readonly questions: { readonly asked: number; readonly skipped: number };
}

/** Percent with one decimal. */
export const percent = (share: number): number => (Number.isNaN(share) ? 0 : Math.round(share * 1000) / 10);
const milliseconds = (value: number): number => Math.round(value * 1000) / 1000;
const interval = (values: readonly number[]): Interval => {
  const [low, high] = confidence(values);
  return [percent(low), percent(high)];
};

const at = (found: readonly Found[], k: number): readonly number[] => found.map(({ recall }) => recall[k] ?? 0);
const anyOf = (values: readonly number[]): number => percent(mean(values.map((value) => (value > 0 ? 1 : 0))));
const allOf = (values: readonly number[]): number => percent(mean(values.map((value) => (value === 1 ? 1 : 0))));

/** The figures of some rankings. */
export function recallFigures(found: readonly Found[]): RecallFigures {
  const ten = at(found, 10);
  return {
    n: found.length,
    recall_at_5: percent(mean(at(found, 5))),
    recall_at_10: percent(mean(ten)),
    recall_at_20: percent(mean(at(found, 20))),
    mrr: percent(mean(found.map(({ reciprocalRank }) => reciprocalRank))),
    any_at_10: anyOf(ten),
    all_at_10: allOf(ten),
    ci95: Object.fromEntries(depths.map((k) => [`recall_at_${k}`, interval(at(found, k))])),
  };
}

function sessionFigures(found: readonly Found[], searched: readonly Searched[]): SessionFigures {
  const [five, ten] = [at(found, 5), at(found, 10)];
  return {
    n: found.length,
    recall_at_5: percent(mean(five)),
    recall_at_10: percent(mean(ten)),
    any_at_5: anyOf(five),
    any_at_10: anyOf(ten),
    all_at_5: allOf(five),
    all_at_10: allOf(ten),
    candidates: Math.round(mean(searched.map(({ sessions }) => sessions)) * 10) / 10,
    ci95: { recall_at_5: interval(five), recall_at_10: interval(ten) },
  };
}

function budgetFigures(outcomes: readonly Outcome[]): BudgetFigures {
  const share = (pick: (outcome: Outcome) => Readonly<Record<number, number>>, budget: number): readonly number[] =>
    outcomes.map((outcome) => pick(outcome)[budget] ?? 0);
  const packed = (budget: (typeof budgets)[number]): number => percent(mean(share((outcome) => outcome.packed, budget)));
  return {
    "150": packed(150),
    "300": packed(300),
    "600": packed(600),
    "1200": packed(1200),
    "2400": packed(2400),
    tokens: "characters / 4",
    ci95: Object.fromEntries(budgets.map((budget) => [budget, interval(share((outcome) => outcome.packed, budget))])),
    verbatim: Object.fromEntries(budgets.map((budget) => [budget, percent(mean(share((outcome) => outcome.verbatim, budget)))])),
  };
}

/** The category whose questions are about somebody else: its "evidence" is what must not mislead. */
const adversarial = "5";

/** The figures of all corpora together: every question counts the same. */
export function report(searched: readonly Searched[], skipped: number): Report {
  const outcomes = searched.flatMap(({ outcomes }) => outcomes);
  const answerable = outcomes.filter(({ category }) => category !== adversarial);
  const categories = ["1", "2", "3", "4", "5"];
  const turnsOf = (some: readonly Outcome[]): RecallFigures => recallFigures(some.map(({ turns }) => turns));
  const recallMs = searched.flatMap(({ recallMs }) => recallMs);
  return {
    unit: "percent",
    all: turnsOf(outcomes),
    answerable: turnsOf(answerable),
    by_category: Object.fromEntries(categories.map((name) => [name, turnsOf(outcomes.filter(({ category }) => category === name))])),
    with_facts: recallFigures(answerable.map(({ evidence }) => evidence)),
    sessions: sessionFigures(
      outcomes.map(({ sessions }) => sessions),
      searched,
    ),
    budget: budgetFigures(answerable),
    latency: {
      p50: milliseconds(quantile(recallMs, 0.5)),
      p95: milliseconds(quantile(recallMs, 0.95)),
      build: milliseconds(searched.reduce((sum, { buildMs }) => sum + buildMs, 0)),
      units: searched.reduce((sum, { units }) => sum + units, 0),
      unit: "ms",
    },
    questions: { asked: outcomes.length, skipped },
  };
}
