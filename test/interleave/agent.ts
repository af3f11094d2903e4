/** The agents of a run, and the runtime of one process of it. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  type Agent,
  type Runtime,
  type Store,
  appendUnique,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  recentMessages,
  reduced,
  replace,
  scripted,
  section,
  stage,
} from "../../packages/throughline/src/index.ts";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { apology, replyTo } from "../chaos/agent.ts";

const state = defineState({
  message: input(z.string()),
  /** What the agent was told. A turn that is done again is told the same. */
  heard: reduced(z.array(z.string()), { reduce: appendUnique() }),
  /** Marks of edits, in the order in which they came; customers may see them. */
  edits: reduced(z.array(z.string()), { show: "public" }),
  /** Marks of edits that rest on what was there: each writes the whole list, so one that overlooks another loses it. */
  list: reduced(z.array(z.string()), { reduce: replace() }),
});

/** The agents: one answers message by message, one takes up what comes before it has shown anything. */
export const agentNames = ["steady", "hasty"] as const;

/** An agent that takes its time everywhere, so that whatever happens meanwhile happens everywhere. */
function agentOf(name: (typeof agentNames)[number], dice: Chooser): Agent {
  const pause = async (most: number): Promise<void> => {
    const ms = dice.integer(0, most);
    if (ms > 0) await delay(ms);
  };
  const hear = stage("hear", { state, writes: ["heard"] }, async ({ context }) => {
    await pause(15);
    return { heard: context.messages.map((message) => message.text) };
  });
  const message = section<{ readonly message?: string }>("message", (context) => context.state.message);
  const model = scripted((request) => {
    const text = replyTo(request.sections.find((part) => part.name === "message")?.text ?? "");
    return { text: text.match(/\S+\s*/g) ?? [], wait: () => pause(30) };
  });
  const onNewMessage = name === "hasty" ? "supersede" : "queue";
  const sections = [message, recentMessages];
  return defineAgent({ name, version: 1, state, stages: [hear], sections, reply: loop({ model }), apology, onNewMessage, waitingLimit: 6 });
}

/** The agents, taking their time as the dice say. */
export const agentsFor = (dice: Chooser): readonly Agent[] => agentNames.map((name) => agentOf(name, dice));

/** A runtime for one life: short leases, so that another process soon takes over. */
export const lifeRuntime = (store: Store, agents: readonly Agent[], work: boolean): Promise<Runtime> =>
  createRuntime({ store, agents, work, leaseMs: 400, heartbeatMs: 60, pollMs: 50 });
