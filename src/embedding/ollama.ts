import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject } from "../kernel/json.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { endpointOf, modelName, type ModelServerOptions } from "../model/openai-compatible/options.ts";
import { embeddingSettings, type EmbeddingServiceOptions } from "./options.ts";
import { longestAnswer, postJson } from "./post-json.ts";
import { embeddingProvider, type Numbers } from "./provider.ts";
import { repeated } from "./repeat.ts";

/** Options of {@link ollamaEmbedding}. */
export interface OllamaEmbeddingOptions extends EmbeddingServiceOptions, Omit<ModelServerOptions, "baseURL"> {
  /** The model's name, such as `nomic-embed-text`. */
  readonly model: string;
  /** Where the server is; `http://127.0.0.1:11434` by default. */
  readonly baseURL?: string;
  /** How long the model stays loaded after a request, such as `"30m"` or seconds, below 0 for ever; the server's five minutes by default. */
  readonly keepAlive?: string | number;
  /** Settings of the model, as a Modelfile has them. */
  readonly parameters?: JsonObject;
}

const adapter = "ollamaEmbedding";

/**
 * An embedding model on an Ollama server, by `/api/embed`. Texts that are longer than the model reads are cut by the server. 32 texts a request and 120,000 ms
 * by default, since a server may have to load the model first. Throws `input.invalid` for a wrong option; `embed` throws `embedding.failed` or
 * `embedding.invalid`, which show the host and nothing of the texts.
 * @example ollamaEmbedding({ model: "nomic-embed-text", dimensions: 768, queryPrefix: "search_query: ", documentPrefix: "search_document: " })
 */
export function ollamaEmbedding(options: OllamaEmbeddingOptions): EmbeddingProvider {
  const { baseURL = "http://127.0.0.1:11434", shorten = false, keepAlive, parameters } = options;
  const endpoint = endpointOf({ adapter, path: "/api/embed", accept: "application/json" }, { ...options, baseURL });
  const model = modelName(adapter, options.model);
  const settings = embeddingSettings({ adapter, family: "ollama", model, maxBatch: 32, timeoutMs: 120_000 }, options);
  const { dimensions, call } = settings;
  return embeddingProvider({
    settings: { ...settings, name: endpoint.host },
    async embedBatch(texts, { signal }) {
      const body = {
        model,
        input: texts,
        truncate: true,
        ...(shorten ? { dimensions } : {}),
        ...(keepAlive === undefined ? {} : { keep_alive: keepAlive }),
        ...(parameters === undefined ? {} : { options: parameters }),
      };
      const longest = longestAnswer(texts.length, dimensions);
      const send = (each: AbortSignal) => postJson(endpoint, body, { clock: call.clock, signal: each, longest });
      return vectorsOf(await repeated({ name: endpoint.host, settings: call, send }, signal), endpoint.host);
    },
  });
}

function vectorsOf(answer: unknown, host: string): readonly Numbers[] {
  const vectors: unknown = isPlainObject(answer) ? answer["embeddings"] : undefined;
  if (Array.isArray(vectors) && vectors.every((vector): vector is unknown[] => Array.isArray(vector))) return vectors;
  throw new ThroughlineError("embedding.invalid", `${host} sent no list of vectors.`);
}
