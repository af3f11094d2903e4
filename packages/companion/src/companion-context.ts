/** The context of a companion: models, search, skills and options. It is frozen, and each part can be replaced. */
import { type Model, ThroughlineError } from "throughline";
import { type EmbeddingProvider, type Extractor, type MemoryOptions, modelExtractor } from "throughline/memory";
import type { ClassifierGiven, GateOptions } from "./companion-gate.ts";
import type { SearchProvider } from "./lookup/grounding.ts";
import { knowledgeBase } from "./lookup/knowledge-base.ts";
import { offlineModel, offlineModelName } from "./offline/offline-model.ts";
import { checkSkills, type Skill } from "./skills.ts";

/** Models. Each can be replaced separately. */
export interface CompanionModels {
  /** Answers the structured calls: triage, style, exercises, lookup. Default: the offline rules. */
  readonly control?: Model;
  /** Writes the replies, with all tools. Default: the control model. */
  readonly response?: Model;
  /**
   * Judges messages in addition to the screen. Default: the control model, whose name is on every assessment. `null`: no classifier, so the reply
   * asks about unclear messages.
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
  /** Milliseconds that triage and the choice of a style may each take; default 8,000. If either fails, the companion still replies. */
  readonly dispatchMs?: number;
}

/** The context of a companion, with all defaults. */
export interface CompanionContext extends Required<Omit<CompanionOptions, "models" | "embedding" | "extractor">> {
  readonly models: { readonly control: Model; readonly response: Model; readonly classifier: ClassifierGiven | null };
  readonly embedding?: EmbeddingProvider;
  readonly extractor?: Extractor;
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
