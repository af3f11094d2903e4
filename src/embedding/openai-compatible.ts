import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { vectorFrom } from "../memory/recall/vector.ts";
import { endpointOf, modelName, type ModelServerOptions } from "../model/openai-compatible/options.ts";
import { embeddingSettings, type EmbeddingServiceOptions } from "./options.ts";
import { longestAnswer, postJson } from "./post-json.ts";
import { embeddingProvider, type Numbers } from "./provider.ts";
import { repeated } from "./repeat.ts";

/** Options of {@link openaiCompatibleEmbedding}. */
export interface OpenaiCompatibleEmbeddingOptions extends EmbeddingServiceOptions, ModelServerOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** How the server is asked to write numbers: `float` by default; `base64` is a quarter of the bytes where it is known. Both are read. */
  readonly encoding?: "float" | "base64";
  /** Sent with every request, such as `{ user: "…" }`; what the adapter itself sets stays. */
  readonly parameters?: JsonObject;
}

const adapter = "openaiCompatibleEmbedding";

/**
 * An embedding model behind any server that speaks OpenAI's `/embeddings`: OpenAI, vLLM, llama.cpp, LM Studio, LiteLLM and others. 128 texts a request and
 * 30,000 ms by default; a request that fails in a way that may pass is repeated. Redirects are not followed. Throws `input.invalid` for a wrong option;
 * `embed` throws `embedding.failed` or `embedding.invalid`, which show the host and never the key, the texts or what the server wrote.
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

/** The vectors in the order of the texts: each says which text it is of, and a server may answer in any order. */
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
