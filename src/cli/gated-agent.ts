import { ThroughlineError } from "../kernel/error.ts";
import { safetyOf, type SafetySettings } from "../safety/settings.ts";
import { loadAgent } from "./load-agent.ts";

/** The gate of the agent that a module exports; the companion's if no module is named. `safety.invalid` for an agent without one. */
export async function gatedAgent(module: string | undefined): Promise<{ readonly name: string; readonly safety: SafetySettings }> {
  const agent = await loadAgent(module);
  const { name } = agent;
  const safety = safetyOf(agent);
  if (safety !== undefined) return { name, safety };
  throw new ThroughlineError("safety.invalid", `Agent "${name}" has no gate.`, { hint: "Declare one: defineAgent({ safety: safety({ … }) })." });
}
