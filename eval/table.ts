/** The figures as lines that a person reads. */
import type { Interval } from "./metrics.ts";
import { budgets } from "./outcome.ts";
import type { RecallFigures, Report } from "./report.ts";

const cell = (value: number | string): string => String(value).padStart(9);
const bounds = (interval: Interval | undefined): string => (interval === undefined ? "" : `  [${interval[0]}, ${interval[1]}]`);
const row = (name: string, cells: readonly (number | string)[], after = ""): string => `${name.padEnd(18)}${cells.map(cell).join("")}${after}`;

const recallRow = (name: string, figures: RecallFigures): string =>
  row(
    name,
    [figures.recall_at_5, figures.recall_at_10, figures.recall_at_20, figures.mrr, figures.any_at_10, figures.all_at_10, figures.n],
    bounds(figures.ci95["recall_at_10"]),
  );

const categoryNames: Readonly<Record<string, string>> = {
  1: "1 multi-hop",
  2: "2 temporal",
  3: "3 open-domain",
  4: "4 single-hop",
  5: "5 adversarial",
};

/** A table of the figures, in percent; the interval is that of R@10. */
export function table({ all, answerable, by_category, with_facts, sessions, budget, latency, questions }: Report): string {
  const categories = Object.entries(by_category).filter(([, { n }]) => n > 0);
  return [
    row("percent", ["R@5", "R@10", "R@20", "MRR", "any@10", "all@10", "n"], "  95 % of R@10"),
    recallRow("all", all),
    recallRow("answerable", answerable),
    ...categories.map(([name, figures]) => recallRow(categoryNames[name] ?? name, figures)),
    recallRow("with facts", with_facts),
    row(
      "sessions",
      [sessions.recall_at_5, sessions.recall_at_10, "–", "–", sessions.any_at_10, sessions.all_at_10, sessions.n],
      bounds(sessions.ci95["recall_at_10"]),
    ),
    "",
    row("tokens", [...budgets], `  (${budget.tokens})`),
    row(
      "fact, else turn",
      budgets.map((tokens) => budget[`${tokens}`]),
      `  600: ${bounds(budget.ci95["600"]).trim()}`,
    ),
    row(
      "turns alone",
      budgets.map((tokens) => budget.verbatim[tokens] ?? "–"),
    ),
    "",
    `A recall: p50 ${latency.p50} ms, p95 ${latency.p95} ms. Built ${latency.units} units in ${latency.build} ms. ${sessions.candidates} sessions a conversation.`,
    `${questions.asked} questions asked; ${questions.skipped} without usable evidence were left out.`,
  ].join("\n");
}
