/** Counters, gauges and histograms, and their text in the Prometheus exposition format. Every metric has a limited number of series. */
import { seen, ThroughlineError } from "../kernel/error.ts";

/** Values of a metric's labels, by label. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** A number that only grows. */
export interface Counter<Label extends string = never> {
  /** Adds to the series of these label values: 1 by default. A negative or infinite amount is ignored. */
  add(labels: LabelValues<Label>, amount?: number): void;
}

/** A number that rises and falls. */
export interface Gauge<Label extends string = never> {
  set(labels: LabelValues<Label>, value: number): void;
}

/** The distribution of durations in seconds. */
export interface Histogram<Label extends string = never> {
  observe(labels: LabelValues<Label>, seconds: number): void;
}

/** Declares a metric. */
export interface MetricOptions<Label extends string> {
  /** With the unit, as Prometheus recommends: `throughline_webhook_deliveries_total`. */
  readonly name: string;
  readonly help: string;
  /** Names of the labels. Their values must come from a small set, such as results. Never ids, texts or names of people. */
  readonly labels?: readonly Label[];
}

/** Metrics of a process. */
export interface MetricRegistry {
  counter<const Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  gauge<const Label extends string = never>(options: MetricOptions<Label>): Gauge<Label>;
  histogram<const Label extends string = never>(options: MetricOptions<Label> & { readonly buckets?: readonly number[] }): Histogram<Label>;
  /** Calls `read` before each reading of the text, to set gauges. An error of it is ignored. Returns a function that ends this. */
  beforeText(read: () => void): () => void;
  /** Returns all metrics in the Prometheus text format 0.0.4. */
  text(): string;
}

/** Content type of the text. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Maximum number of series of a metric. Values beyond it count as `other`, so that no label can fill the memory. */
const mostSeries = 200;
const longestValue = 100;
/** Upper limits of the buckets in seconds, from a quick read of a database to a long turn. */
const usualBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly lines: () => readonly string[];
}

/** Creates an empty registry. */
export function createRegistry(): MetricRegistry {
  const metrics = new Map<string, Metric>();
  const readers = new Set<() => void>();
  const add = (name: string, metric: Metric): void => {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw wrong(`A metric's name has lowercase letters, digits and underscores, got ${seen(name)}.`);
    if (metrics.has(name)) throw wrong(`The metric "${name}" is declared twice.`);
    metrics.set(name, metric);
  };
  const simple = <Label extends string>(type: "counter" | "gauge", { name, help, labels = [] }: MetricOptions<Label>): Series<number, Label> => {
    const series = createSeries(labels, () => 0);
    add(name, { type, help, lines: () => series.all().map(([text, value]) => `${name}${braced(text)} ${numeral(value)}`) });
    return series;
  };
  return Object.freeze({
    counter: <const Label extends string = never>(options: MetricOptions<Label>): Counter<Label> => {
      const series = simple("counter", options);
      return {
        add: (labels, amount = 1) => {
          if (Number.isFinite(amount) && amount >= 0) series.change(labels, (value) => value + amount);
        },
      };
    },
    gauge: <const Label extends string = never>(options: MetricOptions<Label>): Gauge<Label> => {
      const series = simple("gauge", options);
      return { set: (labels, value) => series.change(labels, () => value) };
    },
    histogram: <const Label extends string = never>({
      name,
      help,
      labels = [],
      buckets = usualBuckets,
    }: MetricOptions<Label> & { readonly buckets?: readonly number[] }): Histogram<Label> => {
      const series = createSeries(labels, (): Distribution => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      add(name, { type: "histogram", help, lines: () => series.all().flatMap(([text, value]) => linesOf(name, buckets, text, value)) });
      return {
        observe: (given, seconds) => {
          if (Number.isFinite(seconds)) series.change(given, (value) => withOne(value, buckets, Math.max(0, seconds)));
        },
      };
    },
    beforeText: (read: () => void) => {
      const own = (): void => read();
      readers.add(own);
      return () => void readers.delete(own);
    },
    text: () => {
      for (const read of readers)
        try {
          read();
        } catch {
          // The other metrics are still read.
        }
      const all = [...metrics].toSorted(([one], [other]) => (one < other ? -1 : 1));
      return all
        .map(([name, { type, help, lines }]) => [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines(), ""].join("\n"))
        .join("");
    },
  });
}

const wrong = (message: string): ThroughlineError => new ThroughlineError("input.invalid", message);

interface Distribution {
  /** Number of values up to each limit. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

const withOne = ({ counts, count, sum }: Distribution, buckets: readonly number[], seconds: number): Distribution => ({
  counts: counts.map((value, index) => value + (seconds <= (buckets[index] ?? Infinity) ? 1 : 0)),
  count: count + 1,
  sum: sum + seconds,
});

function linesOf(name: string, buckets: readonly number[], labels: string, { counts, count, sum }: Distribution): readonly string[] {
  const bucket = (limit: string, value: number): string =>
    `${name}_bucket${braced(labels === "" ? `le="${limit}"` : `${labels},le="${limit}"`)} ${value}`;
  return [
    ...buckets.map((limit, index) => bucket(numeral(limit), counts[index] ?? 0)),
    bucket("+Inf", count),
    `${name}_sum${braced(labels)} ${numeral(sum)}`,
    `${name}_count${braced(labels)} ${count}`,
  ];
}

interface Series<Value, Label extends string> {
  change(labels: LabelValues<Label>, next: (value: Value) => Value): void;
  /** All series, each with its labels as text. */
  all(): readonly (readonly [labels: string, value: Value])[];
}

/** The series of a metric. One without labels exists from the start, so that its rate is known from the first event. */
function createSeries<Value, Label extends string>(labels: readonly Label[], empty: () => Value): Series<Value, Label> {
  const values = new Map<string, Value>();
  if (labels.length === 0) values.set("", empty());
  return {
    change: (given, next) => {
      const named = textOf(labels, (label) => given[label].slice(0, longestValue));
      const text = values.has(named) || values.size < mostSeries ? named : textOf(labels, () => "other");
      values.set(text, next(values.get(text) ?? empty()));
    },
    all: () => [...values],
  };
}

const textOf = <Label extends string>(labels: readonly Label[], value: (label: Label) => string): string =>
  labels.map((label) => `${label}="${escaped(value(label)).replaceAll('"', '\\"')}"`).join(",");

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const braced = (labels: string): string => (labels === "" ? "" : `{${labels}}`);
const numeral = (value: number): string => (value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value));
