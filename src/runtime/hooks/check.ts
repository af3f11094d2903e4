import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { StateDefinition } from "../../state/define.ts";
import { nearest } from "../../state/suggest.ts";
import { wrongWrite, type Hook } from "./hook.ts";

/**
 * Checks hooks against the agent that has them: names that are unique, the state they were typed against, fields and tools that there are. Throws
 * `agent.invalid`, with a suggestion for a name that is nearly right. `tools`: the names of the agent's tools; left out, they are not looked at.
 */
export function checkHooks(agent: string, state: StateDefinition, hooks: readonly Hook[], tools?: readonly string[]): void {
  const names = new Set<string>();
  const invalid = (message: string, hint?: string): ThroughlineError =>
    new ThroughlineError("agent.invalid", message, hint === undefined ? {} : { hint });
  for (const hook of hooks as readonly (Hook | undefined)[]) {
    if (hook?.type !== "hook") throw invalid(`Agent "${agent}" has a hook that was not made by hook(...): ${seen(hook)}.`);
    if (names.has(hook.name)) throw invalid(`Agent "${agent}" has two hooks named "${hook.name}".`, "Give one of them another name.");
    names.add(hook.name);
    if (hook.state !== undefined && hook.state !== state)
      throw invalid(`Hook "${hook.name}" was declared for another state than that of agent "${agent}".`);
    const fault = wrongWrite(hook.writes, state);
    if (fault !== undefined) throw invalid(`Hook "${hook.name}" of agent "${agent}" ${fault.why}`, fault.hint);
    const missing = hook.tools?.find((tool) => tools !== undefined && !tools.includes(tool));
    if (missing === undefined) continue;
    const near = nearest(missing, tools ?? []);
    throw invalid(
      `Hook "${hook.name}" is for the tool "${missing}", which agent "${agent}" does not have.`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    );
  }
}
