/** Grounded lookup as a stage of the turn: last before the reply, which it gives itself. */
import { stage, withControl, type Model, type Stage } from "throughline";
import { before, saidIn } from "../dispatch/conversation.ts";
import { languageFor } from "../exercises/language.ts";
import { Companion } from "../state.ts";
import { lookUp } from "./answer.ts";
import { helpLineFields, helpLines, suppliedHelpLines, type HelpLineSource } from "./help-lines.ts";
import { knowledgeBase } from "./knowledge-base.ts";
import type { SearchProvider } from "./provider.ts";

/** What the stage is made with. */
export interface LookupStageOptions {
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
