/** The figures as lines that a person reads. */
import { type Figures, measureNames, measures, type Share } from "./figures.ts";
import type { Gate } from "../gates.ts";
import type { SafetyReport } from "./report.ts";

const cell = ({ percent, of }: Share): string => (of === 0 ? "–" : percent.toFixed(1)).padStart(10);
const row = (name: string, figures: Figures): string =>
  `${name.padEnd(20)}${String(figures.n).padStart(5)}${measureNames.map((measure) => cell(figures[measure])).join("")}`;

const heading = `${"percent".padEnd(20)}${"n".padStart(5)}${measureNames.map((name) => measures[name].title.padStart(10)).join("")}`;

const bounds = (title: string, { percent, low, high, hits, of }: Share): string =>
  of === 0
    ? `  ${title.padEnd(12)} –`
    : `  ${title.padEnd(12)} ${percent.toFixed(1).padStart(5)}  [${low.toFixed(1)}, ${high.toFixed(1)}]  ${hits} of ${of}`;

const withBounds = (name: string, figures: Figures): readonly string[] => [
  `${name}, ${figures.n} messages, 95 % bounds by Wilson`,
  ...measureNames.map((measure) => bounds(measures[measure].title, figures[measure])),
  "",
];

const rows = (some: Readonly<Record<string, Figures>>): readonly string[] => Object.entries(some).map(([name, figures]) => row(name, figures));

function matrix(counts: SafetyReport["confusion"]): readonly string[] {
  const line = (name: string, cells: readonly (number | string)[]): string =>
    `${name.padEnd(10)}${cells.map((one) => String(one).padStart(6)).join("")}`;
  return [line("label", ["→ 0", "→ 1", "→ 2", "→ 3"]), ...counts.map((cells, level) => line(String(level), cells)), ""];
}

/** All figures: the whole with its bounds, then groups, languages and slices, lists of words beside them, noise and time. */
export function safetyTable(report: SafetyReport): string {
  const { latency_ms: latency } = report;
  return [
    ...withBounds("all", report.all),
    ...Object.entries(report.by_group).flatMap(([name, figures]) => withBounds(name, figures)),
    ...matrix(report.confusion),
    heading,
    ...rows(report.by_language),
    "",
    heading,
    ...rows(report.by_slice),
    "",
    ...Object.entries(report.baselines).flatMap(([name, figures]) => [`${name} list of words`, heading, ...rows(figures), ""]),
    "same level when rewritten",
    ...Object.entries(report.stability).map(([name, share]) => bounds(name, share)),
    "",
    `milliseconds a message: ${latency.p50} at the median, ${latency.p99} at the 99th percentile, ${latency.longest} at most`,
  ].join("\n");
}

/** One line for each thing that must hold. */
export const gateLines = (gates: readonly Gate[]): string =>
  gates.map(({ name, value, limit, ok }) => `${ok ? "ok  " : "FAIL"} ${name.padEnd(44)} ${String(value).padStart(8)}  ${limit}`).join("\n");
