/** Looking a fact up in the middle of a reply: the tool for what triage has not seen coming. */
import { defineTool, type Model, type Tool } from "throughline";
import { languageFor } from "../exercises/language.ts";
import { lookUp } from "../lookup/answer.ts";
import type { SearchProvider } from "../lookup/provider.ts";

/** Name of the tool. */
export const lookUpName = "look_up";

/** The tool. What it returns is the reply: every sentence of it stands in a source that was fetched. */
export const lookUpTool = ({ control, search }: { readonly control: Model | undefined; readonly search: SearchProvider }): Tool =>
  defineTool({
    name: lookUpName,
    description: "Looks up a fact that can be checked, when they ask for one. Not for advice about their own life, and not for help lines.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", minLength: 1, maxLength: 280, description: "The question by itself, in their language." } },
      required: ["query"],
      additionalProperties: false,
    } as const,
    effects: "none",
    execute: async ({ query }, { signal }) => {
      const found = await lookUp({ query, before: [], language: languageFor(query, []), provider: search, model: control, signal });
      return { reply: found.text, query: found.query, status: found.status };
    },
  });
