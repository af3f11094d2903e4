/** Loads the agent that a command names. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { seen, ThroughlineError } from "throughline/kernel";
import type { Model, Agent } from "throughline";
import { safetyOf, type SafetySettings } from "throughline/safety";

/** The agent that `throughline chat` talks with when none is named; a package that was published has none. */
const companion = fileURLToPath(new URL("../../agents/companion/agent.ts", import.meta.url));

const howTo = "Pass the path of a module that exports `agent`, made with defineAgent: --agent ./my-agent.ts";

/** What a module says of its agent. */
export interface AgentModule {
  readonly agent: Agent;
  /** The agent with a model behind it, where the module makes one itself: then the model does all that the agent asks of one, and not the reply alone. */
  readonly withModel?: (model: Model) => Agent;
  /** What whoever talks with it reads first. */
  readonly welcome?: string;
}

/** The agent that a module exports as `agent`, as {@link loadAgentModule} loads it. */
export const loadAgent = async (module: string | undefined): Promise<Agent> => (await loadAgentModule(module)).agent;

/**
 * What a module exports as `agent`, and as `withModel` and `welcome` if it does; the companion if no module is named. `agent.not_found` if there is no such
 * file, `agent.invalid` if it does not load or exports something else.
 */
export async function loadAgentModule(module: string | undefined): Promise<AgentModule> {
  const path = module === undefined ? companion : resolve(module);
  if (!existsSync(path)) {
    const message =
      module === undefined ? "No agent was named, and the companion is not part of this installation." : `There is no agent module at ${module}.`;
    throw new ThroughlineError("agent.not_found", message, { hint: howTo, details: { path: module ?? null } });
  }
  const { agent, withModel, welcome } = await load(path, module ?? path);
  if (!isAgent(agent))
    throw new ThroughlineError("agent.invalid", `${module ?? path} exports no agent: \`agent\` is ${seen(agent)}.`, {
      hint: howTo,
      details: { path: module ?? path },
    });
  return { agent, ...(isMaker(withModel) ? { withModel } : {}), ...(typeof welcome === "string" ? { welcome } : {}) };
}

/** `agent.not_found` when a session belongs to another agent than the one at hand. */
export function requireAgent(agent: Agent, wanted: string): void {
  if (agent.name === wanted) return;
  throw new ThroughlineError("agent.not_found", `The session belongs to agent "${wanted}"; this is agent "${agent.name}".`, {
    hint: `Name the module of agent "${wanted}": --agent ./its-module.ts`,
    details: { agent: wanted },
  });
}

async function load(path: string, named: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // Which module this is, only the user knows: the one computed import of the source.
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const why = ThroughlineError.is(cause) ? cause.message : cause instanceof Error ? (cause.message.split("\n")[0] ?? cause.name) : String(cause);
    throw new ThroughlineError("agent.invalid", `The agent module ${named} does not load: ${why}`, {
      hint: ThroughlineError.is(cause) ? cause.hint : "Correct the module; THROUGHLINE_DEBUG=1 shows where it failed.",
      details: { path: named },
      cause,
    });
  }
}

const isMaker = (value: unknown): value is NonNullable<AgentModule["withModel"]> => typeof value === "function";

function isAgent(value: unknown): value is Agent {
  if (typeof value !== "object" || value === null || !("name" in value) || !("reply" in value)) return false;
  const { name, reply } = value;
  return typeof name === "string" && typeof reply === "object" && reply !== null && "type" in reply && reply.type === "reply";
}

/** The gate of the agent that a module exports; the companion's if no module is named. `safety.invalid` for an agent without one. */
export async function gatedAgent(module: string | undefined): Promise<{ readonly name: string; readonly safety: SafetySettings }> {
  const agent = await loadAgent(module);
  const { name } = agent;
  const safety = safetyOf(agent);
  if (safety !== undefined) return { name, safety };
  throw new ThroughlineError("safety.invalid", `Agent "${name}" has no gate.`, { hint: "Declare one: defineAgent({ safety: safety({ … }) })." });
}
