/** Looks up crisis services for the regions that a person named. */
import type { RiskType } from "../assessment.ts";
import type { CrisisResource, LookupStatus, ResourceLookup, ResourceTable } from "./resource-table.ts";

/** Options of a lookup. */
export interface LookupOptions {
  /** ISO codes, as `findRegions` returns them: two for a name of two places, none if the person named no place. */
  readonly regions: readonly string[];
  /** The person declined to say where they are. */
  readonly refused?: boolean;
  /** Milliseconds since 1970. Rows whose review was due by then are stale. */
  readonly now: number;
  readonly riskTypes?: readonly RiskType[];
  /** Language of the reply, as in the phrases; default English. */
  readonly language?: string;
  readonly profile?: "adult" | "minor";
}

/** Most services to show: a person in danger does not read a list. */
const mostResources = 5;

/** Services for one risk, by the kind of their row. They are shown only to people at that risk. */
const specialised: Readonly<Record<string, readonly RiskType[]>> = {
  eating_disorder: ["eating_disorder"],
  domestic_violence: ["abuse", "violence_to_others"],
  sexual_violence: ["abuse"],
  child_abuse: ["abuse"],
  violence: ["abuse", "violence_to_others"],
};

/** Languages that a speaker of the key language understands, as rows name them. */
const spoken: Readonly<Record<string, readonly string[]>> = { zh: ["zh", "cmn", "yue"], no: ["no", "nb"], id: ["id", "ms"] };

const speaks = (row: CrisisResource, language: string): boolean => {
  const base = language.toLowerCase().split("-")[0] ?? language;
  const wanted = spoken[base] ?? [base];
  return row.languages.some((name) => wanted.includes((name.toLowerCase().split(/[\s(-]/u)[0] ?? "").trim()));
};

const forYouth = ({ kind, audience = "" }: CrisisResource): boolean => kind === "youth" || /child|youth|under|student|\d-\d/u.test(audience);
const forSome = ({ audience = "all" }: CrisisResource): boolean => audience !== "all";
const aroundTheClock = ({ hours = "" }: CrisisResource): boolean => hours.startsWith("24/7");
const isSpecialised = ({ kind }: CrisisResource): boolean => Object.hasOwn(specialised, kind);

/** Ranks a row, the lowest first. A country's primary line comes first, unless it lacks the person's language and another crisis line has it. */
function rankOf(
  row: CrisisResource,
  {
    language,
    profile,
    matters,
    primarySpeaks,
  }: {
    readonly language: string;
    readonly profile: "adult" | "minor";
    readonly matters: boolean;
    readonly primarySpeaks: boolean;
  },
): number {
  if (isSpecialised(row)) return matters ? 3 : 1;
  if (forYouth(row)) return profile === "minor" ? 2 : 9;
  if (!primarySpeaks && row.kind === "suicide_prevention" && aroundTheClock(row) && speaks(row, language)) return 0;
  if (row.primary) return 1;
  if (forSome(row)) return 8;
  return speaks(row, language) ? 4 : 5;
}

/** Returns the rows of a country for this person, the one to call first at the top. */
function rowsOf(
  table: ResourceTable,
  region: string,
  { riskTypes = [], language = "en", profile = "adult" }: LookupOptions,
): readonly CrisisResource[] {
  const matters = riskTypes.length === 0 || riskTypes.some((risk) => risk === "suicide" || risk === "self_harm");
  const rows = table.services.filter(
    (row) =>
      row.country === region &&
      row.confirmed &&
      (row.phones.length > 0 || row.text !== undefined || row.chat !== undefined) &&
      (specialised[row.kind]?.some((risk) => riskTypes.includes(risk)) ?? true),
  );
  // An adult is never sent to a line for children. If a country has only such lines, the person gets the directories.
  if (profile === "adult" && rows.every((row) => forYouth(row))) return [];
  const primarySpeaks = rows.some((row) => row.primary && speaks(row, language));
  const rank = { language, profile, matters, primarySpeaks };
  return rows.toSorted((one, other) => rankOf(one, rank) - rankOf(other, rank));
}

/** Takes from each list in turn, so that both of two countries are shown. */
function interleaved<Item>(lists: readonly (readonly Item[])[], most: number): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const taken = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
  return taken.slice(0, most);
}

const isStale = ({ next_review_at }: CrisisResource, now: number): boolean => !(now < Date.parse(`${next_review_at}T00:00:00Z`));

/** Returns a lookup with only directories, such as one that was not attempted or failed. */
export function emptyLookup(table: ResourceTable, status: LookupStatus): ResourceLookup {
  const { directories, version } = table;
  return Object.freeze({ status, regions: [], location: "", resources: [], stale: [], emergency: [], directories, table_version: version });
}

/**
 * Looks up at most five confirmed services in the regions that a person named, the country's primary line first. It never returns a number of another
 * country, and prefers none to an unverified one. `stale`: the review of the service to call first is overdue.
 */
export function lookupResources(table: ResourceTable, options: LookupOptions): ResourceLookup {
  const { refused = false, now, language = "en" } = options;
  if (refused) return emptyLookup(table, "location_refused");
  const regions = [...new Set(options.regions.map((region) => region.toUpperCase()))];
  if (regions.length === 0) return emptyLookup(table, "no_location");
  const lists = regions.map((region) => rowsOf(table, region, options));
  const resources = interleaved(lists, mostResources);
  const stale = resources.filter((row) => isStale(row, now)).map(({ id }) => id);
  const emergency = regions.flatMap((region) => {
    const found = Object.hasOwn(table.emergency, region) ? table.emergency[region] : undefined;
    return found?.confirmed === true ? [{ region, number: found.number }] : [];
  });
  const first = lists.some((list) => list[0] !== undefined && stale.includes(list[0].id));
  const status = resources.length === 0 ? "no_verified_results" : first ? "stale" : "found";
  const location = regions.map((region) => placeName(region, language)).join(" / ");
  return Object.freeze({ status, regions, location, resources, stale, emergency, directories: table.directories, table_version: table.version });
}

const displays = new Map<string, Intl.DisplayNames>();

/** Returns the name of a country in a language, or its code if the language has no name for it. */
export function placeName(region: string, language: string): string {
  try {
    const known = displays.get(language);
    const display = known ?? new Intl.DisplayNames([language, "en"], { type: "region", fallback: "code" });
    if (known === undefined) displays.set(language, display);
    return display.of(region) ?? region;
  } catch {
    return region;
  }
}
