/** The companion, put together. */
import { defineAgent, loop, persona, recentMessages, type Model, type TypedAgent } from "throughline";
import { memory } from "throughline/memory";
import { beginStage } from "./dispatch/begin.ts";
import { Companion } from "./state.ts";

/** What of a companion can be chosen; everything has a default that needs no key and no network. */
export interface CompanionOptions {
  /** Name of the agent; `companion` by default. */
  readonly name?: string;
  /** Models, each of them separately replaceable. */
  readonly models?: {
    /** Answers the structured calls: triage, style, exercises, lookup. */
    readonly control?: Model;
    /** Writes the replies, with all tools; the control model by default. */
    readonly response?: Model;
  };
}

/**
 * A companion for a person's wellbeing: what it is asked goes through a gate, is dispatched, answered in one of eleven styles, and remembered.
 * @example const agent = createCompanion({ models: { response: openaiCompatible({ … }) } })
 */
export function createCompanion(options: CompanionOptions = {}): TypedAgent<typeof Companion> {
  const { name = "companion", models = {} } = options;
  const { control = placeholder, response = control } = models;
  return defineAgent({
    name,
    version: 1,
    state: Companion,
    memory: memory({ approach: "therapeutic_approach" }),
    stages: [beginStage()],
    sections: [persona("You are a companion for a person's wellbeing."), recentMessages],
    prompt: { stage: { exercise: "exercise_state" } },
    reply: loop({ model: response }),
  });
}

const placeholder: Model = {
  name: "companion (no model)",
  async *stream() {
    yield { type: "text_delta", text: "I am here." };
    yield { type: "finish", reason: "stop", usage: { input: 0, output: 3, cache_write: 0, cache_read: 0, reasoning: 0 } };
  },
};
