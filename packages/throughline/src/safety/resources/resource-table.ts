/** The table of crisis services by country, with sources, read from data and validated. Numbers come from no other source. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";

/** A service of the table. */
export interface CrisisResource {
  /** Stable, such as `us-988`. */
  readonly id: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly name: string;
  readonly kind: string;
  readonly primary: boolean;
  /** As dialed within the country. */
  readonly phones: readonly string[];
  readonly text?: string;
  readonly chat?: string;
  readonly website?: string;
  readonly hours?: string;
  readonly languages: readonly string[];
  readonly audience?: string;
  readonly confirmed: boolean;
  readonly evidence_grade: "A" | "B" | "C" | "D";
  /** Day on which its sources were checked. */
  readonly verified_at: string;
  readonly verified_by: string | null;
  /** Day from which the row is stale, at most 180 days later. */
  readonly next_review_at: string;
}

/** The table, as an operator ships it. */
export interface ResourceTable {
  readonly version: string;
  readonly services: readonly CrisisResource[];
  readonly emergency: Readonly<Record<string, { readonly number: string; readonly confirmed: boolean }>>;
  /** Directories for people in a country that the table lacks, or who name none. */
  readonly directories: readonly { readonly name: string; readonly website: string }[];
}

/** Outcomes of a lookup. `found`: services; `stale`: services, but the review of the one to call first is overdue. All others show directories. */
export const lookupStatuses = ["found", "no_location", "location_refused", "no_verified_results", "not_attempted", "stale", "lookup_error"] as const;
/** An outcome of a lookup. */
export type LookupStatus = (typeof lookupStatuses)[number];

/** Result of a lookup: at most five confirmed rows. Stale rows are shown only with their date and the directories. */
export interface ResourceLookup {
  readonly status: LookupStatus;
  /** ISO codes of the places that the person can mean: two for a name of two places. */
  readonly regions: readonly string[];
  /** Display name of the place; blank for none. */
  readonly location: string;
  readonly resources: readonly CrisisResource[];
  /** Ids of the rows that were not checked recently. They are shown only with their date. */
  readonly stale: readonly string[];
  /** Confirmed numbers only. Without one, a reply says "your local emergency number". */
  readonly emergency: readonly { readonly region: string; readonly number: string }[];
  readonly directories: ResourceTable["directories"];
  readonly table_version: string;
}

const wrong = (path: string, wanted: string, value: unknown): ThroughlineError =>
  new ThroughlineError("safety.invalid", `A table of resources needs ${wanted} at ${path}, got ${seen(value)}.`);

type Row = Readonly<Record<string, unknown>>;

function row(value: unknown, path: string): Row {
  if (isPlainObject(value)) return value;
  throw wrong(path, "an object", value);
}

function list(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong(path, "a list", value);
}

function text(value: unknown, path: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw wrong(path, "a text that is not blank", value);
}

function flag(value: unknown, path: string): boolean {
  if (typeof value === "boolean") return value;
  throw wrong(path, "true or false", value);
}

function day(value: unknown, path: string): string {
  const written = text(value, path);
  if (/^\d{4}-\d{2}-\d{2}$/u.test(written) && Number.isFinite(Date.parse(`${written}T00:00:00Z`))) return written;
  throw wrong(path, "a day such as 2026-11-20", value);
}

function grade(value: unknown, path: string): CrisisResource["evidence_grade"] {
  if (value === "A" || value === "B" || value === "C" || value === "D") return value;
  throw wrong(path, "a grade from A to D", value);
}

const texts = (value: unknown, path: string): readonly string[] => Object.freeze(list(value, path).map((item, at) => text(item, `${path}/${at}`)));

function service(value: unknown, path: string): CrisisResource {
  const from = row(value, path);
  const optional = (name: string): Record<string, string> =>
    from[name] === undefined || from[name] === null ? {} : { [name]: text(from[name], `${path}/${name}`) };
  return Object.freeze({
    id: text(from["id"], `${path}/id`),
    country: text(from["country"], `${path}/country`),
    name: text(from["name"], `${path}/name`),
    kind: text(from["kind"], `${path}/kind`),
    primary: flag(from["primary"], `${path}/primary`),
    phones: texts(from["phones"], `${path}/phones`),
    ...optional("text"),
    ...optional("chat"),
    ...optional("website"),
    ...optional("hours"),
    languages: texts(from["languages"], `${path}/languages`),
    ...optional("audience"),
    confirmed: flag(from["confirmed"], `${path}/confirmed`),
    evidence_grade: grade(from["evidence_grade"], `${path}/evidence_grade`),
    verified_at: day(from["verified_at"], `${path}/verified_at`),
    verified_by: from["verified_by"] === null ? null : text(from["verified_by"], `${path}/verified_by`),
    next_review_at: day(from["next_review_at"], `${path}/next_review_at`),
  });
}

