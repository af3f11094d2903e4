/** Loads the agent module that a command names. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlainObject, type JsonObject, seen, ThroughlineError } from "throughline/kernel";
import type { Model, Agent } from "throughline";
import type { SafetySettings } from "throughline/safety";

/** The default agent of `throughline chat`: the companion, if it is installed. */
function companion(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("@throughline/companion/agent");
  } catch {
    return undefined;
  }
}

const howTo = "Pass the path of a module that exports `agent`, made with defineAgent: --agent ./my-agent.ts";

/** The exports of an agent module. */
export interface AgentModule {
  readonly agent: Agent;
  /** Builds the agent with a model. The agent then uses the model for all its tasks, not only for the reply. */
  readonly withModel?: (model: Model) => Agent;
  /** The greeting that a user reads first. */
  readonly welcome?: string;
  /** Input fields that a chat gives with every message, such as the channel. */
  readonly input?: JsonObject;
}

/** Loads the agent of a module. See {@link loadAgentModule} for the errors. */
export const loadAgent = async (module: string | undefined): Promise<Agent> => (await loadAgentModule(module)).agent;

/**
 * Loads a module's exports `agent`, `withModel`, `welcome` and `input`. Without a path, loads the companion. Throws `agent.not_found` if the file does not
 * exist. Throws `agent.invalid` if the module fails to load or its `agent` is not an agent.
 */
export async function loadAgentModule(module: string | undefined): Promise<AgentModule> {
  const path = module === undefined ? companion() : resolve(module);
  if (path === undefined || !existsSync(path)) {
    const message = module === undefined ? "No agent was named, and the companion is not installed." : `There is no agent module at ${module}.`;
    const hint = module === undefined ? `Install it: npm install @throughline/companion. ${howTo}` : howTo;
    throw new ThroughlineError("agent.not_found", message, { hint, details: { path: module ?? null } });
  }
  const { agent, withModel, welcome, input } = await load(path, module ?? path);
  if (!isAgent(agent))
    throw new ThroughlineError("agent.invalid", `${module ?? path} exports no agent: \`agent\` is ${seen(agent)}.`, {
      hint: howTo,
      details: { path: module ?? path },
    });
  return {
    agent,
    ...(isMaker(withModel) ? { withModel } : {}),
    ...(typeof welcome === "string" ? { welcome } : {}),
    ...(isFields(input) ? { input } : {}),
  };
}

/** Loads the agents of the settings; the companion by default. */
export const loadAgents = (modules: readonly string[]): Promise<readonly Agent[]> =>
  Promise.all((modules.length === 0 ? [undefined] : modules).map((module) => loadAgent(module)));

/** Throws `agent.not_found` if a session belongs to another agent. */
export function requireAgent(agent: Agent, wanted: string): void {
  if (agent.name === wanted) return;
  throw new ThroughlineError("agent.not_found", `The session belongs to agent "${wanted}"; this is agent "${agent.name}".`, {
    hint: `Name the module of agent "${wanted}": --agent ./its-module.ts`,
    details: { agent: wanted },
  });
}

async function load(path: string, named: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // The only computed import in the source: the user chooses the module.
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

/** Tells whether a value can be input fields. Whether the agent has them, and takes their values, is checked with the first message. */
const isFields = (value: unknown): value is JsonObject => isPlainObject(value);

function isAgent(value: unknown): value is Agent {
  if (typeof value !== "object" || value === null || !("name" in value) || !("reply" in value)) return false;
  const { name, reply } = value;
  return typeof name === "string" && typeof reply === "object" && reply !== null && "type" in reply && reply.type === "reply";
}

/** Loads the gate of a module's agent; the companion's by default. Throws `safety.invalid` if the agent has no gate. */
export async function gatedAgent(module: string | undefined): Promise<{ readonly name: string; readonly safety: SafetySettings }> {
  const agent = await loadAgent(module);
  const { name } = agent;
  const { safetyOf } = await import("throughline/safety");
  const safety = safetyOf(agent);
  if (safety !== undefined) return { name, safety };
  throw new ThroughlineError("safety.invalid", `Agent "${name}" has no gate.`, { hint: "Declare one: defineAgent({ safety: safety({ … }) })." });
}
