/**
 * A chain of tools: `retrieve` writes the documents that it found to the state, `process_documents` takes them from there. They are never part of a
 * prompt: the model is told how many there are, and says how many it wants.
 *
 *     throughline chat --agent examples/tools-documents/agent.ts
 *     > Find and process 2 documents about Python
 */
import { defineAgent, defineState, defineTool, input, loop, reduced, replace, scripted } from "throughline";
import { z } from "zod";

const Document = z.object({ title: z.string(), content: z.string() });
type Document = z.infer<typeof Document>;

const Library = defineState({
  message: input(z.string()),
  // Lists append by default; here each search begins anew.
  documents: reduced(z.array(Document), { reduce: replace() }),
  result_count: reduced(z.number(), { show: "output" }),
  last_query: reduced(z.string()),
  final_docs: reduced(z.array(Document), { reduce: replace(), show: "output" }),
  final_count: reduced(z.number(), { show: "output" }),
});

const shelf: readonly Document[] = [
  { title: "Snakes of the world", content: "The python kills by constriction." },
  { title: "A first program", content: "Python reads almost like English." },
  { title: "Types", content: "Python checks types late, TypeScript early." },
  { title: "Gardening", content: "Beans climb." },
];

const retrieve = defineTool({
  name: "retrieve",
  description: "Finds documents about something.",
  parameters: z.object({ query: z.string() }),
  state: Library,
  outputsToState: { documents: { source: "documents" }, result_count: { source: "count" }, last_query: { source: "query" } },
  effects: "none",
  execute: ({ query }) => {
    const documents = shelf.filter(({ content }) => content.toLowerCase().includes(query.toLowerCase()));
    return { documents, count: documents.length, query };
  },
  show: ({ count, query }) => `Found ${count} documents about ${query}.`,
});

const processDocuments = defineTool({
  name: "process_documents",
  description: "Processes the documents that were found, and keeps so many of them.",
  parameters: z.object({ documents: z.array(Document), max_results: z.int().min(1) }),
  state: Library,
  inputsFromState: { documents: "documents" },
  outputsToState: { final_docs: { source: "processed" }, final_count: { source: "count" } },
  effects: "none",
  execute: ({ documents, max_results }) => {
    const processed = documents.slice(0, max_results).map(({ title, content }) => ({ title: title.toUpperCase(), content }));
    return { processed, count: processed.length };
  },
  show: ({ processed }) => processed.map(({ title }) => title).join(", "),
});

/** Stands in for a language model, offline: it decides by rule from what it is asked, and sees what one would see. */
const model = scripted(({ messages }) => {
  const said = messages.findLast(({ role }) => role === "user")?.text ?? "";
  const results = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1).filter(({ role }) => role === "tool");
  const [, most, query] = /(\d+) documents about (\w+)/.exec(said) ?? [];
  if (query === undefined) return "Ask me for a number of documents about something.";
  if (results.length === 0) return { calls: [{ call_id: "find", name: "retrieve", arguments: { query } }] };
  if (results.length === 1) return { calls: [{ call_id: "process", name: "process_documents", arguments: { max_results: Number(most) } }] };
  return `Here is what I found: ${results.at(-1)?.text}`;
});

export const agent = defineAgent({ name: "library", version: 1, state: Library, reply: loop({ model, tools: [retrieve, processDocuments] }) });
