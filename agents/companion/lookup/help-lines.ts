/** Help lines, for whoever asks for one in so many words: from the table that people check, never from a search or a model. */
import {
  findRegions,
  foundResources,
  lookupResources,
  renderResources,
  type ResourceLookup,
  type ResourceTable,
  type SafetyPhrases,
} from "throughline/safety";
import { phrases as suppliedPhrases } from "../gate.ts";
import { hotlines } from "../safety/resources.ts";
import { phrasesIn } from "./phrases.ts";
import { asksForHelpLine, regionsIn } from "./asks-for-help-line.ts";

/** What help lines are answered from. */
export interface HelpLineSource {
  readonly table: ResourceTable;
  /** Sentences around them, per language; the first for everybody else. */
  readonly phrases: readonly SafetyPhrases[];
}

/** The companion's own. */
export const suppliedHelpLines: HelpLineSource = { table: hotlines, phrases: suppliedPhrases };

/** What is said, and what it rests on. */
export interface HelpLines {
  readonly text: string;
  readonly lookup: ResourceLookup;
}

/** What help lines are looked up with. */
export interface HelpLinesGiven {
  readonly message: string;
  readonly before: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly language: string;
  readonly now: number;
  readonly source?: HelpLineSource;
}

/** Whether the reply before has asked for the country, so that its bare name is an answer. */
const wasAsked = ({ before, language }: HelpLinesGiven): boolean => {
  const last = before.at(-1);
  return last?.role === "assistant" && last.text.startsWith(phrasesIn(language).refused.crisis);
};

/**
 * The help lines that a message asks for, of the country that it names or that was named shortly before; the directories, and the question where the person is, if none
 * was. Undefined where a message asks for none.
 */
export function helpLines(given: HelpLinesGiven): HelpLines | undefined {
  const { message, before, language, now, source = suppliedHelpLines } = given;
  const asked = wasAsked(given);
  const answered = asked ? findRegions(message, { asked }).regions : [];
  if (!asksForHelpLine(message) && answered.length === 0) return undefined;
  const said = [
    message,
    ...before
      .filter(({ role }) => role === "user")
      .slice(-4)
      .map(({ text }) => text)
      .toReversed(),
  ];
  const regions = answered.length > 0 ? answered : (said.map(regionsIn).find((found) => found.length > 0) ?? []);
  const lookup = lookupResources(source.table, { regions, now, language });
  const phrases = source.phrases.find((one) => one.language === language) ?? source.phrases[0];
  const listed = phrases === undefined ? "" : renderResources(lookup, phrases);
  const own = phrasesIn(language);
  const parts = regions.length === 0 ? [own.refused.crisis, listed] : [listed, own.listening];
  return { text: parts.filter((part) => part !== "").join("\n\n"), lookup };
}

/** What the state keeps of it. */
export const helpLineFields = ({ lookup }: HelpLines) => ({
  found_resources: foundResources(lookup).map((row) => ({ ...row })),
  resource_lookup_status: lookup.status,
  inferred_location: lookup.location,
});
