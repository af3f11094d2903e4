import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Agent } from "../runtime/agent.ts";

/** The agent that `throughline chat` talks with when none is named; a package that was published has none. */
const example = fileURLToPath(new URL("../../agents/companion/agent.ts", import.meta.url));

const howTo = "Give the path of a module that exports `agent`, made with defineAgent: --agent ./my-agent.ts";

/**
 * The agent that a module exports as `agent`; the companion if no module is named. `agent.not_found` if there is no such file,
 * `agent.invalid` if it does not load or exports something else.
 */
export async function loadAgent(module: string | undefined): Promise<Agent> {
  const path = module === undefined ? example : resolve(module);
  if (!existsSync(path)) {
    const message =
      module === undefined ? "No agent was named, and the example agent is not part of this installation." : `There is no agent module at ${module}.`;
    throw new ThroughlineError("agent.not_found", message, { hint: howTo, details: { path: module ?? null } });
  }
  const exported = await load(path, module ?? path);
  if (isAgent(exported)) return exported;
  throw new ThroughlineError("agent.invalid", `${module ?? path} exports no agent: \`agent\` is ${seen(exported)}.`, {
    hint: howTo,
    details: { path: module ?? path },
  });
}

/** `agent.not_found` when a session belongs to another agent than the one at hand. */
export function requireAgent(agent: Agent, wanted: string): void {
  if (agent.name === wanted) return;
  throw new ThroughlineError("agent.not_found", `The session belongs to agent "${wanted}"; this is agent "${agent.name}".`, {
    hint: `Name the module of agent "${wanted}": --agent ./its-module.ts`,
    details: { agent: wanted },
  });
}

async function load(path: string, named: string): Promise<unknown> {
  try {
    // Which module this is, only the user knows: the one computed import of the source.
    const loaded = (await import(pathToFileURL(path).href)) as { readonly agent?: unknown };
    return loaded.agent;
  } catch (cause) {
    const why = ThroughlineError.is(cause) ? cause.message : cause instanceof Error ? (cause.message.split("\n")[0] ?? cause.name) : String(cause);
    throw new ThroughlineError("agent.invalid", `The agent module ${named} does not load: ${why}`, {
      hint: ThroughlineError.is(cause) ? cause.hint : "Correct the module; THROUGHLINE_DEBUG=1 shows where it failed.",
      details: { path: named },
      cause,
    });
  }
}

function isAgent(value: unknown): value is Agent {
  if (typeof value !== "object" || value === null || !("name" in value) || !("reply" in value)) return false;
  const { name, reply } = value;
  return typeof name === "string" && typeof reply === "object" && reply !== null && "type" in reply && reply.type === "reply";
}
