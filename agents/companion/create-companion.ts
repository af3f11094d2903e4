/** Puts the companion together; for one turn by itself, with the memory that the caller gives. */
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

/** What somebody reads when a reply has failed. Safety cannot wait for the next try, so it is named. */
const apology =
  "Sorry, something went wrong on my side. Your message is kept; please try again in a moment. If you are in danger, please call your local emergency number now.";

/**
 * A companion for a person's wellbeing. Every message passes a gate; then it is a command about the memory, or dispatched to an exercise, a lookup or a talk in one
 * of the response styles, and remembered. With no options it runs offline, by rules. `agent.invalid` and `safety.invalid` say what is wrong.
 * @example const agent = createCompanion({ models: { control: openaiCompatible({ … }) } })
 */
export const createCompanion = (options: CompanionOptions = {}): TypedAgent<typeof Companion> => assembleCompanion(companionContext(options));

/** The agent of a context. `given`: what one turn is told in place of what a memory would recall. */
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

/** The stages of a turn, in order. Those of safety run in every turn; recall comes before the style, after everything that answers by itself. */
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

/** The reply: whichever model writes it has all tools, and what a tool answers by itself is said as it is. */
const replyOf = ({ models: { control, response }, search, skills }: CompanionContext) =>
  loop({
    model: response,
    // One tool may belong to several skills.
    tools: [...memoryTools(), lookUpTool({ control, search }), ...new Set(skills.flatMap(({ tools }) => tools))],
    exit: [exitOn.tools(...answeringTools), exitOn.text],
    hooks: [plainHook(), rerouteHook(), ...skillHook(skills)],
  });

type GivenMemory = CompanionState["working_memory"];

/** The name that the stage has; what is recalled, which is nothing, is recalled before it. */
const givenStageName = "given_memory";

const givenMemoryStage = (given: GivenMemory): Stage<typeof Companion> =>
  stage(givenStageName, { state: Companion, writes: ["working_memory"] }, () => ({ working_memory: given }));