/**
 * Builds a resource table from data, such as a parsed JSON file. Unknown keys, such as sources, are dropped. Throws `safety.invalid`, with the path,
 * if a value is missing or has the wrong type.
 */
export function resourceTable(value: unknown): ResourceTable {
  const from = row(value, "/");
  const emergency = Object.entries(row(from["emergency"], "/emergency")).map(([region, entry]) => {
    const path = `/emergency/${region}`;
    const { number, confirmed } = row(entry, path);
    return [region, Object.freeze({ number: text(number, `${path}/number`), confirmed: flag(confirmed, `${path}/confirmed`) })] as const;
  });
  const directories = list(from["directories"], "/directories").map((entry, at) => {
    const { name, website } = row(entry, `/directories/${at}`);
    return Object.freeze({ name: text(name, `/directories/${at}/name`), website: text(website, `/directories/${at}/website`) });
  });
  return Object.freeze({
    version: text(from["version"], "/version"),
    services: Object.freeze(list(from["services"], "/services").map((entry, at) => service(entry, `/services/${at}`))),
    emergency: Object.freeze(Object.fromEntries(emergency)),
    directories: Object.freeze(directories),
  });
}

/** A problem of a table. An `error` must not be shipped. A `warning` is a review that is overdue for a secondary service, or due within 14 days. */
export interface TableFinding {
  readonly severity: "error" | "warning";
  /** Id of the service, or a country. */
  readonly row: string;
  readonly message: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Most days between two reviews of a row. */
const mostDaysBetweenReviews = 180;

/** Fewest digits of a country code and a number. A short code with a country code has fewer. */
const shortestInternational = 9;

/** Days before a due review from which it is reported. */
const daysOfWarning = 14;

const at = (written: string): number => Date.parse(`${written}T00:00:00Z`);

function findingsOf(found: CrisisResource, now: number): readonly TableFinding[] {
  const { id, country, primary, phones, text: sms, chat, verified_at, next_review_at, confirmed, evidence_grade } = found;
  const error = (message: string): TableFinding => ({ severity: "error", row: id, message });
  const days = (at(next_review_at) - at(verified_at)) / dayMs;
  const left = (at(next_review_at) - now) / dayMs;
  const due = `is to be reviewed on ${next_review_at}`;
  return [
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(id) ? [] : [error("An id has small letters, digits and single hyphens.")]),
    ...(/^[A-Z]{2}$/u.test(country) ? [] : [error(`A country is an ISO code of two letters, not ${country}.`)]),
    ...(phones.length > 0 || sms !== undefined || chat !== undefined ? [] : [error("It has neither a phone, nor a text line, nor a chat.")]),
    ...phones
      .filter((phone) => /^\s*\+/u.test(phone) && phone.replaceAll(/\D/gu, "").length < shortestInternational)
      .map((phone) => error(`${phone} is a short code with a country code: nobody can dial it.`)),
    ...(confirmed && evidence_grade > "B" ? [error(`Evidence of grade ${evidence_grade} confirms nothing.`)] : []),
    ...(days > 0 && days <= mostDaysBetweenReviews
      ? []
      : [error(`Its next review is ${days} days after the last; ${mostDaysBetweenReviews} at most.`)]),
    ...(left <= 0 ? [{ severity: primary ? ("error" as const) : ("warning" as const), row: id, message: `It ${due}, and today is past that.` }] : []),
    ...(left > 0 && left <= daysOfWarning ? [{ severity: "warning" as const, row: id, message: `It ${due}.` }] : []),
  ];
}

/** Checks a table at a time in milliseconds since 1970: ids, contact channels, undialable numbers, and due reviews. */
export function checkTable({ services }: ResourceTable, now: number): readonly TableFinding[] {
  const ids = new Set<string>();
  const primaries = new Set<string>();
  const doubled = services.flatMap(({ id, country, primary, languages }): readonly TableFinding[] => {
    const places = primary ? languages.map((language) => `${country} ${language}`) : [];
    const second = places.find((place) => primaries.has(place));
    const again = ids.has(id);
    ids.add(id);
    for (const place of places) primaries.add(place);
    return [
      ...(again ? [{ severity: "error" as const, row: id, message: "Another service has the same id." }] : []),
      ...(second === undefined ? [] : [{ severity: "error" as const, row: id, message: `${second} has a primary line already.` }]),
    ];
  });
  return [...doubled, ...services.flatMap((found) => findingsOf(found, now))];
}
