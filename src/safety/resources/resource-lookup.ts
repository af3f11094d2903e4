/** Looks up where help can be found, for the regions that a person has named. */
import type { RiskType } from "../assessment.ts";
import type { CrisisResource, LookupStatus, ResourceLookup, ResourceTable } from "./resource-table.ts";

/** What a look-up is for. */
export interface LookupOptions {
  /** ISO codes, as `findRegions` gives them: two for a name that is two places; none if the person has named no place. */
  readonly regions: readonly string[];
  /** The person would rather not say where they are. */
  readonly refused?: boolean;
  /** Milliseconds since 1970: what was to be reviewed by then is stale. */
  readonly now: number;
  readonly riskTypes?: readonly RiskType[];
  /** Language of the reply, as in the phrases; English by default. */
  readonly language?: string;
  readonly profile?: "adult" | "minor";
}

/** At most so many services are shown: a person in danger does not read a list. */
const mostResources = 5;

/** Services for one matter, by the kind of their row: shown to whoever is in it, and to nobody else. */
const specialised: Readonly<Record<string, readonly RiskType[]>> = {
  eating_disorder: ["eating_disorder"],
  domestic_violence: ["abuse", "violence_to_others"],
  sexual_violence: ["abuse"],
  child_abuse: ["abuse"],
  violence: ["abuse", "violence_to_others"],
};

/** Languages that one who speaks the first understands, as rows name them. */
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

/** How far down a row belongs: a country's own line first, unless that does not speak the person's language and another crisis line does. */
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

/** Rows of a country that may be shown to this person, the one to call first at the top. */
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
  // A line for children is no place to send a grown person to: one whose country has none but such a line is given the directories.
  if (profile === "adult" && rows.every((row) => forYouth(row))) return [];
  const primarySpeaks = rows.some((row) => row.primary && speaks(row, language));
  const rank = { language, profile, matters, primarySpeaks };
  return rows.toSorted((one, other) => rankOf(one, rank) - rankOf(other, rank));
}

/** Takes from each list in turn, so that each of two countries is shown. */
function interleaved<Item>(lists: readonly (readonly Item[])[], most: number): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const taken = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
  return taken.slice(0, most);
}

const isStale = ({ next_review_at }: CrisisResource, now: number): boolean => !(now < Date.parse(`${next_review_at}T00:00:00Z`));

/** A look-up that has nothing but directories to show, such as one that was not attempted or has failed. */
export function emptyLookup(table: ResourceTable, status: LookupStatus): ResourceLookup {
  const { directories, version } = table;
  return Object.freeze({ status, regions: [], location: "", resources: [], stale: [], emergency: [], directories, table_version: version });
}

/**
 * Where help can be found in the regions that a person has named: at most five confirmed services, the country's own line first. Never a number of
 * another country; none at all rather than one that nobody has checked. `stale`: what would be called first was to be reviewed before now.
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

/** A country as a person reads it; its code where the language has no name for it. */
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
