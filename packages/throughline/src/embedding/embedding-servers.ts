/** Embedding models behind a server: Ollama, and servers with OpenAI's interface. */
import type { Clock } from "../kernel/clock.ts";
import { abortable, abortableItems } from "../kernel/deadline.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../kernel/json.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { vectorFrom } from "../memory/recall/dense.ts";
import { failed, type Failure, unreadable } from "../model/call/call-failure.ts";
import { keyed, keyless, refusalOf, unconnected } from "../model/openai-compatible/completion-exchange.ts";
import { type Endpoint, endpointOf, modelName, type ModelServerOptions } from "../model/openai-compatible/server-options.ts";
import { embeddingProvider, type EmbeddingServiceOptions, embeddingSettings, type Numbers, repeated, type TryOutcome } from "./embedding-provider.ts";

/** Options of {@link openaiCompatibleEmbedding}. */
export interface OpenaiCompatibleEmbeddingOptions extends EmbeddingServiceOptions, ModelServerOptions {
  /** The server's name of the model. */
  readonly model: string;
  /** Requested number format: `float` by default. `base64` takes a quarter of the bytes if the server supports it. Both are accepted. */
  readonly encoding?: "float" | "base64";
  /** Sent with every request, such as `{ user: "…" }`. The adapter's own parameters take precedence. */
  readonly parameters?: JsonObject;
}

const adapter = "openaiCompatibleEmbedding";

/**
 * Creates an embedding model behind any server with OpenAI's `/embeddings`: OpenAI, vLLM, llama.cpp, LM Studio, LiteLLM and others. Defaults to 128
 * texts per request and 30,000 ms. Temporary failures are retried. Redirects are not followed. Throws `input.invalid` for a wrong option. `embed`
 * throws `embedding.failed` or `embedding.invalid`, which show the host and never the key, the texts or the server's response.
 * @example openaiCompatibleEmbedding({ baseURL: "https://api.openai.com/v1", model: "text-embedding-3-small", dimensions: 512, shorten: true, apiKey })
 */
export function openaiCompatibleEmbedding(options: OpenaiCompatibleEmbeddingOptions): EmbeddingProvider {
  const endpoint = endpointOf({ adapter, path: "/embeddings", accept: "application/json" }, options);
  const model = modelName(adapter, options.model);
  const { shorten = false, encoding = "float", parameters = {} } = options;
  const settings = embeddingSettings({ adapter, family: "openai", model, maxBatch: 128, timeoutMs: 30_000 }, options);
  const { dimensions, call } = settings;
  return embeddingProvider({
    settings: { ...settings, name: endpoint.host },
    async embedBatch(texts, { signal }) {
      const body = { ...parameters, model, input: texts, encoding_format: encoding, ...(shorten ? { dimensions } : {}) };
      const longest = longestAnswer(texts.length, dimensions);
      const send = (each: AbortSignal) => postJson(endpoint, body, { clock: call.clock, signal: each, longest });
      const answer = await repeated({ name: endpoint.host, settings: call, send }, signal);
      return vectorsOf(answer, { host: endpoint.host, dimensions });
    },
  });
}

interface From {
  readonly host: string;
  readonly dimensions: number;
}

/** Returns the vectors in the order of the texts. Each vector has the index of its text, because a server may return them in any order. */
function vectorsOf(answer: unknown, { host, dimensions }: From): readonly Numbers[] {
  const data: unknown = isPlainObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data)) throw new ThroughlineError("embedding.invalid", `${host} sent no list of vectors.`);
  const places = new Map<number, Numbers>();
  for (const [at, item] of data.entries()) {
    const { index = at, embedding }: Readonly<Record<string, unknown>> = isPlainObject(item) ? item : {};
    const place = typeof index === "number" ? index : Number.NaN;
    if (!Number.isInteger(place) || place < 0 || place >= data.length || places.has(place))
      throw new ThroughlineError("embedding.invalid", `${host} sent vectors that cannot be told apart: entry ${at} has no place of its own.`);
    places.set(place, numbersOf(embedding, { host, dimensions }));
  }
  return data.map((_, at) => places.get(at) ?? []);
}

function numbersOf(embedding: unknown, { host, dimensions }: From): Numbers {
  if (Array.isArray(embedding)) return embedding as readonly unknown[];
  const numbers = typeof embedding === "string" ? vectorFrom(embedding, dimensions) : undefined;
  if (numbers !== undefined) return numbers;
  throw new ThroughlineError("embedding.invalid", `${host} sent a vector that is neither a list nor ${dimensions} numbers in base64.`);
}

/** Options of {@link ollamaEmbedding}. */
export interface OllamaEmbeddingOptions extends EmbeddingServiceOptions, Omit<ModelServerOptions, "baseURL"> {
  /** The model's name, such as `nomic-embed-text`. */
  readonly model: string;
  /** Address of the server. Defaults to `http://127.0.0.1:11434`. */
  readonly baseURL?: string;
  /** How long the model stays loaded after a request, such as `"30m"` or seconds; below 0 forever. Defaults to the server's five minutes. */
  readonly keepAlive?: string | number;
  /** Parameters of the model, as in a Modelfile. */
  readonly parameters?: JsonObject;
}

