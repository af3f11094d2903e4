/** What a companion runs with: frozen, and each part replaceable by itself. */
import { type Model, ThroughlineError } from "throughline";
import { type EmbeddingProvider, type Extractor, type MemoryOptions, modelExtractor } from "throughline/memory";
import type { ClassifierGiven, GateOptions } from "./companion-gate.ts";
import type { SearchProvider } from "./lookup/grounding.ts";
import { knowledgeBase } from "./lookup/knowledge-base.ts";
import { offlineModel, offlineModelName } from "./offline/offline-model.ts";
import { checkSkills, type Skill } from "./skills.ts";

/** Models, each of them separately replaceable. */
export interface CompanionModels {
  /** Answers the structured calls: triage, style, exercises, lookup. The offline rules by default. */
  readonly control?: Model;
  /** Writes the replies, with all tools; the control model by default. */
  readonly response?: Model;
  /** Judges messages beside the screen; the control model by default, whose name is in every assessment. `null`: nobody, and what is unclear is asked about. */
  readonly classifier?: ClassifierGiven | null;
}

/** What of a companion can be chosen; everything has a default that needs no key and no network. */
export interface CompanionOptions {
  /** Name of the agent; `companion` by default. */
  readonly name?: string;
  readonly models?: CompanionModels;
  /** Vectors for recall; by words alone without. */
  readonly embedding?: EmbeddingProvider;
  /** Finds what is worth remembering: the control model by default, rules where that is the offline rules. */
  readonly extractor?: Extractor;
  /** Where facts are looked up; the companion's own knowledge base by default. */
  readonly search?: SearchProvider;
  readonly skills?: readonly Skill[];
  /** Options of the memory besides. */
  readonly memory?: Omit<MemoryOptions, "approach" | "before" | "embedding" | "extractor">;
  /** Options of the gate; it cannot be left out. */
  readonly safety?: GateOptions;
  /** Milliseconds that triage, and then the choice of a style, may take; 8,000 by default. A reply does not depend on either. */
  readonly dispatchMs?: number;
}

/** What a companion runs with. */
export interface CompanionContext extends Required<Omit<CompanionOptions, "models" | "embedding" | "extractor">> {
  readonly models: { readonly control: Model; readonly response: Model; readonly classifier: ClassifierGiven | null };
  readonly embedding?: EmbeddingProvider;
  readonly extractor?: Extractor;
  /** Whether it is the offline rules that answer. */
  readonly offline: boolean;
  /** What it is made of, by name, for people. */
  readonly agent_config: { readonly control: string; readonly response: string; readonly classifier: string; readonly search: string };
}

const isModel = (value: unknown): boolean => typeof value === "object" && value !== null && "stream" in value && typeof value.stream === "function";

const wrong = (path: string, what: string): ThroughlineError =>
  new ThroughlineError("agent.invalid", `The companion's ${path} ${what}.`, { details: { path } });

/** What is told too late otherwise: a search that cannot search fails only in the turn that needs it. */
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
 * What a companion runs with, with every default in place. `agent.invalid` says which part is wrong. It is itself what {@link CompanionOptions} are, so one part can be replaced by another.
 * @example createCompanion({ ...companionContext(), search: mySearch })
 */
export function companionContext(options: CompanionOptions = {}): CompanionContext {
  const { name = "companion", search = knowledgeBase(), skills = [], memory = {}, safety = {}, dispatchMs = 8_000, embedding } = options;
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
    search,
    skills: checkSkills(skills),
    memory,
    safety,
    dispatchMs,
    offline,
    agent_config: Object.freeze({ control: control.name, response: response.name, classifier: classifier?.name ?? "none", search: search.name }),
  });
}
