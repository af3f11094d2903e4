/** Recall for a message without a turn: what a turn would recall, and why. It records nothing. */
import { charactersOverFour } from "../../context/tokens.ts";
import type { ExtensionContext, ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { objectGiven } from "../../kernel/json.ts";
import { textGiven } from "../control/change-entries.ts";
import type { RecallOptions, RecallPreview } from "../control/owner-memory.ts";
import type { Owner } from "../keep/change-memory.ts";
import { cacheOf } from "../keep/memory-cache.ts";
import { memoryOf, type MemorySettings } from "../memory-settings.ts";
import { recall, type RecallRequest } from "../recall/recall.ts";
import { mostCharacters, nothingRecalled, queryFor } from "./recall-turn.ts";

/** An agent with a memory. */
interface Rememberer {
  readonly agent: Pick<ExtensionTurn["agent"], "name" | "prompt">;
  readonly settings: MemorySettings;
}

/** Returns the agent whose settings count. Throws `agent.not_found`, `memory.off`, or `memory.invalid` if the agent must be named. */
function remembererOf({ agents }: ExtensionContext, name: unknown): Rememberer {
  const all = [...agents.values()].flatMap((agent): Rememberer[] => {
    const settings = memoryOf(agent);
    return settings === undefined ? [] : [{ agent, settings }];
  });
  if (name === undefined) {
    const [only, other] = all;
    if (only !== undefined && other === undefined) return only;
    if (only === undefined) throw new ThroughlineError("memory.off", "No agent of this runtime has a memory.");
    throw new ThroughlineError("memory.invalid", `Several agents have a memory; name one of ${all.map(({ agent }) => agent.name).join(", ")}.`, {
      details: { path: "agent" },
    });
  }
  const found = all.find(({ agent }) => agent.name === name);
  if (found !== undefined) return found;
  if (typeof name !== "string" || !agents.has(name)) throw new ThroughlineError("agent.not_found", `There is no agent ${seen(name)}.`);
  throw new ThroughlineError("memory.off", `The agent "${name}" remembers nothing: its definition has no memory.`, { details: { agent: name } });
}

/** Returns the result in an incognito session. */
export const noRecall: RecallPreview = { items: nothingRecalled.items, diagnostics: nothingRecalled.diagnostics };

/** Returns what a turn would recall of the owner's memory for a text. */
export async function previewRecall(
  runtime: ExtensionContext,
  { owner_id, version }: Pick<Owner, "owner_id" | "version">,
  text: string,
  options: RecallOptions & Pick<RecallRequest, "shown">,
): Promise<RecallPreview> {
  const { agent: name, opening = false, shown } = objectGiven(options, "memory.recall");
  const said = textGiven(text, "text", mostCharacters);
  if (typeof opening !== "boolean")
    throw new ThroughlineError("memory.invalid", `opening is true or false, got ${seen(opening)}.`, { details: { path: "opening" } });
  const { agent, settings } = remembererOf(runtime, name);
  const began = runtime.clock.monotonic();
  const memory = await cacheOf(runtime).of(owner_id, settings, version);
  const { signal } = new AbortController();
  const query = await queryFor({ runtime, signal }, memory, { text: said, settings });
  const partial = memory.completing !== undefined;
  const request: RecallRequest = { text: said, now: runtime.clock.now(), opening, ...(shown === undefined ? {} : { shown }), ...query, partial };
  const counter = agent.prompt.tokenizer ?? charactersOverFour;
  const { items, diagnostics } = recall(memory.view, request, { ...settings, count: (line) => counter.count(line) });
  return { items, diagnostics: { ...diagnostics, load_memory_ms: Math.round((runtime.clock.monotonic() - began) * 1000) / 1000 } };
}
