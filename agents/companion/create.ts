/** The companion, put together. */
import { defineAgent, loop, type Model, type TypedAgent } from "throughline";
import { memory } from "throughline/memory";
import { responseStyles } from "./contract.ts";
import { beginStage, safetyFirstStage } from "./dispatch/begin.ts";
import { memoryStage } from "./dispatch/memory.ts";
import { styleStage, styleStageName } from "./dispatch/style.ts";
import { triageStage } from "./dispatch/triage.ts";
import { exerciseStages } from "./exercises/stage.ts";
import { companionSections } from "./sections.ts";
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
    memory: memory({ approach: "therapeutic_approach", before: styleStageName }),
    stages: [beginStage(), safetyFirstStage(), memoryStage(), triageStage({ control }), ...exerciseStages({ control }), styleStage({ control })],
    sections: companionSections(),
    prompt: { style: "response_style", styles: [...responseStyles], stage: { exercise: "exercise_state" } },
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
