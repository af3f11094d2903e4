import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  type Agent,
  type Runtime,
  type Store,
  counter,
  createRuntime,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { Outside } from "./outside.ts";
import { toolsAgents } from "./tools-agent.ts";

/** Both fields change in one delta, so `count` is the length of `seen` at every offset, and a message that is done twice is in `seen` twice. */
const chaosState = defineState({ message: input(z.string()), count: reduced(z.number(), { reduce: counter() }), seen: reduced(z.array(z.string())) });

/** What the agent answers to a message, and what the customer reads when a turn fails. */
export const replyTo = (text: string): string => `re: ${text} is noted`;
export const apology = "Sorry.";

/** Whether a session, by its key, has an agent that calls tools. */
export const callsTools = (session: string): boolean => session.startsWith("t");

/** Every other session has an agent that answers together what comes before it has shown anything, or one that takes a message for a rejection. */
export function agentNameOf(session: string): "chaos" | "hasty" | "patient" | "curt" {
  const odd = /[13579]$/.test(session);
  if (callsTools(session)) return odd ? "patient" : "curt";
  return odd ? "chaos" : "hasty";
}

const pauses =
  (dice: Chooser) =>
  async (most: number): Promise<void> => {
    const ms = dice.integer(0, most);
    if (ms > 0) await delay(ms);
  };

/** An agent that takes its time everywhere, so that a kill at a random time lands everywhere. */
function chaosAgent(name: "chaos" | "hasty", dice: Chooser): Agent {
  const pause = pauses(dice);
  const count = stage("count", { state: chaosState, writes: ["count", "seen"] }, async ({ context }) => {
    await pause(3);
    return { count: context.messages.length, seen: context.messages.map((message) => message.text) };
  });
  const model = scripted((request) => {
    const text = replyTo(request.messages.findLast((message) => message.role === "user")?.text ?? "");
    return { text: text.match(/\S+\s*/g) ?? [], wait: () => pause(2) };
  });
  const onNewMessage = name === "hasty" ? "supersede" : "queue";
  return defineAgent({ name, version: 1, state: chaosState, stages: [count], reply: loop({ model }), apology, onNewMessage });
}

/** A runtime for one life: short leases, so that another process soon takes over. */
export function chaosRuntime(
  store: Store,
  options: { readonly dice: Chooser; readonly outside: Outside; readonly work?: boolean },
): Promise<Runtime> {
  const { dice, outside, work = true } = options;
  const agents = [chaosAgent("chaos", dice), chaosAgent("hasty", dice), ...toolsAgents({ outside, pause: pauses(dice), replyTo, apology })];
  return createRuntime({ store, agents, leaseMs: 300, heartbeatMs: 50, pollMs: 50, work });
}
