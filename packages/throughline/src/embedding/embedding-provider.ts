/** The shared part of all embedding models: options, batches, checks and retries. */
import { present } from "../kernel/json.ts";
import { createHash } from "node:crypto";
import type { Clock } from "../kernel/clock.ts";
import { createDeadline } from "../kernel/deadline.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { Random } from "../kernel/random.ts";
import type { EmbeddingKind, EmbeddingProvider } from "../memory/embed.ts";
import { checkedVector } from "../memory/recall/dense.ts";
import { failed, type Failure } from "../model/call/call-failure.ts";
import { callSettings, type CallSettings } from "../model/call/call-options.ts";
import { pauseOf } from "../model/call/retry-call.ts";

/** The numbers of one vector from a service, unchecked. */
export type Numbers = ArrayLike<unknown>;

/**
 * Makes one request and returns the vectors of a few texts, in order. Throws `embedding.failed` or `embedding.invalid`, or the signal's reason as
 * soon as it aborts.
 */
type EmbedBatch = (texts: readonly string[], options: { readonly kind: EmbeddingKind; readonly signal: AbortSignal }) => Promise<readonly Numbers[]>;

/** The specific part of an adapter. */
interface Embedding {
  readonly settings: EmbeddingSettings;
  readonly embedBatch: EmbedBatch;
  /** Returns the service's own maximum, if only the service knows it. */
  readonly mostAtOnce?: () => PromiseLike<number | undefined> | number | undefined;
}

/**
 * Creates an embedding provider with the shared behavior: prefixes, requests of at most `maxBatch` texts, and vectors that are checked and normalized
 * to length 1.
 */
export function embeddingProvider({ settings, embedBatch, mostAtOnce }: Embedding): EmbeddingProvider {
  const { id, dimensions, maxBatch, prefixes, name } = settings;
  return Object.freeze({
    id,
    dimensions,
    maxBatch,
    async embed(texts, { kind, signal = new AbortController().signal }) {
      signal.throwIfAborted();
      const sent = texts.map((text, at) => prefixes[kind] + checkedText(text, at));
      const size = Math.max(1, Math.min(maxBatch, (await mostAtOnce?.()) ?? maxBatch));
      const vectors: Float32Array[] = [];
      for (let from = 0; from < sent.length; from += size) {
        const batch = sent.slice(from, from + size);
        const answer = await embedBatch(batch, { kind, signal });
        if (answer.length !== batch.length)
          throw new ThroughlineError("embedding.invalid", `${name} answered ${batch.length} texts with ${answer.length} vectors.`, {
            details: { texts: batch.length, vectors: answer.length },
          });
        vectors.push(...answer.map((numbers, at) => checkedVector(numbers, dimensions, `Vector ${from + at} of ${name}`)));
      }
      signal.throwIfAborted();
      return vectors;
    },
  } satisfies EmbeddingProvider);
}

/** Replaces unpaired surrogates, which many servers reject. Throws for a blank text, which has no meaning to embed and which most servers reject. */
function checkedText(text: unknown, at: number): string {
  if (typeof text === "string" && text.trim() !== "") return text.toWellFormed();
  throw new ThroughlineError(
    "input.invalid",
    `embed takes texts that say something; text ${at} is ${typeof text === "string" ? "blank" : seen(text)}.`,
  );
}

/** Options of all adapters of embedding models. Times are in milliseconds. */
export interface EmbeddingOptions {
  /** Length of the model's vectors, 1 to 16,384. A response with another length is `embedding.invalid`. */
  readonly dimensions: number;
  /** Maximum texts per request, 1 to 2,048. More texts are sent in several requests, one after the other. The adapter sets the default. */
  readonly maxBatch?: number;
  /** Prefix of a query text, such as `"search_query: "`. Models that were trained with a prefix perform poorly without it. Defaults to none. */
  readonly queryPrefix?: string;
  /** Prefix of a stored text, such as `"search_document: "`. */
  readonly documentPrefix?: string;
  /** Part of the id, for all other changes of the vectors, such as the date of the weights. Defaults to none. */
  readonly revision?: string;
  /** For one request, including retries. The adapter sets the default. */
  readonly timeoutMs?: number;
  /** Defaults to the system clock. */
  readonly clock?: Clock;
}

