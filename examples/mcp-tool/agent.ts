/**
 * Tools from a server of the Model Context Protocol, with maps to the state: the author of a note is whoever the state says, and what was found is written
 * there. Needs the package `@modelcontextprotocol/client`.
 */
import { defineAgent, defineState, input, loop, reduced, scripted, type Agent } from "throughline";
import { connectMcp } from "throughline/mcp";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const Notes = defineState({
  message: input(z.string()),
  user_name: reduced(z.string(), { start: true }),
  found: reduced(z.array(z.string()), { show: "output" }),
});

/** The agent and its server, a process that `close` ends. */
export async function openNotes(): Promise<{ readonly agent: Agent; close(): Promise<void> }> {
  const server = await connectMcp(
    { command: process.execPath, args: [fileURLToPath(new URL("notes-server.ts", import.meta.url))] },
    {
      name: "notes",
      tools: {
        add: { inputsFromState: { user_name: "author" } },
        find: { inputsFromState: { user_name: "author" }, outputsToState: { found: { source: "notes" } } },
      },
    },
  );
  const agent = defineAgent({ name: "notes", version: 1, state: Notes, reply: loop({ model, tools: server.tools }) });
  return { agent, close: () => server.close() };
}

/** Stands in for a language model, offline: it decides by rule which tool to call. */
const model = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return last.text;
  const [, verb, text = ""] = /^(note|find) (.+)/.exec(last?.text ?? "") ?? [];
  if (verb === undefined) return "Say `note …` or `find …`.";
  return {
    calls: [
      verb === "note" ? { call_id: "add", name: "notes_add", arguments: { text } } : { call_id: "find", name: "notes_find", arguments: { text } },
    ],
  };
});
