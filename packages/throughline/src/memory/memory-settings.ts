import { defaultReadMs } from "../extension/forgotten.ts";
import type { Extension, ExtensionAgent } from "../extension/port.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { EmbeddingProvider } from "./embed.ts";
import type { RetrievalWeights } from "./recall/weights.ts";
import type { Locale } from "./text/locale.ts";
import type { Extractor } from "./write/check-candidate.ts";
import type { Vocabulary } from "./write/fact-vocabulary.ts";

/** Options of an agent's memory. */
export interface MemoryOptions {
  /** Token budget for recalled memory in a prompt, 50 to 20,000. Default 600, which was measured to fit 86 % of the evidence. */
  readonly tokens?: number;
  /** Maximum number of facts and turns per recall, 1 to 100. Default 20. */
  readonly items?: number;
  /** Maximum number of episodes per recall, in addition to the catch-up, 0 to 10. Default 2. */
  readonly episodes?: number;
  /** Age in days after which episodes are no longer found, except as the catch-up. Default 30. */
  readonly episodeDays?: number;
  /** Name of the stage before which recall runs. By default it runs after all stages and before the reply. */
  readonly before?: string;
  /** Whether replies are also remembered, for questions such as "what did you tell me". Default false. */
  readonly replies?: boolean;
  /** Languages of the users, from `throughline/memory`. Default: English, Spanish, German and Chinese. */
  readonly locales?: readonly Locale[];
  /** Weights of the recall ranking. Default: the measured ones. */
  readonly weights?: RetrievalWeights;
  /** Embedding model for the dense arm. By default there is none, and recall uses words only. */
  readonly embedding?: EmbeddingProvider;
  /** Milliseconds that a turn waits for the embedding of the message, 10 to 10,000. Default 300. After that, recall uses words only. */
  readonly embedDeadlineMs?: number;
  /**
   * Whether the message is embedded while the stages run, so that recall need not wait. Default false. The request starts after the gate and never in
   * an incognito session. It is cancelled if the turn recalls nothing.
   */
  readonly prefetch?: boolean;
  /**
   * Milliseconds that a turn waits for its memory to load, 10 to 60,000. Default 3,000. After that, the turn continues without recalled memory and
   * reports this.
   */
  readonly readDeadlineMs?: number;
  /** Finds facts and rules when an episode ends. The default extractor uses rules, needs no model and finds little. */
  readonly extractor?: Extractor;
  /** Categories, types and predicates of facts, and the predicates that hold one value at a time. */
  readonly vocabulary?: Vocabulary;
  /** Name of the state field that holds the turn's approach. Approaches are counted for the episode's arc. */
  readonly approach?: string;
}

/** Validated and frozen settings of an agent's memory. */
export interface MemorySettings extends Required<
  Omit<MemoryOptions, "before" | "locales" | "weights" | "embedding" | "extractor" | "vocabulary" | "approach">
> {
  readonly type: "memory";
  readonly before: string | undefined;
  readonly locales: readonly Locale[] | undefined;
  readonly weights: RetrievalWeights | undefined;
  readonly embedding: EmbeddingProvider | undefined;
  readonly extractor: Extractor | undefined;
  readonly vocabulary: Vocabulary | undefined;
  readonly approach: string | undefined;
  /** Returns the memory as an extension of its agent. */
  extension(): Extension;
}

const optionNames = [
  ...["tokens", "items", "episodes", "episodeDays", "before", "replies", "locales", "weights", "embedding", "embedDeadlineMs", "readDeadlineMs"],
  ...["extractor", "vocabulary", "approach", "prefetch"],
];

const wrong = (message: string): ThroughlineError => new ThroughlineError("memory.invalid", message);

function number(name: string, value: unknown, { from, to }: { readonly from: number; readonly to: number }): number {
  if (Number.isInteger(value) && Number(value) >= from && Number(value) <= to) return Number(value);
  throw wrong(`memory's ${name} is a whole number from ${from} to ${to.toLocaleString("en")}, got ${seen(value)}.`);
}

function name(option: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return value;
  throw wrong(`memory's ${option} is a name, got ${seen(value)}.`);
}

/** Returns the memory settings of an agent, or undefined if it has no memory. */
export function memoryOf(agent: Pick<ExtensionAgent, "extensions"> | undefined): MemorySettings | undefined {
  const settings = agent?.extensions.find(({ name: known }) => known === "memory")?.settings;
  return isPlainObject(settings) && settings["type"] === "memory" ? (settings as unknown as MemorySettings) : undefined;
}

/** Validates the options and applies defaults. Throws `memory.invalid`, which names the invalid option. */
export function settingsFrom(options: MemoryOptions): Omit<MemorySettings, "extension"> {
  checkOptions(options);
  const {
    tokens = 600,
    items = 20,
    episodes = 2,
    episodeDays = 30,
    replies = false,
    embedDeadlineMs = 300,
    readDeadlineMs = defaultReadMs,
  } = options;
  const { before, locales, weights, embedding, extractor, vocabulary, approach, prefetch = false } = options;
  return Object.freeze({
    type: "memory",
    tokens: number("tokens", tokens, { from: 50, to: 20_000 }),
    items: number("items", items, { from: 1, to: 100 }),
    episodes: number("episodes", episodes, { from: 0, to: 10 }),
    episodeDays: number("episodeDays", episodeDays, { from: 1, to: 36_500 }),
    embedDeadlineMs: number("embedDeadlineMs", embedDeadlineMs, { from: 10, to: 10_000 }),
    readDeadlineMs: number("readDeadlineMs", readDeadlineMs, { from: 10, to: 60_000 }),
    before: name("before", before),
    approach: name("approach", approach),
    replies,
    prefetch,
    locales: locales === undefined ? undefined : Object.freeze([...locales]),
    weights,
    embedding,
    extractor,
    vocabulary,
  });
}

function checkOptions(options: unknown): void {
  if (!isPlainObject(options)) throw wrong(`memory takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw wrong(`memory has no option ${seen(unknown)}; it has ${optionNames.join(", ")}.`);
  const { replies = false, prefetch = false, extractor, embedding, locales } = options;
  if (typeof replies !== "boolean") throw wrong(`memory's replies is true or false, got ${seen(replies)}.`);
  if (typeof prefetch !== "boolean") throw wrong(`memory's prefetch is true or false, got ${seen(prefetch)}.`);
  if (extractor !== undefined && !has(extractor, { extract: "function" }))
    throw wrong(`memory's extractor has a function extract, got ${seen(extractor)}.`);
  if (embedding !== undefined && !has(embedding, { embed: "function", id: "string" }))
    throw wrong(`memory's embedding is an embedding provider, got ${seen(embedding)}.`);
  if (locales !== undefined && (!Array.isArray(locales) || locales.length === 0))
    throw wrong(`memory's locales are at least one, got ${seen(locales)}.`);
}

const has = (value: unknown, members: Readonly<Record<string, "function" | "string">>): boolean =>
  typeof value === "object" && value !== null && Object.entries(members).every(([name, type]) => typeof Reflect.get(value, name) === type);
