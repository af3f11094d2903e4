import { type Model, openaiCompatible } from "throughline";

/**
 * The language model that THROUGHLINE_MODEL names, behind THROUGHLINE_BASE_URL, any server of OpenAI's chat completions; the default is Ollama on this
 * machine. Undefined without THROUGHLINE_MODEL.
 */
export function languageModel(): Model | undefined {
  const { THROUGHLINE_MODEL: model, THROUGHLINE_BASE_URL: baseURL = "http://127.0.0.1:11434/v1", THROUGHLINE_API_KEY: apiKey } = process.env;
  return model === undefined ? undefined : openaiCompatible({ model, baseURL, ...(apiKey === undefined ? {} : { apiKey }) });
}
