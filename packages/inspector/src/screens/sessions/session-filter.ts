/** The filter language of the list of sessions: `customer:ada mode:manual sleep` becomes a query of the service. */
import type { QueryFor } from "@throughline/client";
import { texts } from "../../base/page-texts.ts";

type Query = NonNullable<QueryFor<"listSessions">>;

/** A filter as a query, with a sentence for each word of it that cannot be applied. */
export interface ReadFilter {
  readonly query: Query;
  readonly faults: readonly string[];
}

/** The names of filters. Those with a list take only its values. */
export const filterNames = {
  agent: undefined,
  customer: undefined,
  mode: ["auto", "manual"],
  handover: ["waiting", "assigned", "resolved"],
  operator: undefined,
  label: undefined,
  external: undefined,
  order: ["asc", "desc"],
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>;

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
  for (const word of wordsOf(text)) {
    const [, minus, name = "", quoted = ""] = /^(-?)([a-z]+):(.*)$/.exec(word) ?? [];
    const value = quoted.replaceAll('"', "");
    if (!isFilter(name)) searched.push(word.replaceAll('"', ""));
    else if (minus !== "") faults.push(texts.sessions.negated(word));
    else {
      const allowed = filterNames[name];
      if (value === "" || (allowed !== undefined && oneOf<string>(allowed, value) === undefined))
        faults.push(texts.sessions.fault(word, allowed?.join(", ") ?? ""));
      else if (name === "label") labels.push(value);
      else if (name === "customer") query.customer_id = value;
      else if (name === "external") query.external_id = value;
      else if (name === "agent" || name === "operator") query[name] = value;
      else if (name === "mode") query.mode = oneOf(filterNames.mode, value);
      else if (name === "handover") query.handover = oneOf(filterNames.handover, value);
      else query.order = oneOf(filterNames.order, value);
    }
  }
  if (labels.length > 0) query.labels = labels;
  if (searched.length > 0) query.q = searched.join(" ");
  return { query, faults };
}
