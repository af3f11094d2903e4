/** Placeholders: a model writes `[[resources]]`, `[[emergency]]` or `[[directory]]`, and what is in the table takes their place. */
import type { SafetyPhrases } from "../reply/phrases.ts";
import { renderDirectories, renderEmergency, renderResources } from "./render.ts";
import type { ResourceLookup } from "./resource.ts";

/** A reply whose placeholders were expanded, and what that has shown, for the audit and the plan. */
export interface Expanded {
  readonly text: string;
  /** Ids of the services that are shown. */
  readonly resources: readonly string[];
  readonly emergency: boolean;
  readonly directory: boolean;
  /** How many placeholders of no known name were removed. */
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

/** The full-width brackets of Chinese keyboards are brackets too. */
const plain = (text: string): string => text.normalize("NFC").replaceAll("［", "[").replaceAll("］", "]");

const nameOf = (groups: readonly unknown[]): string => {
  const name = groups.slice(0, 3).find((group) => typeof group === "string");
  return typeof name === "string" ? name : "";
};

/** Takes out placeholders that nothing stands for, also those that come about by that: what they held apart is read as it will be shown. */
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

/** Blank lines and spaces as a removed placeholder leaves them, put in order. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[ \t]+([.,;!?])/gu, "$1")
    .replaceAll(/[ \t]{2,}/gu, " ")
    .replaceAll(/[ \t]+\n/gu, "\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();

/**
 * Puts what the table has in the place of a text's placeholders, tolerating case, spaces and braces; the services once. Those of no known name are
 * removed. Guard a text first: what stands in a placeholder's place needs no guard, and what a model wrote does.
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
