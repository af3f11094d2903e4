/**
 * A tool of LangChain, as it is, with maps to the state: the documents that it finds are written there, and the model reads a sentence.
 */
import { tool } from "@langchain/core/tools";
import { defineAgent, defineState, input, loop, reduced, scripted } from "throughline";
import { fromLangChainTool } from "throughline/tools";
import { z } from "zod";

/** LangChain's own tool, as an application has it already: a sentence for the model, and the documents besides. */
const searchTool = tool(
  async ({ query, most }) => {
    const documents = ["Bees dance", "Bees hum", "Bees sting"].filter((title) => title.toLowerCase().includes(query)).slice(0, most);
    return [`Found ${documents.length} documents.`, documents];
  },
  {
    name: "search",
    description: "Finds documents.",
    schema: z.object({ query: z.string(), most: z.number() }),
    responseFormat: "content_and_artifact",
  },
);

const Search = defineState({
  message: input(z.string()),
  most: reduced(z.number(), { start: true }),
  documents: reduced(z.array(z.string()), { show: "output" }),
});

const search = fromLangChainTool(searchTool, { effects: "none", inputsFromState: { most: "most" }, outputsToState: { documents: {} } });

/** Stands in for a language model, offline. */
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  return last?.role === "tool" ? last.text : { calls: [{ call_id: "search", name: "search", arguments: { query: last?.text ?? "" } }] };
});

export const agent = defineAgent({ name: "langchain-search", version: 1, state: Search, reply: loop({ model, tools: [search] }) });