const ollamaAdapter = "ollamaEmbedding";

/**
 * Creates an embedding model on an Ollama server, over `/api/embed`. The server cuts texts that are too long for the model. Defaults to 32 texts per
 * request and 120,000 ms, because a server may have to load the model first. Throws `input.invalid` for a wrong option. `embed` throws
 * `embedding.failed` or `embedding.invalid`, which show the host and never the texts.
 * @example ollamaEmbedding({ model: "nomic-embed-text", dimensions: 768, queryPrefix: "search_query: ", documentPrefix: "search_document: " })
 */
export function ollamaEmbedding(options: OllamaEmbeddingOptions): EmbeddingProvider {
  const { baseURL = "http://127.0.0.1:11434", shorten = false, keepAlive, parameters } = options;
  const endpoint = endpointOf({ adapter: ollamaAdapter, path: "/api/embed", accept: "application/json" }, { ...options, baseURL });
  const model = modelName(ollamaAdapter, options.model);
  const settings = embeddingSettings({ adapter: ollamaAdapter, family: "ollama", model, maxBatch: 32, timeoutMs: 120_000 }, options);
  const { dimensions, call } = settings;
  return embeddingProvider({
    settings: { ...settings, name: endpoint.host },
    async embedBatch(texts, { signal }) {
      const body = {
        model,
        input: texts,
        truncate: true,
        ...(shorten ? { dimensions } : {}),
        ...present({ keep_alive: keepAlive, options: parameters }),
      };
      const longest = longestAnswer(texts.length, dimensions);
      const send = (each: AbortSignal) => postJson(endpoint, body, { clock: call.clock, signal: each, longest });
      return ollamaVectors(await repeated({ name: endpoint.host, settings: call, send }, signal), endpoint.host);
    },
  });
}

function ollamaVectors(answer: unknown, host: string): readonly Numbers[] {
  const vectors: unknown = isPlainObject(answer) ? answer["embeddings"] : undefined;
  if (Array.isArray(vectors) && vectors.every((vector): vector is unknown[] => Array.isArray(vector))) return vectors;
  throw new ThroughlineError("embedding.invalid", `${host} sent no list of vectors.`);
}

/** How to read one response. */
interface Reading {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum bytes of a valid response. */
  readonly longest: number;
}

/** Maximum bytes of a response with this number of vectors, as JSON with any indentation. */
const longestAnswer = (vectors: number, dimensions: number): number => 65_536 + vectors * (1_024 + dimensions * 64);

/** Sends and receives JSON. Redirects are not followed, because they would send the key elsewhere. Throws only the signal's reason. */
async function postJson(endpoint: Endpoint, body: JsonObject, { clock, signal, longest }: Reading): Promise<TryOutcome<unknown>> {
  const { host, url, fetch } = endpoint;
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  let begun = false;
  try {
    const headers = await keyed(endpoint, stop);
    if (headers === undefined) return keyless();
    const request = { method: "POST", redirect: "manual", headers, body: JSON.stringify(body), signal: stop } as const;
    const response = await abortable(fetch(url, request), stop);
    if (!response.ok) return refused(await abortable(refusalOf(response, { host, clock }), stop), host);
    begun = true;
    const text = await textOf(response, { stop, longest });
    return text === undefined ? tooLong(host, longest) : parsed(text, host);
  } catch (error) {
    signal.throwIfAborted();
    return begun ? failed(`${host} ended its answer before it was finished.`, { again: true }) : unconnected(host, error);
  } finally {
    // Closes the connection if the response was not read to its end.
    left.abort();
  }
}

const refused = (refusal: Awaited<ReturnType<typeof refusalOf>>, host: string): Failure =>
  refusal.type === "failure" ? refusal : failed(`A filter of ${host} refused a text.`, { again: false, status: 400 });

const tooLong = (host: string, longest: number): Failure =>
  unreadable(`${host} sent more than ${longest} bytes, which is more than these vectors can be.`, {
    again: false,
    hint: "Check the model's name and its dimensions.",
  });

/** Returns the body as text, or undefined if it is too long. */
async function textOf(response: Response, { stop, longest }: { readonly stop: AbortSignal; readonly longest: number }): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let length = 0;
  if (response.body === null) return "";
  for await (const bytes of abortableItems<Uint8Array>(response.body, stop)) {
    length += bytes.byteLength;
    if (length > longest) return undefined;
    pieces.push(decoder.decode(bytes, { stream: true }));
  }
  return pieces.join("") + decoder.decode();
}

function parsed(text: string, host: string): TryOutcome<unknown> {
  try {
    return { type: "answer", answer: JSON.parse(text) as unknown };
  } catch {
    return unreadable(`${host} sent something that is not JSON.`, { again: false, hint: "Check the base URL." });
  }
}
