/**
 * A tool that knows who asks, from the state and not from the model: whoever starts the turn says the name, the model sees a tool with one parameter, and
 * a name that the model makes up has no effect.
 *
 *     session.send("Search for Python tutorials", { start: { user_name: "Alice" } })
 */
import { defineAgent, defineState, defineTool, input, loop, reduced, scripted } from "throughline";
import { z } from "zod";

const Search = defineState({
  message: input(z.string()),
  user_name: reduced(z.string(), { start: true }),
  search_results: reduced(z.array(z.string()), { show: "output" }),
});

const search = defineTool({
  name: "search",
  description: "Searches documents for whoever asks.",
  parameters: z.object({ query: z.string(), user_context: z.string() }),
  state: Search,
  inputsFromState: { user_name: "user_context" },
  outputsToState: { search_results: { source: "results" } },
  effects: "none",
  execute: ({ query, user_context }) => ({ results: [`Found results for '${query}' (user: ${user_context})`] }),
});

/** Stands in for a language model, offline, and for one that makes names up. */
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return (JSON.parse(last.text) as { results?: string[] }).results?.join("\n") ?? "I need to know who you are.";
  const query = /search for (.+)/i.exec(last?.text ?? "")?.[1];
  if (query === undefined) return "What do you search for?";
  return { calls: [{ call_id: "search", name: "search", arguments: { query, user_context: "Mallory" } }] };
});

export const agent = defineAgent({ name: "search", version: 1, state: Search, reply: loop({ model, tools: [search] }) });
