/** Grounded lookup as a stage of the turn: last before the reply, which it gives itself. */
import { stage, withControl, type Model, type Stage } from "throughline";
import { languageFor } from "../exercises/language.ts";
import { Companion } from "../state.ts";
import { lookUp } from "./answer.ts";
import { knowledgeBase } from "./knowledge-base.ts";
import type { SearchProvider } from "./provider.ts";

/** What the stage is made with. */
export interface LookupStageOptions {
  /** Decides whether a question can be looked up, and words the answer. Without one the best source is quoted. */
  readonly control?: Model | undefined;
  /** Where facts are looked up; the companion's own knowledge base by default. */
  readonly search?: SearchProvider;
}

/**
 * The stage of grounded lookup, to be put after triage and exercises. In a turn whose route is `grounded_lookup` it looks up `grounded_lookup.query`, or the message,
 * and answers with what was found: no model words that reply anew, so nothing gets into it that was not fetched. It reads no memory.
 */
export function lookupStage({ control, search = knowledgeBase() }: LookupStageOptions = {}): Stage<typeof Companion> {
  return stage(
    "grounded_lookup",
    { state: Companion, writes: ["grounded_lookup", "route", "response_style", "diagnostics"] },
    async ({ state, context, signal }) => {
      if (state.route !== "grounded_lookup") return undefined;
      const asked = state.grounded_lookup.query.trim();
      const query = (asked === "" ? state.message : asked).slice(0, 500);
      const first = context.messages[0]?.offset ?? Number.POSITIVE_INFINITY;
      const before = context.history.flatMap(({ role, text, offset, is_trace }) =>
        (role === "user" || role === "assistant") && !is_trace && offset < first && text !== "" ? [{ role, text }] : [],
      );
      const language = languageFor(
        state.message,
        before.map(({ text }) => text),
        context.assessment?.language,
      );
      const found = await lookUp({ query, before, language, provider: search, model: control, signal });
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
    },
  );
}
