/** Looks up crisis services for the regions that a person named, renders them, and fills in the placeholders that a model writes. */
import type { RiskType } from "../assessment.ts";
import type { SafetyPhrases } from "../reply/safety-phrases.ts";
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
function placeName(region: string, language: string): string {
  try {
    const known = displays.get(language);
    const display = known ?? new Intl.DisplayNames([language, "en"], { type: "region", fallback: "code" });
    if (known === undefined) displays.set(language, display);
    return display.of(region) ?? region;
  } catch {
    return region;
  }
}

/** A service as stored in the state field `found_resources`. */
export interface FoundResource {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly website: string;
  /** ISO code of its country. */
  readonly region: string;
}

/** Returns the services of a lookup as rows. A service without a phone names the text line instead, such as `text HOME to 741741`. */
export const foundResources = ({ resources }: ResourceLookup): readonly FoundResource[] =>
  resources.map(({ id, name, phones, text, chat, website, country }) => ({
    id,
    name,
    phone: phones.join(" / ") || text || "",
    website: website ?? chat ?? "",
    region: country,
  }));

function rowText(
  row: CrisisResource,
  { stale, both, phrases }: { readonly stale: boolean; readonly both: boolean; readonly phrases: SafetyPhrases },
): string {
  const { name, phones, text, chat, website, hours, audience = "all" } = row;
  const about = [both ? placeName(row.country, phrases.language) : "", audience === "all" ? "" : audience].filter(Boolean).join(", ");
  const ways = [phones.join(" / "), text, chat ?? website, hours].filter(Boolean).join(" · ");
  const line = `- ${name}${about === "" ? "" : ` (${about})`}: ${ways}`;
  return stale ? `${line} · ${phrases.resource_stale.replace("{date}", row.verified_at)}` : line;
}

/** Renders the directories as a list, for people in countries that the table lacks. */
export const renderDirectories = ({ directories }: ResourceLookup): string =>
  directories.map(({ name, website }) => `- ${name}: ${website}`).join("\n");

/** Renders the services with their introduction. Renders the directories if there are no services, and after services that were not checked recently. */
export function renderResources(lookup: ResourceLookup, phrases: SafetyPhrases): string {
  const { status, resources, regions, location, stale } = lookup;
  const directories = renderDirectories(lookup);
  if (resources.length === 0) {
    const intro = status === "no_verified_results" ? phrases.no_resources.replace("{place}", location) : phrases.directories;
    return directories === "" ? "" : `${intro}\n${directories}`;
  }
  const both = regions.length > 1;
  const rows = resources.map((row) => rowText(row, { stale: stale.includes(row.id), both, phrases }));
  const intro = both ? phrases.resources_both : phrases.resources_intro.replace("{place}", location);
  // If two places share a name, a person in the one without a service also gets the directories.
  const bare = regions.filter((region) => resources.every(({ country }) => country !== region)).map((region) => placeName(region, phrases.language));
  const more = bare.length > 0 ? phrases.no_resources.replace("{place}", bare.join(" / ")) : stale.length > 0 ? phrases.directories : "";
  return [intro, ...rows, ...(more === "" || directories === "" ? [] : [more, directories])].join("\n");
}

/** Renders the local emergency number, or "your local emergency number" if none is known. */
export function renderEmergency({ emergency }: ResourceLookup, phrases: SafetyPhrases): string {
  const [first, ...rest] = emergency;
  if (first === undefined) return phrases.emergency_unknown;
  if (rest.every(({ number }) => number === first.number)) return first.number;
  return emergency.map(({ region, number }) => `${number} (${placeName(region, phrases.language)})`).join(" / ");
}

/** A reply with expanded placeholders, and what it shows, for the audit and the plan. */
export interface Expanded {
  readonly text: string;
  /** Ids of the services shown. */
  readonly resources: readonly string[];
  readonly emergency: boolean;
  readonly directory: boolean;
  /** Number of unknown placeholders that were removed. */
  readonly unknown: number;
}

const placeholder =
  /\[{2,3}([^[\]{}\n]{0,60})\]{2,3}|\{{2,3}([^[\]{}\n]{0,60})\}{2,3}|\[ ?((?:crisis[ _-]?)?(?:resources?|emergency|director(?:y|ies)))(?:[ _-]?numbers?)? ?\](?!\()/giu;

type Kind = "resources" | "emergency" | "directory";

function kindOf(name: string): Kind | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/gu, "");
  if (/^(?:crisis)?(?:resources?|hotlines?|helplines?)(?:list|block)?$/u.test(plain)) return "resources";
  if (/^emergency(?:numbers?|services?)?$/u.test(plain)) return "emergency";
  return /^director(?:y|ies)(?:links?)?$/u.test(plain) ? "directory" : undefined;
}

/** Also accepts the full-width brackets of Chinese keyboards. */
const plain = (text: string): string => text.normalize("NFC").replaceAll("［", "[").replaceAll("］", "]");

const nameOf = (groups: readonly unknown[]): string => {
  const name = groups.slice(0, 3).find((group) => typeof group === "string");
  return typeof name === "string" ? name : "";
};

/** Removes unknown placeholders, including those that form through a removal, because the text on both sides of a placeholder joins. */
export function withoutUnknownPlaceholders(text: string): string {
  let before = plain(text);
  for (let rounds = 0; rounds < 8; rounds += 1) {
    const after = before.replaceAll(placeholder, (whole: string, ...groups: readonly unknown[]) =>
      kindOf(nameOf(groups)) === undefined ? "" : whole,
    );
    if (after === before) return after;
    before = after;
  }
  return before.replaceAll(/[[\]{}]/gu, "");
}

/** Cleans up the blank lines and spaces that a removed placeholder leaves. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[ \t]+([.,;!?])/gu, "$1")
    .replaceAll(/[ \t]{2,}/gu, " ")
    .replaceAll(/[ \t]+\n/gu, "\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();

/**
 * Fills in a text's placeholders from the table, tolerating case, spaces and braces. Services appear once. Unknown placeholders are removed. Guard
 * the text first: table content needs no guard, but a model's text does.
 */
export function expandPlaceholders(text: string, lookup: ResourceLookup, phrases: SafetyPhrases): Expanded {
  const done = { resources: false, emergency: false, directory: false, unknown: 0 };
  const block = (content: string): string => (content === "" ? "" : `\n\n${content}\n\n`);
  const expanded = plain(text).replaceAll(placeholder, (_whole, ...groups: readonly unknown[]) => {
    const kind = kindOf(nameOf(groups));
    if (kind === undefined) {
      done.unknown += 1;
      return "";
    }
    const again = done[kind];
    done[kind] = true;
    if (kind === "emergency") return renderEmergency(lookup, phrases);
    if (again) return "";
    return block(kind === "resources" ? renderResources(lookup, phrases) : renderDirectories(lookup));
  });
  const listed = done.resources && (lookup.resources.length === 0 || lookup.stale.length > 0);
  return {
    text: tidy(expanded),
    resources: done.resources ? lookup.resources.map(({ id }) => id) : [],
    emergency: done.emergency,
    directory: done.directory || listed,
    unknown: done.unknown,
  };
}
