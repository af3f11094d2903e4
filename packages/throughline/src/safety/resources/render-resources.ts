/** Renders a lookup as text and as rows, and fills in the placeholders that a model writes: `[[resources]]`, `[[emergency]]`, `[[directory]]`. */
import type { SafetyPhrases } from "../reply/safety-phrases.ts";
import { placeName } from "./resource-lookup.ts";
import type { CrisisResource, ResourceLookup } from "./resource-table.ts";

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
