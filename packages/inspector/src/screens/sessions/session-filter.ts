/** The filter language of the list of sessions: `customer:ada mode:manual sleep` becomes a query of the service. */
import type { QueryFor } from "@throughline/client";
import { now } from "../../base/browser.ts";
import { texts } from "../../base/page-texts.ts";

type Query = NonNullable<QueryFor<"listSessions">>;

/** A filter as a query, with a sentence for each word of it that cannot be applied, and for each that is searched for although it looks like a filter. */
export interface ReadFilter {
  readonly query: Query;
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** The names of filters. Those with a list take only its values. */
export const filterNames = {
  agent: undefined,
  customer: undefined,
  mode: ["auto", "manual"],
  handover: ["waiting", "assigned", "resolved"],
  waits: ["approval", "answer"],
  operator: undefined,
  label: undefined,
  external: undefined,
  after: undefined,
  before: undefined,
  order: ["asc", "desc"],
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>;

/** Milliseconds of the units of a time before now. */
const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const isUnit = (unit: string): unit is keyof typeof unitMs => Object.hasOwn(unitMs, unit);

/** Reads a time: a date, a date with a time of day, or `3d` for three days ago. Times are those of the browser's clock. */
function readTime(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d{1,5})([a-z])$/.exec(text) ?? [];
  if (isUnit(unit)) return now() - Number(count) * unitMs[unit];
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/.test(text)) return undefined;
  const at = new Date(text.includes("T") ? text : `${text}T00:00`);
  // JavaScript reads February 30 as a day of March.
  return at.getDate() === Number(text.slice(8, 10)) && at.getTime() >= 0 ? at.getTime() : undefined;
}

/** What the service cannot select sessions by, as people write it. */
const unsupported = [
  { pattern: /^-?safety(?:[<>]=?|[:=])/, fault: texts.sessions.unsupported.safety },
  { pattern: /^-?kind[:=]/, fault: texts.sessions.unsupported.kind },
] as const;

const isFilter = (name: string): name is keyof typeof filterNames => Object.hasOwn(filterNames, name);
const oneOf = <Value extends string>(values: readonly Value[], value: string): Value | undefined => values.find((known) => known === value);

/** Splits a filter at spaces. A value with spaces stands in quotes. */
const wordsOf = (text: string): readonly string[] => text.match(/(?:[a-z]+:)?"[^"]*"?|\S+/g) ?? [];

/** Reads a filter. Words without the name of a filter are searched for in titles and messages. */
export function readFilter(text: string): ReadFilter {
  const query: { -readonly [Name in keyof Query]: Query[Name] } = {};
  const faults: string[] = [];
  const labels: string[] = [];
  const searched: string[] = [];
  const notes: string[] = [];
  for (const word of wordsOf(text)) {
    const [, minus, name = "", quoted = ""] = /^(-?)([a-z]+):(.*)$/.exec(word) ?? [];
    const value = quoted.replaceAll('"', "");
    const refusal = unsupported.find(({ pattern }) => pattern.test(word));
    if (refusal !== undefined) faults.push(refusal.fault(word));
    else if (!isFilter(name)) {
      // An address such as `https://example.com` is no filter that was misspelled.
      if (value !== "" && !value.startsWith("/")) notes.push(texts.sessions.noFilter(name, word));
      searched.push(word.replaceAll('"', ""));
    } else if (minus !== "") faults.push(texts.sessions.negated(word));
    else {
      const allowed = filterNames[name];
      const isTime = name === "after" || name === "before";
      const at = isTime ? readTime(value) : undefined;
      if (value === "" || (allowed !== undefined && oneOf<string>(allowed, value) === undefined))
        faults.push(texts.sessions.fault(word, allowed?.join(", ") ?? ""));
      else if (isTime && at === undefined) faults.push(texts.sessions.noTime(word));
      else if (name === "label") labels.push(value);
      else if (name === "customer") query.customer_id = value;
      else if (name === "external") query.external_id = value;
      else if (name === "agent" || name === "operator") query[name] = value;
      else if (at !== undefined) query[name === "after" ? "updated_from" : "updated_before"] = at;
      else if (name === "waits") query.waits = oneOf(filterNames.waits, value);
      else if (name === "mode") query.mode = oneOf(filterNames.mode, value);
      else if (name === "handover") query.handover = oneOf(filterNames.handover, value);
      else query.order = oneOf(filterNames.order, value);
    }
  }
  if (labels.length > 0) query.labels = labels;
  if (searched.length > 0) query.q = searched.join(" ");
  return { query, faults, notes };
}
