/** Assembles the companion, also for a single turn with the caller's memory, from its context: models, search, skills and options. */
import { defineAgent, exitOn, loop, type Model, stage, type Stage, ThroughlineError, type TypedAgent } from "throughline";
import { type EmbeddingProvider, type Extractor, memory, type MemoryOptions, memoryTools, modelExtractor } from "throughline/memory";
import { type ClassifierGiven, companionGate, type GateOptions } from "./companion-gate.ts";
import { Companion, type CompanionState } from "./companion-state.ts";
import { responseStyles } from "./contract.ts";
import { beginStage, goOnStage, greetStage, safetyFirstStage } from "./dispatch/begin-stage.ts";
import { memoryStage } from "./dispatch/memory-stage.ts";
import { styleStage, styleStageName } from "./dispatch/style-stage.ts";
import { triageStage } from "./dispatch/triage-stage.ts";
import { exerciseCatalog, exerciseRegistry } from "./exercises/exercise-definition.ts";
import { startRequests } from "./exercises/exercise-requests.ts";
import { exerciseStages } from "./exercises/exercise-stage.ts";
import type { SearchProvider } from "./lookup/grounding.ts";
import { knowledgeBase } from "./lookup/knowledge-base.ts";
import { lookupStage } from "./lookup/lookup-stage.ts";
import { offlineModel, offlineModelName } from "./offline/offline-model.ts";
import { companionSections } from "./prompts/companion-sections.ts";
import { answeringTools, lookUpTool, offerHook, plainHook, rerouteHook, skillHook } from "./reply/reply-hooks.ts";
import { checkSkills, type Skill } from "./skills.ts";
import type { Voice } from "./voice/create-voice.ts";

/** Models. Each can be replaced separately. */
interface CompanionModels {
  /** Answers the structured calls: triage with the style, exercises, lookup. Default: the offline rules. */
  readonly control?: Model;
  /** Writes the replies, with all tools. Default: the control model. */
  readonly response?: Model;
  /**
   * Judges messages in addition to the screen. Default: the control model, whose name is on every assessment. `null`: no classifier, so the reply
   * asks about messages that the screen cannot read in full.
   */
  readonly classifier?: ClassifierGiven | null;
}

/** Options of a companion. Every default works without a key or a network. */
export interface CompanionOptions {
  /** Name of the agent; default `companion`. */
  readonly name?: string;
  readonly models?: CompanionModels;
  /** Embeddings for recall. Without a provider, recall matches words only. */
  readonly embedding?: EmbeddingProvider;
  /** Extracts memories from conversations. Default: the control model, or rules if the control model is the offline rules. */
  readonly extractor?: Extractor;
  /** Looks up facts. Default: the companion's own knowledge base. */
  readonly search?: SearchProvider;
  readonly skills?: readonly Skill[];
  /** Further options of the memory. */
  readonly memory?: Omit<MemoryOptions, "approach" | "before" | "embedding" | "extractor">;
  /** Options of the gate, which cannot be turned off. */
  readonly safety?: GateOptions;
  /** Milliseconds that triage may take, which also chooses the style; default 8,000. If it fails, the companion still replies. */
  readonly dispatchMs?: number;
  /** Speaks in calls, on the same sessions: `createVoice` of `@throughline/companion/voice`. Several messages before a reply are then answered together. */
  readonly voice?: Voice;
}

/** The context of a companion, with all defaults. */
export interface CompanionContext extends Required<Omit<CompanionOptions, "models" | "embedding" | "extractor" | "voice">> {
  readonly models: { readonly control: Model; readonly response: Model; readonly classifier: ClassifierGiven | null };
  readonly embedding?: EmbeddingProvider;
  readonly extractor?: Extractor;
  readonly voice?: Voice;
  /** Whether the offline rules are the control model. */
  readonly offline: boolean;
  /** Names of the parts, for display. */
  readonly agent_config: { readonly control: string; readonly response: string; readonly classifier: string; readonly search: string };
}

const isModel = (value: unknown): boolean => typeof value === "object" && value !== null && "stream" in value && typeof value.stream === "function";

const wrong = (path: string, what: string): ThroughlineError =>
  new ThroughlineError("agent.invalid", `The companion's ${path} ${what}.`, { details: { path } });

