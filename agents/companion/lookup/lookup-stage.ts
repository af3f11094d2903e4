/** Lookup as a stage of the turn, last before the reply, which it gives itself; help lines come from the table alone, never from a search or a model. */
import { type Model, stage, type Stage, withControl } from "throughline";
import {
  findRegions,
  foundResources,
  lookupResources,
  renderResources,
  type ResourceLookup,
  type ResourceTable,
  type SafetyPhrases,
} from "throughline/safety";
import { phrases as suppliedPhrases } from "../companion-gate.ts";
import { Companion } from "../companion-state.ts";
import { before, saidIn } from "../dispatch/ask-model.ts";
import { languageFor } from "../exercises/exercise-wording.ts";
import { hotlines } from "../safety/crisis-data.ts";
import type { SearchProvider } from "./grounding.ts";
import { asksForHelpLine, regionsIn } from "./help-line-requests.ts";
import { knowledgeBase } from "./knowledge-base.ts";
import { lookUp, phrasesIn } from "./lookup-answer.ts";

/** What the stage is made with. */
interface LookupStageOptions {
  /** Decides whether a question can be looked up, and words the answer. Without one the best source is quoted. */
  readonly control?: Model | undefined;
  /** Where facts are looked up; the companion's own knowledge base by default. */
  readonly search?: SearchProvider;
  /** Help lines, for whoever asks for one in an ordinary turn; the companion's own by default. */
  readonly help?: HelpLineSource;
}

const written = [
  ...(["grounded_lookup", "route", "response_style", "diagnostics"] as const),
  ...(["found_resources", "resource_lookup_status", "inferred_location"] as const),
] as const;

/**
 * The stage of grounded lookup, to be put after triage and exercises. In a turn whose route is `grounded_lookup` it looks up `grounded_lookup.query`, or the message,
 * and answers with what was found: no model words that reply anew, so nothing gets into it that was not fetched. It reads no memory. Whoever asks for a help line gets
 * those of the table, whatever the route.
 */
export function lookupStage({ control, search = knowledgeBase(), help = suppliedHelpLines }: LookupStageOptions = {}): Stage<typeof Companion> {
  return stage("grounded_lookup", { state: Companion, writes: written }, async ({ state, context, signal }) => {
    const earlier = before(context);
    const message = saidIn(context, state.message);
    const language = languageFor(
      message,
      earlier.map(({ text }) => text),
      context.assessment?.language,
    );
    const lines = helpLines({ message, before: earlier, language, now: context.now, source: help });
    if (lines !== undefined)
      return withControl({ reply: lines.text }, {
        ...helpLineFields(lines),
        route: "grounded_lookup",
        response_style: "grounded_lookup",
        diagnostics: { grounded_lookup_by: "table", grounded_lookup_searched: false, grounded_lookup_sources: lines.lookup.resources.length },
      } as const);
    if (state.route !== "grounded_lookup") return undefined;
    const asked = state.grounded_lookup.query.trim();
    const query = (asked === "" ? message : asked).slice(0, 500);
    const found = await lookUp({ query, before: earlier, language, provider: search, model: control, signal });
    return withControl({ reply: found.text }, {
      grounded_lookup: { query: found.query.slice(0, 500), status: found.status },
      route: "grounded_lookup",
      response_style: "grounded_lookup",
      diagnostics: {
        grounded_lookup_by: found.by,
        grounded_lookup_searched: found.searched,
        grounded_lookup_sources: found.sources.length,
        grounded_lookup_quality: found.quality,
        ...(found.fault === undefined ? {} : { grounded_lookup_fault: found.fault }),
      },
    } as const);
  });
}

/** What help lines are answered from. */
interface HelpLineSource {
  readonly table: ResourceTable;
  /** Sentences around them, per language; the first for everybody else. */
  readonly phrases: readonly SafetyPhrases[];
}

/** The companion's own. */
const suppliedHelpLines: HelpLineSource = { table: hotlines, phrases: suppliedPhrases };

/** What is said, and what it rests on. */
interface HelpLines {
  readonly text: string;
  readonly lookup: ResourceLookup;
}

/** What help lines are looked up with. */
interface HelpLinesGiven {
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
const helpLineFields = ({ lookup }: HelpLines) => ({
  found_resources: foundResources(lookup).map((row) => ({ ...row })),
  resource_lookup_status: lookup.status,
  inferred_location: lookup.location,
});
