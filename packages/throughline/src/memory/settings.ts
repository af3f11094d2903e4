import { defaultReadMs } from "../extension/forgotten.ts";
import type { Extension, ExtensionAgent } from "../extension/port.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { EmbeddingProvider } from "./embed.ts";
import type { RetrievalWeights } from "./recall/weights.ts";
import type { Locale } from "./text/locale.ts";
import type { Extractor } from "./write/extraction.ts";
import type { Vocabulary } from "./write/vocabulary.ts";

/** What of an agent's memory can be chosen. */
export interface MemoryOptions {
  /** Tokens that recalled memory may have in a prompt, 50 to 20,000; 600 by default (what 86 % of the evidence fits into, measured). */
  readonly tokens?: number;
  /** At most so many facts and turns at once, 1 to 100; 20 by default. */
  readonly items?: number;
  /** At most so many episodes at once besides the catch-up, 0 to 10; 2 by default. */
  readonly episodes?: number;
  /** Episodes older than this many days are found no more, but as the catch-up; 30 by default. */
  readonly episodeDays?: number;
  /** Name of the stage that recall runs before. By default it runs after the stages, before the reply. */
  readonly before?: string;
  /** Whether replies are remembered too, to be found by "what did you tell me"; false by default. */
  readonly replies?: boolean;
  /** Languages of the people, from `throughline/memory`; English, Spanish, German and Chinese by default. */
  readonly locales?: readonly Locale[];
  /** How recall weighs things; the measured ones by default. */
  readonly weights?: RetrievalWeights;
  /** Vectors for the dense arm; none by default, and recall is by words alone. */
  readonly embedding?: EmbeddingProvider;
  /** Milliseconds that a turn waits for the vector of what was said, 10 to 10,000; 300 by default. Then recall goes on by words. */
  readonly embedDeadlineMs?: number;
  /**
   * Whether the vector of what was said is asked for before the stages run, beside them, so that recall need not wait for it; false by default. It is asked for after the
   * gate, never in an incognito session, and given up where the turn recalls nothing.
   */
  readonly prefetch?: boolean;
  /** Milliseconds that a turn waits for its memory to be read, 10 to 60,000; 3,000 by default. Then it goes on with nothing recalled, and says so. */
  readonly readDeadlineMs?: number;
  /** Finds what is worth remembering when an episode ends; rules by default, which need no model and find little. */
  readonly extractor?: Extractor;
  /** Categories, types and predicates of facts, and which predicates have one value at a time. */
  readonly vocabulary?: Vocabulary;
  /** Name of the field of the state that says which approach a turn took; counted for the episode's arc. */
  readonly approach?: string;
}

/** An agent's memory, checked and frozen. */
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
  /** The memory as an extension of its agent. */
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

/** The settings of an agent's memory; undefined for an agent without one. */
export function memoryOf(agent: Pick<ExtensionAgent, "extensions"> | undefined): MemorySettings | undefined {
  const settings = agent?.extensions.find(({ name: known }) => known === "memory")?.settings;
  return isPlainObject(settings) && settings["type"] === "memory" ? (settings as unknown as MemorySettings) : undefined;
}

/** Checks the options and fills in what is usual; `memory.invalid` names an option that is wrong. */
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
