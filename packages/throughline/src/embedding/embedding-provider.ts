/** What every embedding model shares: its options, its batches, its checks, and trying again. */
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

/** Numbers of one vector, as a service returned them, unchecked. */
export type Numbers = ArrayLike<unknown>;

/** One request: the vectors of a few texts, in order. Throws `embedding.failed` or `embedding.invalid`, or the signal's reason as soon as it aborts. */
type EmbedBatch = (texts: readonly string[], options: { readonly kind: EmbeddingKind; readonly signal: AbortSignal }) => Promise<readonly Numbers[]>;

/** What adapters differ in. */
interface Embedding {
  readonly settings: EmbeddingSettings;
  readonly embedBatch: EmbedBatch;
  /** What the service itself takes at most, where only it knows. */
  readonly mostAtOnce?: () => PromiseLike<number | undefined> | number | undefined;
}

/** What all adapters do alike: prefixes, requests of no more than `maxBatch` texts, and vectors that are looked at and brought to length 1. */
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

/** Half a surrogate pair, which many servers refuse as no text, is replaced. What is blank has no meaning to embed, and is refused by most. */
function checkedText(text: unknown, at: number): string {
  if (typeof text === "string" && text.trim() !== "") return text.toWellFormed();
  throw new ThroughlineError(
    "input.invalid",
    `embed takes texts that say something; text ${at} is ${typeof text === "string" ? "blank" : seen(text)}.`,
  );
}

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
interface EmbeddingSettings {
  readonly id: string;
  /** Shown in errors. */
  readonly name: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly prefixes: Readonly<Record<EmbeddingKind, string>>;
  readonly call: CallSettings;
}

/** An adapter, and the defaults of its own. */
interface Adapter {
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

/** What one try came to. */
export type TryOutcome<Answer> = { readonly type: "answer"; readonly answer: Answer } | Failure;

/** How a request is made: `send` is one try, which rejects only when the signal aborts; `name` says in errors what was asked. */
interface Sending<Answer> {
  readonly name: string;
  readonly settings: CallSettings;
  readonly send: (signal: AbortSignal) => Promise<TryOutcome<Answer>>;
}

/** The answer to a request, which is repeated while that may help and the time allows it. Throws the last failure, or the signal's reason at once. */
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

/** The failure as the error that a caller gets; a request that is not to be repeated has no more tries to tell of. */
function errorOf({ code, message, hint, status, retry_after_ms }: Failure, attempts: number): ThroughlineError {
  return new ThroughlineError(code === "model.failed" ? "embedding.failed" : "embedding.invalid", message, {
    ...(hint === undefined ? {} : { hint }),
    details: { ...(status === undefined ? {} : { status }), ...(retry_after_ms === undefined ? {} : { retry_after_ms }), attempts },
  });
}
