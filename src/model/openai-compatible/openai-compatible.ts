import { answerWithRetries } from "../call/retry.ts";
import type { Model } from "../port.ts";
import { serviceOf, type OpenaiCompatibleOptions } from "./options.ts";
import { bodyOf } from "./request.ts";

/**
 * A model behind any server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, LM Studio and others. The sections of the
 * prompt become one system message, the answer is always streamed, and a call that fails before any text came is repeated. Redirects are not
 * followed. Throws `input.invalid` for a wrong option; a stream throws `model.failed` or `model.invalid_response` with `status`,
 * `retry_after_ms` and `attempts` as details, which show the host and never the key, the request or what the server wrote.
 * @example openaiCompatible({ baseURL: "http://127.0.0.1:11434/v1", model: "llama3.2" })
 */
export function openaiCompatible(options: OpenaiCompatibleOptions): Model {
  const service = serviceOf(options);
  const { host, name, settings } = service;
  const newId = (): string => `call_${Buffer.from(settings.random.bytes(12)).toString("hex")}`;
  return Object.freeze({
    name,
    stream: (request, { signal }) => {
      const body = JSON.stringify(bodyOf(request, service));
      // The wire is loaded with the first call: most programs that know this adapter use another one.
      const open = async function* (each: AbortSignal) {
        const [{ answerOf }, { exchange }] = await Promise.all([import("./answer.ts"), import("./exchange.ts")]);
        yield* answerOf(exchange(service, body, each), { host, newId });
      };
      return answerWithRetries({ name: host, settings, open }, signal);
    },
  } satisfies Model);
}