/** Options of embedding adapters. */
export interface EmbeddingServiceOptions extends EmbeddingOptions {
  /**
   * Requests vectors with `dimensions` numbers, which models with such training (Matryoshka) can produce. Defaults to false, because many servers
   * reject a request with this parameter.
   */
  readonly shorten?: boolean;
  /** Maximum retries of a request after a temporary failure. Defaults to 2; 0 disables them. */
  readonly retries?: number;
  /** Randomness for the delays between tries. Defaults to the system's. */
  readonly random?: Random;
}

/** The checked, complete options. */
interface EmbeddingSettings {
  readonly id: string;
  /** Shown in errors. */
  readonly name: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly prefixes: Readonly<Record<EmbeddingKind, string>>;
  readonly call: CallSettings;
}

/** An adapter with its defaults. */
interface Adapter {
  /** Name of its function, with which errors of options start. */
  readonly adapter: string;
  /** Prefix of ids. */
  readonly family: string;
  readonly model: string;
  readonly maxBatch: number;
  readonly timeoutMs: number;
}

const greatest = { dimensions: 16_384, maxBatch: 2_048 };

/** Checks the options of an adapter. Throws `input.invalid` if one is wrong. */
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
    ...present({ retries, clock, random }),
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
 * Returns an id that covers everything that changes the vectors: `ollama:nomic-embed-text@768#v1.5#p-3f2a9c10`. Prefixes enter as a hash, so that no
 * version has to be raised by hand. The server's address does not, so that a server can move without embedding everything again.
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

/** The result of one try. */
export type TryOutcome<Answer> = { readonly type: "answer"; readonly answer: Answer } | Failure;

/** How to make a request. `send` is one try, which rejects only when the signal aborts. `name` identifies the request in errors. */
interface Sending<Answer> {
  readonly name: string;
  readonly settings: CallSettings;
  readonly send: (signal: AbortSignal) => Promise<TryOutcome<Answer>>;
}

/** Returns the response to a request, with retries while they may help and time allows. Throws the last failure, or immediately the signal's reason. */
export async function repeated<Answer>({ name, settings, send }: Sending<Answer>, signal: AbortSignal): Promise<Answer> {
  const { clock, random, retries, timeoutMs } = settings;
  const end = clock.monotonic() + timeoutMs;
  const total = createDeadline(clock);
  total.within(timeoutMs, () => failed(`${name} did not answer within ${timeoutMs} ms.`, { again: false, hint: "Try again, or raise timeoutMs." }));
  const stop = AbortSignal.any([signal, total.signal]);
  let attempts = 0;
  try {
    for (;;) {
      attempts += 1;
      const outcome = await send(stop);
      if (outcome.type === "answer") return outcome.answer;
      const pause = pauseOf(outcome, attempts - 1, random);
      const over = pause === undefined || clock.monotonic() + pause >= end;
      if (!outcome.again || attempts > retries || over) throw errorOf(outcome, attempts);
      await clock.sleep(pause, stop);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (total.signal.aborted) throw errorOf(total.signal.reason as Failure, attempts);
    throw ThroughlineError.from(error, "embedding.failed");
  } finally {
    total.end();
  }
}

/** Converts a failure to an error for the caller. For a request without retries it has no number of tries. */
function errorOf({ code, message, hint, status, retry_after_ms }: Failure, attempts: number): ThroughlineError {
  return new ThroughlineError(code === "model.failed" ? "embedding.failed" : "embedding.invalid", message, {
    ...present({ hint }),
    details: { ...present({ status, retry_after_ms }), attempts },
  });
}
