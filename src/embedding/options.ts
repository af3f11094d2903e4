import { createHash } from "node:crypto";
import type { Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Random } from "../kernel/random.ts";
import type { EmbeddingKind } from "../memory/embed.ts";
import { callSettings, type CallSettings } from "../model/call/options.ts";

/** What all adapters of embedding models take. Times are milliseconds. */
export interface EmbeddingOptions {
  /** Length of the model's vectors, 1 to 16,384; an answer of another length is `embedding.invalid`. */
  readonly dimensions: number;
  /** Texts of one request, 1 to 2,048; more are sent in several, one after the other. The default is the adapter's. */
  readonly maxBatch?: number;
  /** Put before a text that is a question, such as `"search_query: "`; models that were trained with one are poor without it. None by default. */
  readonly queryPrefix?: string;
  /** The same before a text that is remembered, such as `"search_document: "`. */
  readonly documentPrefix?: string;
  /** Told apart in the id: whatever else changes the vectors, such as the date of the weights. None by default. */
  readonly revision?: string;
  /** For one request, every try included; the default is the adapter's. */
  readonly timeoutMs?: number;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
}

/** Options of embedding adapters. */
export interface EmbeddingServiceOptions extends EmbeddingOptions {
  /**
   * Asks the model for vectors of so many `dimensions`, which those that were trained for it (Matryoshka) can give; false by default, since many
   * servers refuse a request that says so.
   */
  readonly shorten?: boolean;
  /** How often a request is repeated that failed in a way that may pass; 2 by default, 0 for never. */
  readonly retries?: number;
  /** Randomness for the pauses between tries; the machine's by default. */
  readonly random?: Random;
}

/** The options, checked and complete. */
export interface EmbeddingSettings {
  readonly id: string;
  /** Shown in errors. */
  readonly name: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly prefixes: Readonly<Record<EmbeddingKind, string>>;
  readonly call: CallSettings;
}

/** An adapter, and the defaults of its own. */
export interface Adapter {
  /** Name of its function: what errors of options begin with. */
  readonly adapter: string;
  /** What ids begin with. */
  readonly family: string;
  readonly model: string;
  readonly maxBatch: number;
  readonly timeoutMs: number;
}

const greatest = { dimensions: 16_384, maxBatch: 2_048 };

/** Checks the options of an adapter; `input.invalid` if one is wrong. */
export function embeddingSettings(
  adapter: Adapter,
  options: EmbeddingOptions & Pick<EmbeddingServiceOptions, "retries" | "random">,
): EmbeddingSettings {
  const { dimensions, maxBatch = adapter.maxBatch, queryPrefix = "", documentPrefix = "", revision, timeoutMs = adapter.timeoutMs } = options;
  const { retries, clock, random } = options;
  for (const [option, value] of Object.entries({ dimensions, maxBatch })) {
    const most = greatest[option === "dimensions" ? "dimensions" : "maxBatch"];
    if (!Number.isInteger(value) || value < 1 || value > most) throw wrong(adapter, option, value, `Give a whole number from 1 to ${most}.`);
  }
  for (const [option, value] of Object.entries({ queryPrefix, documentPrefix, revision: revision ?? "" })) {
    if (typeof value !== "string") throw wrong(adapter, option, value, "Give a text.");
  }
  const call = callSettings(adapter.adapter, {
    timeoutMs,
    ...(retries === undefined ? {} : { retries }),
    ...(clock === undefined ? {} : { clock }),
    ...(random === undefined ? {} : { random }),
  });
  const prefixes = Object.freeze({ query: queryPrefix, document: documentPrefix });
  return { id: idOf(adapter, { dimensions, revision, prefixes }), name: adapter.model, dimensions, maxBatch, prefixes, call };
}

interface Vectors {
  readonly dimensions: number;
  readonly revision: string | undefined;
  readonly prefixes: Readonly<Record<EmbeddingKind, string>>;
}

/**
 * The id names all that changes the vectors: `ollama:nomic-embed-text@768#v1.5#p-3f2a9c10`. Prefixes count by a hash, so that nobody has to remember to
 * raise a version; where the model runs does not, so that a server can be moved without embedding everything again.
 */
function idOf({ family, model }: Adapter, { dimensions, revision, prefixes }: Vectors): string {
  const version = revision === undefined || revision === "" ? "" : `#${revision}`;
  const plain = prefixes.query === "" && prefixes.document === "";
  const hash = createHash("sha256")
    .update(JSON.stringify([prefixes.query, prefixes.document]))
    .digest("hex")
    .slice(0, 8);
  return `${family}:${model}@${dimensions}${version}${plain ? "" : `#p-${hash}`}`;
}

const wrong = ({ adapter }: Adapter, option: string, value: unknown, hint: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `${adapter}: ${option} is ${seen(value)}.`, { hint, details: { path: option, seen: seen(value) } });
