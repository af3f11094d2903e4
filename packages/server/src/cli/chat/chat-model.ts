/** Selects the model that answers in a chat. */
import { present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import { openaiCompatible, type Model, type Agent, loop } from "throughline";
import { quoted } from "../terminal-text.ts";

/** Command-line options for models. */
export interface ModelOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

/** A model name and the address of its server. */
export interface NamedModel {
  readonly model: string;
  readonly baseURL: string;
}

const ollamaAddress = "127.0.0.1:11434";
const defaultBaseURL = `http://${ollamaAddress}/v1`;

/** Timeout in milliseconds for detecting a local server. */
const lookMs = 300;

const set = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** The default address of a model server. */
const usualBaseURL = (environment: NodeJS.ProcessEnv): string => set(environment["THROUGHLINE_BASE_URL"]) ?? defaultBaseURL;

/**
 * The model that the options or the environment name. The environment applies only to the companion, because other agents configure their own model.
 * Throws `cli.usage` for an empty option or a base URL without a model.
 */
export function namedModel(options: ModelOptions, environment: NodeJS.ProcessEnv): NamedModel | undefined {
  for (const [option, value] of Object.entries({ "--model": options.model, "--base-url": options.baseUrl })) {
    if (value?.trim() === "") throw new ThroughlineError("cli.usage", `${option} is empty.`);
  }
  const model = options.model ?? (options.agent === undefined ? set(environment["THROUGHLINE_MODEL"]) : undefined);
  if (model !== undefined) return { model, baseURL: options.baseUrl ?? usualBaseURL(environment) };
  if (options.baseUrl === undefined) return undefined;
  throw new ThroughlineError("cli.usage", "--base-url needs a model.", { hint: "Name one: --model <name>" });
}

/** Creates the model with the API key from the environment. */
export function modelOf({ model, baseURL }: NamedModel, environment: NodeJS.ProcessEnv): Model {
  const apiKey = set(environment["THROUGHLINE_API_KEY"]);
  return openaiCompatible({ model, baseURL, ...present({ apiKey }) });
}

/** Replaces an agent's reply with one by another model. This works for every agent, because the reply is a value. */
export const withModel = (agent: Agent, named: NamedModel, environment: NodeJS.ProcessEnv): Agent =>
  Object.freeze({ ...agent, reply: loop({ model: modelOf(named, environment) }) });

/** The options that select this model again. */
export const optionsOf = ({ model, baseURL }: NamedModel, environment: NodeJS.ProcessEnv): readonly string[] => [
  `--model ${quoted(model)}`,
  ...(baseURL === usualBaseURL(environment) ? [] : [`--base-url ${quoted(baseURL)}`]),
];

/** Suggests a model of a local Ollama; undefined if there is none. Reads only the list of models, so no text reaches a model that the user did not choose. */
export async function localModel(environment: NodeJS.ProcessEnv): Promise<NamedModel | undefined> {
  const address = localAddress(environment["OLLAMA_HOST"]);
  if (address === undefined) return undefined;
  try {
    const response = await fetch(`http://${address}/api/tags`, { signal: AbortSignal.timeout(lookMs), redirect: "error" });
    const model = response.ok ? namesIn(await response.json()).find((name) => /^[\w./:@-]{1,100}$/.test(name) && !/embed/i.test(name)) : undefined;
    return model === undefined ? undefined : { model, baseURL: `http://${address}/v1` };
  } catch {
    return undefined;
  }
}

/** The address of Ollama if it runs on this machine. `OLLAMA_HOST` may name another machine or the address that Ollama binds to. */
function localAddress(named: string | undefined): string | undefined {
  const text = set(named);
  if (text === undefined) return ollamaAddress;
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (url === null || url.protocol !== "http:") return undefined;
  const port = url.port || (text.startsWith("http:") ? "80" : "11434");
  if (url.hostname === "0.0.0.0") return `127.0.0.1:${port}`;
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname) ? `${url.hostname}:${port}` : undefined;
}

function namesIn(tags: unknown): readonly string[] {
  const models: unknown = typeof tags === "object" && tags !== null && "models" in tags ? tags.models : [];
  return (Array.isArray(models) ? (models as readonly unknown[]) : []).flatMap((model) =>
    typeof model === "object" && model !== null && "name" in model && typeof model.name === "string" ? [model.name] : [],
  );
}
