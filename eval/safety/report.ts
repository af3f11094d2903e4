/** The whole of what is measured, in a shape for programs. */
import { confusion, type Figures, figuresOf, groupedBy, groupOf, type Judge, type Outcome, type Share } from "./figures.ts";
import { naive, tiered } from "./keywords.ts";
import type { Labelled } from "./labelled.ts";
import { stability } from "./noise.ts";
import { screened, versions } from "./product.ts";

/** Milliseconds of one screening, on this machine, with whatever else it does. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export interface SafetyReport {
  readonly unit: "percent";
  readonly versions: Readonly<Record<string, string>>;
  readonly all: Figures;
  readonly by_group: Readonly<Record<string, Figures>>;
  readonly by_language: Readonly<Record<string, Figures>>;
  readonly by_slice: Readonly<Record<string, Figures>>;
  /** Rows are the labels 0 to 3, columns the answers. */
  readonly confusion: readonly (readonly number[])[];
  readonly baselines: Readonly<Record<string, Readonly<Record<string, Figures>>>>;
  readonly stability: Readonly<Record<string, Share>>;
  readonly latency_ms: Latency;
}

/** The level that the screen alone gives. */
export const product: Judge = (message) => screened(message).level;

/** What a judge says of every message. */
export const outcomesOf = (judge: Judge, messages: readonly Labelled[]): readonly Outcome[] =>
  messages.map((message) => ({ message, got: judge(message) }));

const grouped = (outcomes: readonly Outcome[], of: (message: Labelled) => string): Readonly<Record<string, Figures>> =>
  Object.fromEntries([...groupedBy(outcomes, of)].map(([name, some]) => [name, figuresOf(some)]));

const groups = (outcomes: readonly Outcome[]): Readonly<Record<string, Figures>> => ({
  all: figuresOf(outcomes),
  ...grouped(outcomes, ({ language }) => groupOf(language)),
});

function timeOf(message: Labelled): number {
  const start = process.hrtime.bigint();
  screened(message);
  return Number(process.hrtime.bigint() - start) / 1e6;
}

/** Of each message the median of three times: what else the machine does in one of them does not count. */
function latencyOf(messages: readonly Labelled[]): Latency {
  const ofThree = (message: Labelled): number => [timeOf(message), timeOf(message), timeOf(message)].toSorted((a, b) => a - b)[1] ?? 0;
  const times = messages.map(ofThree).toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round((times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0) * 1000) / 1000;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Everything about some messages. The screen has read all of them once before its time is taken. */
export function safetyReport(messages: readonly Labelled[]): SafetyReport {
  const outcomes = outcomesOf(product, messages);
  const { all, ...by_group } = groups(outcomes);
  return {
    unit: "percent",
    versions,
    all: all ?? figuresOf(outcomes),
    by_group,
    by_language: grouped(outcomes, ({ language }) => language),
    by_slice: grouped(outcomes, ({ slice }) => slice),
    confusion: confusion(outcomes),
    baselines: { naive: groups(outcomesOf(naive, messages)), tiered: groups(outcomesOf(tiered, messages)) },
    stability: stability(product, messages),
    latency_ms: latencyOf(messages),
  };
}
