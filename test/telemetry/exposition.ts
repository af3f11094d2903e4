/** A parser of the Prometheus text format, written from its description, for tests. It throws for whatever a scraper would refuse. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const nameOf = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const labelOf = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|(?=\}))/;

/** Reads a text: all families by name. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("The last line does not end.");
  const families: Open = new Map();
  const seen = new Set<string>();
  let current: string | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (comment !== null) {
      const [, keyword = "", name = "", rest = ""] = comment;
      describe(families, { keyword, name, rest });
      current = name;
      continue;
    }
    const sample = sampleOf(line);
    const family = families.get(current ?? "");
    const base = family?.type === "histogram" ? sample.name.replace(/_(bucket|sum|count)$/, "") : sample.name;
    if (family === undefined || base !== current) throw new Error(`Not within its family: ${line}`);
    const series = JSON.stringify([sample.name, namesAndValues(sample.labels)]);
    if (seen.has(series)) throw new Error(`Twice: ${line}`);
    seen.add(series);
    family.samples.push(sample);
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family.samples);
  return families;
}

type Open = Map<string, { type: string; help: string; samples: Sample[] }>;

/** Reads a comment with the help or the type of a family. */
function describe(families: Open, { keyword, name, rest }: { readonly keyword: string; readonly name: string; readonly rest: string }): void {
  const family = families.get(name);
  if (keyword === "HELP") {
    if (family !== undefined) throw new Error(`${name} stands in two places.`);
    families.set(name, { type: "", help: rest, samples: [] });
    return;
  }
  if (family === undefined || family.type !== "" || !["counter", "gauge", "histogram"].includes(rest)) throw new Error(`No type of ${name}: ${rest}`);
  family.type = rest;
}

function sampleOf(line: string): Sample {
  const [name] = nameOf.exec(line) ?? [];
  if (name === undefined) throw new Error(`No name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    while (!rest.startsWith("}")) {
      const found = labelOf.exec(rest);
      if (found === null) throw new Error(`No label: ${line}`);
      const [whole, label = "", value = ""] = found;
      if (Object.hasOwn(labels, label)) throw new Error(`Two labels of one name: ${line}`);
      labels[label] = value.replaceAll(/\\(.)/g, (_escape, letter: string) => (letter === "n" ? "\n" : letter));
      rest = rest.slice(whole.length);
    }
    rest = rest.slice(1);
  }
  const [, value = ""] = /^ (\S+)$/.exec(rest) ?? [];
  const number = value === "+Inf" ? Infinity : Number(value);
  if (value === "" || Number.isNaN(number)) throw new Error(`No value: ${line}`);
  return { name, labels, value: number };
}

const namesAndValues = (labels: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted((one, other) => (one < other ? -1 : 1));

/** Buckets grow, end with +Inf, and agree with the count. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _le, ...labels } = sample.labels;
    const key = JSON.stringify(namesAndValues(labels));
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const own of series.values()) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const count = own.find((sample) => sample.name === `${name}_count`)?.value;
    const limits = buckets.map(({ labels: { le = "" } }) => (le === "+Inf" ? Infinity : Number(le)));
    const grow = (values: readonly number[]): boolean => values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0));
    if (limits.at(-1) !== Infinity || !grow(limits) || !grow(buckets.map(({ value }) => value)) || buckets.at(-1)?.value !== count)
      throw new Error(`The histogram ${name} is wrong.`);
  }
}
