import { ThroughlineError, seen } from "../../kernel/error.ts";
import { isStateDefinition } from "../../state/define.ts";
import type { Agent } from "../agent/agent.ts";
import { loopSettings } from "../loop/settings.ts";
import { isSubagent } from "./subagent.ts";

/** Collects agents by name: the given agents, and recursively the child agents among their tools. Throws `agent.invalid` for two agents with the same name. */
export function collectAgents(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const byName = new Map<string, Agent>();
  for (const agent of agents) {
    if (!isStateDefinition(agent?.state) || agent.reply?.type !== "reply")
      throw new ThroughlineError("agent.invalid", `createRuntime takes agents made by defineAgent, got ${seen(agent)}.`);
    if (byName.has(agent.name)) throw new ThroughlineError("agent.invalid", `Two agents are named "${agent.name}".`);
    byName.set(agent.name, agent);
  }
  const queue = [...byName.values()];
  for (let agent = queue.shift(); agent !== undefined; agent = queue.shift()) {
    for (const child of childrenOf(agent)) {
      const known = byName.get(child.name);
      if (known === child) continue;
      if (known !== undefined)
        throw new ThroughlineError("agent.invalid", `Two agents are named "${child.name}": one of them is a child agent of "${agent.name}".`);
      byName.set(child.name, child);
      queue.push(child);
    }
  }
  return byName;
}

const childrenOf = ({ reply }: Agent): readonly Agent[] =>
  (loopSettings(reply)?.tools ?? []).flatMap((tool) => (isSubagent(tool) ? [tool.child.agent] : []));
