/** Conformance checks for embedding providers, as a list that any test runner can loop over, and embedding models for tests. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { ErrorCode } from "../../kernel/error-catalogue.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../../memory/embed.ts";
import { checkedVector } from "../../memory/recall/dense.ts";

/** Faults of a service. */
export const embeddingFaults = [
  "401",
  "429",
  "500",
  "cut",
  "hang",
  "drip",
  "garbage",
  "no list",
  "huge",
  "too few",
  "too many",
  "wrong dimensions",
  "not a number",
  "zeros",
  "thrown",
] as const;
/**
 * A fault of a service: it rejects the request, closes the connection, hangs, sends slowly without end, or returns invalid content. Invalid content
 * is no JSON, no vectors, too much data, or vectors with invalid values.
 */
export type EmbeddingFault = (typeof embeddingFaults)[number];

/** A provider under test with a service that can be made to fail. */
export interface EmbeddingRig {
  /** Opens the provider with at most `maxBatch` texts per request, `timeoutMs` per request, and no retries. */
  open(options: { readonly maxBatch: number; readonly timeoutMs: number }): EmbeddingProvider | Promise<EmbeddingProvider>;
  /** Sets the fault of the service. Undefined restores its normal behavior. */
  misbehave(fault: EmbeddingFault | undefined): void;
  /** Faults that the service can simulate. Checks of other faults are skipped. Empty for a real service. */
  readonly faults: readonly EmbeddingFault[];
  /** Returns the number of texts in each request so far. Undefined if this cannot be observed. */
  sent?(): readonly number[];
  /** The key, which must not appear in any error. */
  readonly secret?: string;
  /** Closes the provider and the service. */
  close?(): Promise<void> | void;
}

/** One requirement of the embedding port. */
export interface EmbeddingCheck {
  readonly name: string;
  /** `rig` creates a new provider and a new service. */
  readonly run: (rig: () => EmbeddingRig | Promise<EmbeddingRig>) => Promise<void>;
}

const maxBatch = 3;
/** Timeout that is long enough for a correct response on a busy machine. */
const patientMs = [20_000];
/** Timeouts of checks that wait for one. A busy machine may exceed a short one where it should answer, so the check is repeated with a longer one. */
const impatientMs = [200, 2_000, 8_000];
const texts = [
  "Mel paints horses",
  "we moved to Lyon",
  "the tests ran all night",
  "旅行に行った",
  "Ich schlafe schlecht",
  "no one called",
  "half a 😀",
];
const said = "a sentence that nobody else says";

/** Error codes by fault. */
const outcomes: Readonly<Record<EmbeddingFault, ErrorCode>> = {
  "401": "embedding.failed",
  "429": "embedding.failed",
  "500": "embedding.failed",
  cut: "embedding.failed",
  hang: "embedding.failed",
  drip: "embedding.failed",
  thrown: "embedding.failed",
  garbage: "embedding.invalid",
  "no list": "embedding.invalid",
  huge: "embedding.invalid",
  "too few": "embedding.invalid",
  "too many": "embedding.invalid",
  "wrong dimensions": "embedding.invalid",
  "not a number": "embedding.invalid",
  zeros: "embedding.invalid",
};

/**
 * Returns the checks of the embedding port. Each takes a function that creates the rig: the provider under test with a service that can be made to
 * fail. A failed check rejects. Times are real: late responses are awaited for a fifth of a second, and on a busy machine for up to 8 seconds.
 *
 * ```ts
 * for (const { name, run } of embeddingChecks(faults)) test(name, () => run(() => myRig()));
 * ```
 */
export function embeddingChecks(faults: readonly EmbeddingFault[] = embeddingFaults): readonly EmbeddingCheck[] {
  return [...soundChecks, ...signalChecks, ...faults.map(faultCheck)];
}

type Body = (provider: EmbeddingProvider, rig: EmbeddingRig) => Promise<void>;

/** Creates a check with a new provider. */
const check = (name: string, body: Body, timeouts: readonly number[] = patientMs): EmbeddingCheck => ({
  name,
  async run(make) {
    for (const [at, timeoutMs] of timeouts.entries()) {
      const rig = await make();
      try {
        return await body(await rig.open({ maxBatch, timeoutMs }), rig);
      } catch (error) {
        if (at === timeouts.length - 1) throw error;
      } finally {
        await rig.close?.();
      }
    }
  },
});

const document = { kind: "document" } as const;

