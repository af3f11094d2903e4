/** What a look-up found, as text and as rows. */
import type { SafetyPhrases } from "../reply/phrases.ts";
import { placeName } from "./place-name.ts";
import type { CrisisResource, ResourceLookup } from "./resource.ts";

/** A service as the state keeps it, in the field `found_resources`. */
export interface FoundResource {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly website: string;
  /** ISO code of its country. */
  readonly region: string;
}

/** The services of a look-up as rows. Services without a phone name what to send instead, such as `text HOME to 741741`. */
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

/** The directories as a list, for whoever is in no country of the table. */
export const renderDirectories = ({ directories }: ResourceLookup): string =>
  directories.map(({ name, website }) => `- ${name}: ${website}`).join("\n");

/** Services with what stands above them, or the directories where there are none or the services were not checked lately. */
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
  // Of two places of one name, whoever is in the one without a service is not left with the other's.
  const bare = regions.filter((region) => resources.every(({ country }) => country !== region)).map((region) => placeName(region, phrases.language));
  const more = bare.length > 0 ? phrases.no_resources.replace("{place}", bare.join(" / ")) : stale.length > 0 ? phrases.directories : "";
  return [intro, ...rows, ...(more === "" || directories === "" ? [] : [more, directories])].join("\n");
}

/** The emergency number of the place, or "your local emergency number" where none is known. */
export function renderEmergency({ emergency }: ResourceLookup, phrases: SafetyPhrases): string {
  const [first, ...rest] = emergency;
  if (first === undefined) return phrases.emergency_unknown;
  if (rest.every(({ number }) => number === first.number)) return first.number;
  return emergency.map(({ region, number }) => `${number} (${placeName(region, phrases.language)})`).join(" / ");
}
