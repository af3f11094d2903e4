/** Assembles the companion, also for a single turn with the caller's memory. */
import { defineAgent, exitOn, loop, stage, type Stage, type TypedAgent } from "throughline";
import { memory, memoryTools } from "throughline/memory";
import { companionContext, type CompanionContext, type CompanionOptions } from "./companion-context.ts";
import { companionGate } from "./companion-gate.ts";
import { Companion, type CompanionState } from "./companion-state.ts";
import { responseStyles } from "./contract.ts";
import { beginStage, goOnStage, greetStage, safetyFirstStage } from "./dispatch/begin-stage.ts";
import { memoryStage } from "./dispatch/memory-stage.ts";
import { styleStage, styleStageName } from "./dispatch/style-stage.ts";
import { triageStage } from "./dispatch/triage-stage.ts";
import { exerciseCatalog, exerciseRegistry } from "./exercises/exercise-definition.ts";
import { exerciseStages } from "./exercises/exercise-stage.ts";
import { lookupStage } from "./lookup/lookup-stage.ts";
import { companionSections } from "./prompts/companion-sections.ts";
import { answeringTools, lookUpTool, plainHook, rerouteHook, skillHook } from "./reply/reply-hooks.ts";

/** The text after a failed reply. It names the emergency number, because safety cannot wait for a retry. */
const apology =
  "Sorry, something went wrong on my side. Your message is kept; please try again in a moment. If you are in danger, please call your local emergency number now.";

/**
 * Creates a companion for a person's wellbeing. Every message passes the gate. A message is then a memory command, or is dispatched to an exercise, a
 * lookup or a conversation in one of the response styles. Finally it is remembered. Without options it runs offline with rules. Throws
 * `agent.invalid` or `safety.invalid` for invalid options.
 * @example const agent = createCompanion({ models: { control: openaiCompatible({ … }) } })
 */
export const createCompanion = (options: CompanionOptions = {}): TypedAgent<typeof Companion> => assembleCompanion(companionContext(options));

/** Assembles the agent from a context. `given`: the working memory of a single turn, in place of recall. */
export function assembleCompanion(context: CompanionContext, given: GivenMemory = []): TypedAgent<typeof Companion> {
  const { name, models, skills, offline, embedding, extractor } = context;
  const replyBy = offline && models.response === models.control ? ({ replyBy: "static" } as const) : {};
  return defineAgent({
    name,
    version: 1,
    state: Companion,
    safety: companionGate(models.classifier ?? undefined, { ...replyBy, ...context.safety }),
    memory: memory({
      prefetch: true,
      ...context.memory,
      approach: "therapeutic_approach",
      before: given.length === 0 ? styleStageName : givenStageName,
      ...(embedding === undefined ? {} : { embedding }),
      ...(extractor === undefined ? {} : { extractor }),
    }),
    stages: stagesOf(context, given),
    sections: companionSections(
      skills.flatMap(({ section }) => (section === undefined ? [] : [section])),
      { given: given.length > 0 },
    ),
    prompt: { style: "response_style", styles: [...responseStyles], stage: { exercise: "exercise_state" }, budget: 6_000 },
    reply: replyOf(context),
    apology,
  });
}

/** Returns the stages of a turn in order. The safety stages run in every turn. Recall runs before the style stage, after all stages that answer directly. */
function stagesOf({ models: { control }, search, skills, dispatchMs: withinMs }: CompanionContext, given: GivenMemory) {
  const registry = exerciseRegistry([...exerciseCatalog, ...skills.flatMap(({ exercises }) => exercises)]);
  return [
    beginStage(),
    safetyFirstStage(),
    goOnStage(),
    greetStage(),
    memoryStage(),
    triageStage({ control, withinMs }),
    ...exerciseStages({ control, registry }),
    lookupStage({ control, search }),
    ...(given.length === 0 ? [] : [givenMemoryStage(given)]),
    styleStage({ control, withinMs }),
  ];
}

/** Creates the reply loop. The model has all tools. The text of an answering tool becomes the reply verbatim. */
const replyOf = ({ models: { control, response }, search, skills }: CompanionContext) =>
  loop({
    model: response,
    // Several skills can share a tool.
    tools: [...memoryTools(), lookUpTool({ control, search }), ...new Set(skills.flatMap(({ tools }) => tools))],
    exit: [exitOn.tools(...answeringTools), exitOn.text],
    hooks: [plainHook(), rerouteHook(), ...skillHook(skills)],
  });

type GivenMemory = CompanionState["working_memory"];

/** Name of the stage. Recall runs before it, and finds nothing in a single turn. */
const givenStageName = "given_memory";

const givenMemoryStage = (given: GivenMemory): Stage<typeof Companion> =>
  stage(givenStageName, { state: Companion, writes: ["working_memory"] }, () => ({ working_memory: given }));