const soundChecks: readonly EmbeddingCheck[] = [
  check("is a frozen value with an id, dimensions and a limit", async (provider) => {
    ok(Object.isFrozen(provider));
    ok(provider.id !== "" && Number.isInteger(provider.dimensions) && provider.dimensions > 0);
    deepStrictEqual(provider.maxBatch, maxBatch);
  }),
  check("answers no texts with no vectors, and asks nobody", async (provider, rig) => {
    deepStrictEqual(await provider.embed([], document), []);
    deepStrictEqual(rig.sent?.() ?? [], []);
  }),
  check("gives vectors of its dimensions, of length 1", async (provider) => {
    for (const vector of await provider.embed(texts.slice(0, maxBatch), document)) {
      ok(vector instanceof Float32Array);
      deepStrictEqual(vector.length, provider.dimensions);
      ok(Math.abs(Math.hypot(...vector) - 1) < 1e-4, `a vector has length ${Math.hypot(...vector)}`);
    }
  }),
  check("answers in the order of the texts, of which it sends no more than its limit at once", async (provider, rig) => {
    const together = await provider.embed(texts, document);
    const sent = rig.sent?.() ?? [];
    ok(
      sent.every((count) => count <= maxBatch),
      `requests had ${sent.join(", ")} texts`,
    );
    deepStrictEqual(together.length, texts.length);
    for (const [at, text] of texts.entries()) {
      const [alone] = await provider.embed([text], document);
      const nearest = together.map((vector, place) => ({ place, score: cosine(alone, vector) })).toSorted((one, other) => other.score - one.score)[0];
      deepStrictEqual(nearest?.place, at, `text ${at} came as vector ${nearest?.place}`);
    }
  }),
  check("gives the same text the same vector, also twice in one call", async (provider) => {
    const [one, two, three] = await provider.embed([said, texts[0] ?? "", said], { kind: "query" });
    ok(cosine(one, three) > 0.999 && cosine(one, two) < 0.999);
  }),
  check("keeps the vectors that it has given as they are", async (provider) => {
    const [first] = await provider.embed([said], document);
    const before = [...(first ?? [])];
    await provider.embed(texts.slice(0, maxBatch), document);
    deepStrictEqual([...(first ?? [])], before);
  }),
  check("takes half a surrogate pair, and refuses what says nothing", async (provider) => {
    deepStrictEqual((await provider.embed(["half \ud83d of it"], document)).length, 1);
    for (const blank of ["", " \n"]) deepStrictEqual((await failureOf(provider.embed([said, blank], document))).code, "input.invalid");
  }),
  check("answers calls that overlap, each with its own", async (provider) => {
    const answers = await Promise.all(texts.map((text) => provider.embed([text], document)));
    const together = await provider.embed(texts, document);
    for (const [at, [vector]] of answers.entries()) ok(cosine(vector, together[at]) > 0.999, `call ${at} had the answer of another`);
  }),
];

const signalChecks: readonly EmbeddingCheck[] = [
  check("asks nobody when the signal has aborted before", async (provider, rig) => {
    const reason = new Error("stopped before");
    deepStrictEqual(await rejection(provider.embed([said], { kind: "query", signal: AbortSignal.abort(reason) })), reason);
    deepStrictEqual(rig.sent?.() ?? [], []);
  }),
  check(
    "stops at once when the signal aborts, and answers the next call",
    async (provider, rig) => {
      if (!rig.faults.includes("hang")) return;
      rig.misbehave("hang");
      const stop = new AbortController();
      const reason = new Error("stopped");
      const asked = rejection(provider.embed(texts, { kind: "query", signal: stop.signal }));
      await delay(40);
      stop.abort(reason);
      deepStrictEqual(await Promise.race([asked, delay(1_000, "still waiting")]), reason);
      rig.misbehave(undefined);
      await worksAgain(provider);
    },
    impatientMs,
  ),
];

/** Checks that a provider that failed once works again. */
async function worksAgain(provider: EmbeddingProvider): Promise<void> {
  deepStrictEqual((await provider.embed([said], document)).length, 1);
}

/**
 * Creates the check of a fault. The provider must soon throw an error with the right code, without the key and the text. It must work again when the
 * service does.
 */
function faultCheck(fault: EmbeddingFault): EmbeddingCheck {
  const late = fault === "hang" || fault === "drip";
  const body: Body = async (provider, rig) => {
    rig.misbehave(fault);
    const asked = failureOf(provider.embed([said, texts[0] ?? ""], document));
    const error = await Promise.race([asked, delay(10_000)]);
    ok(error !== undefined, "it did not answer");
    deepStrictEqual(error.code, outcomes[fault]);
    const shown = `${inspect(error, { depth: 8 })}\n${JSON.stringify(error)}\n${error.hint}\n${inspect(error.cause)}`;
    ok(rig.secret === undefined || !shown.includes(rig.secret), "the error shows the key");
    ok(!shown.includes(said), "the error shows the text");
    rig.misbehave(undefined);
    await worksAgain(provider);
  };
  return check(`tells of a service that does this wrong, and goes on after it: ${fault}`, body, late ? impatientMs : patientMs);
}