/** Detects wrong parts at the start. Without this check, an invalid search provider would fail only in the turn that needs it. */
function checkContext({ models, search, dispatchMs }: Pick<CompanionContext, "models" | "search" | "dispatchMs">): void {
  for (const name of ["control", "response"] as const)
    if (!isModel(models[name])) throw wrong(`models.${name}`, "is a model: a name and a stream function");
  const { classifier } = models;
  if (classifier !== null && !isModel(classifier) && !(typeof classifier === "object" && "classify" in classifier))
    throw wrong("models.classifier", "is a model, a classifier, or null for nobody");
  if (typeof search !== "object" || typeof search.name !== "string" || typeof search.search !== "function")
    throw wrong("search", "is a provider: a name and a search function");
  if (!(Number.isFinite(dispatchMs) && dispatchMs > 0)) throw wrong("dispatchMs", `is a number of milliseconds above 0, got ${String(dispatchMs)}`);
}

/**
 * Builds the context of a companion, with all defaults. Throws `agent.invalid` for an invalid part. The result is itself valid as {@link
 * CompanionOptions}, so single parts can be overridden.
 * @example createCompanion({ ...companionContext(), search: mySearch })
 */
export function companionContext(options: CompanionOptions = {}): CompanionContext {
  const { name = "companion", search = knowledgeBase(), skills = [], memory = {}, safety = {}, dispatchMs = 8_000, embedding, voice } = options;
  const { control = offlineModel(), response = control } = options.models ?? {};
  const offline = options.models?.control === undefined || control.name === offlineModelName;
  const { classifier = control } = options.models ?? {};
  checkContext({ models: { control, response, classifier }, search, dispatchMs });
  const extractor = options.extractor ?? (offline ? undefined : modelExtractor(control));
  return Object.freeze({
    name,
    models: Object.freeze({ control, response, classifier }),
    ...(embedding === undefined ? {} : { embedding }),
    ...(extractor === undefined ? {} : { extractor }),
    ...(voice === undefined ? {} : { voice }),
    search,
    skills: checkSkills(skills),
    memory,
    safety,
    dispatchMs,
    offline,
    agent_config: Object.freeze({ control: control.name, response: response.name, classifier: classifier?.name ?? "none", search: search.name }),
  });
}

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
    ...(context.voice === undefined ? {} : { onNewMessage: "supersede" as const }),
  });
}

/** Returns the stages of a turn in order. The safety stages run in every turn. Recall runs before the style stage, after all stages that answer directly. */
function stagesOf({ models: { control }, search, skills, dispatchMs: withinMs }: CompanionContext, given: GivenMemory) {
  const registry = exerciseRegistry([...exerciseCatalog, ...skills.flatMap(({ exercises }) => exercises)]);
  const requests = startRequests(registry.all);
  return [
    beginStage(),
    safetyFirstStage(),
    goOnStage(),
    greetStage(),
    memoryStage(),
    triageStage({ control, registry, requests, withinMs }),
    ...exerciseStages({ control, registry, requests }),
    lookupStage({ control, search }),
    ...(given.length === 0 ? [] : [givenMemoryStage(given)]),
    styleStage(),
  ];
}

/** Creates the reply loop. The model has all tools. The text of an answering tool becomes the reply verbatim. */
function replyOf({ models: { control, response }, search, skills, voice }: CompanionContext) {
  // Several skills can share a tool.
  const tools = [...memoryTools(), lookUpTool({ control, search }), ...new Set(skills.flatMap(({ tools }) => tools))];
  const speaking = voice?.speaking({ model: response, tools });
  return loop({
    model: speaking?.model ?? response,
    tools,
    exit: [exitOn.tools(...answeringTools), exitOn.text],
    hooks: [offerHook(skills), plainHook(), rerouteHook(), ...skillHook(skills), ...(speaking === undefined ? [] : [speaking.hook])],
  });
}

type GivenMemory = CompanionState["working_memory"];

/** Name of the stage. Recall runs before it, and finds nothing in a single turn. */
const givenStageName = "given_memory";

const givenMemoryStage = (given: GivenMemory): Stage<typeof Companion> =>
  stage(givenStageName, { state: Companion, writes: ["working_memory"] }, () => ({ working_memory: given }));
