/** Lookup as the last stage before the reply, which it provides itself. Help lines come only from the table, never from a search or a model. */
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
import { languageAmong } from "../offline/words/folded-words.ts";
import { hotlines } from "../safety/crisis-data.ts";
import type { SearchProvider } from "./grounding.ts";
import { asksForHelpLine, regionsIn } from "./help-line-requests.ts";
import { knowledgeBase } from "./knowledge-base.ts";
import { lookUp, phrasesIn } from "./lookup-answer.ts";

/** Options of the stage. */
interface LookupStageOptions {
  /** Decides whether a question can be looked up, and words the answer. Without one, the reply quotes the best source. */
  readonly control?: Model | undefined;
  /** Looks up facts; default the companion's own knowledge base. */
  readonly search?: SearchProvider;
  /** Help lines for requests in an ordinary turn; default the companion's own. */
  readonly help?: HelpLineSource;
}

const written = [
  ...(["grounded_lookup", "route", "response_style", "diagnostics"] as const),
  ...(["found_resources", "resource_lookup_status", "inferred_location"] as const),
] as const;

/**
 * Creates the stage of grounded lookup, which must follow triage and exercises. On the route `grounded_lookup` it looks up `grounded_lookup.query`,
 * or the message. The result is the reply. No model rewords it, so it contains only fetched statements. The stage reads no memory. A request for a
 * help line is answered from the table on every route.
 */
export function lookupStage({ control, search = knowledgeBase(), help = suppliedHelpLines }: LookupStageOptions = {}): Stage<typeof Companion> {
  return stage("grounded_lookup", { state: Companion, writes: written }, async ({ state, context, signal }) => {
    const earlier = before(context);
    const message = saidIn(context, state.message);
    const language = languageAmong([
      message,
      ...earlier
        .filter(({ role }) => role === "user")
        .map(({ text }) => text)
        .toReversed(),
    ]);
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
    const search_query = state.dispatch?.search_query?.trim() ?? "";
    const ready = search_query === "" ? {} : { search_query };
    const found = await lookUp({ query, before: earlier, language, provider: search, model: control, signal, ...ready });
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

/** Source of help lines. */
interface HelpLineSource {
  readonly table: ResourceTable;
  /** Sentences around the help lines, per language. The first one applies to all other languages. */
  readonly phrases: readonly SafetyPhrases[];
}

/** The companion's own source. */
const suppliedHelpLines: HelpLineSource = { table: hotlines, phrases: suppliedPhrases };

/** The reply and the lookup behind it. */
interface HelpLines {
  readonly text: string;
  readonly lookup: ResourceLookup;
}

/** Input of a help line request. */
interface HelpLinesGiven {
  readonly message: string;
  readonly before: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly language: string;
  readonly now: number;
  readonly source?: HelpLineSource;
}

/** Tells whether the last reply asked for the country, so that a bare name is an answer. */
const wasAsked = ({ before, language }: HelpLinesGiven): boolean => {
  const last = before.at(-1);
  return last?.role === "assistant" && last.text.startsWith(phrasesIn(language).refused.crisis);
};

/**
 * Returns the requested help lines, for the country in the message or in the last ones. Without a country, returns the directories and asks for the
 * place. Returns undefined if the message requests none.
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

/** Returns the state fields of a help line reply. */
const helpLineFields = ({ lookup }: HelpLines) => ({
  found_resources: foundResources(lookup).map((row) => ({ ...row })),
  resource_lookup_status: lookup.status,
  inferred_location: lookup.location,
});