const cosine = (one: Float32Array | undefined, other: Float32Array | undefined): number =>
  (one ?? new Float32Array()).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "it answered",
    (error: unknown) => error,
  );

async function failureOf(promise: Promise<unknown>): Promise<ThroughlineError> {
  const error = await rejection(promise);
  ok(ThroughlineError.is(error), `it should fail as such, and not with ${inspect(error)}`);
  return error;
}

/** Options of the test models. */
export interface EmbeddingDoubleOptions {
  /** Default 512. */
  readonly dimensions?: number;
  /** Default 32. */
  readonly maxBatch?: number;
  /** Default: the name of the test model with its dimensions. */
  readonly id?: string;
}

/** FNV-1a, 32 bits: small and the same on every machine. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Returns the words of a text, and all their substrings of 3 to 5 letters. */
function featuresOf(text: string): readonly string[] {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [text];
  return words.flatMap((word) => {
    const letters = Array.from(`^${word}$`);
    const pieces = [3, 4, 5].flatMap((size) => letters.slice(size - 1).map((_, at) => letters.slice(at, at + size).join("")));
    return [`word ${word}`, ...pieces];
  });
}

function hashVector(text: string, dimensions: number): Float32Array {
  const sums = new Float32Array(dimensions);
  for (const feature of featuresOf(text)) {
    const hash = hashOf(feature);
    // The sign comes from a bit that does not choose the place, so that collisions do not only add up.
    const place = (hash >>> 1) % dimensions;
    sums[place] = (sums[place] ?? 0) + (hash & 1 ? 1 : -1);
  }
  // Features that cancel each other out would leave a zero vector, but every text needs a vector.
  if (sums.every((value) => value === 0)) sums[hashOf(text) % dimensions] = 1;
  return checkedVector(sums, dimensions, "The hash");
}

/**
 * Creates vectors from hashed words and letters. They are the same for the same text in every run, and similar for texts that share words. They do
 * not represent meaning and worsen a ranking by words. Use them to test the code around a model.
 */
export function hashEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  const { dimensions = 512, maxBatch = 32, id = `test-hash@${dimensions}` } = options;
  return Object.freeze({
    id,
    dimensions,
    maxBatch,
    embed: async (texts, { signal }) => {
      signal?.throwIfAborted();
      return texts.map((text) => hashVector(text, dimensions));
    },
  } satisfies EmbeddingProvider);
}

/** Creates a model that always fails with `error`, default `embedding.failed`. */
export function failingEmbedding(options: EmbeddingDoubleOptions & { readonly error?: unknown } = {}): EmbeddingProvider {
  const { error = new ThroughlineError("embedding.failed"), ...rest } = options;
  return double("failing", rest, () => Promise.reject(error));
}

/** Creates a model that takes `ms` milliseconds per call and stops immediately when the signal aborts. */
export function slowEmbedding(options: EmbeddingDoubleOptions & { readonly ms: number; readonly clock?: Clock }): EmbeddingProvider {
  const { ms, clock = systemClock, ...rest } = options;
  return double("slow", rest, async (right, signal) => {
    await clock.sleep(ms, signal);
    return right();
  });
}

/** Creates a model whose vectors have one number too many. */
export function wrongDimensionEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  return double("wrong-dimension", options, async (right) => (await right()).map((vector) => Float32Array.of(...vector, 1)));
}

/** Creates a model whose vectors contain NaN. */
export function nanEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  return double("nan", options, async (right) => (await right()).map((vector) => vector.with(0, Number.NaN)));
}

type Vectors = Promise<readonly Float32Array[]>;

/** Creates a faulty variant of the working test model. */
function double(
  name: string,
  { dimensions = 512, maxBatch = 32, id = `test-${name}@${dimensions}` }: EmbeddingDoubleOptions,
  embed: (right: () => Vectors, signal: AbortSignal | undefined) => Vectors,
): EmbeddingProvider {
  const sound = hashEmbedding({ dimensions, maxBatch, id });
  return Object.freeze({ ...sound, embed: (texts, options) => embed(() => sound.embed(texts, options), options.signal) } satisfies EmbeddingProvider);
}
