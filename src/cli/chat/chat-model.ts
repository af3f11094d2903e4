/** Which model answers in a chat, and which could. */
import { ThroughlineError } from "throughline/kernel";
import { openaiCompatible, type Model, type Agent, loop } from "throughline";

/** What the command line says of models. */
export interface ModelOptions {
  readonly agent?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

/** A model that is named, behind an address. */
export interface NamedModel {
  readonly model: string;
  readonly baseURL: string;
}

const ollamaAddress = "127.0.0.1:11434";
const defaultBaseURL = `http://${ollamaAddress}/v1`;

/** Milliseconds in which a server on this machine answers, or is not there. */
const lookMs = 300;

const set = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** Where a model is when no option says it. */
const usualBaseURL = (environment: NodeJS.ProcessEnv): string => set(environment["THROUGHLINE_BASE_URL"]) ?? defaultBaseURL;

/** The model that is named, by options or by the environment. The environment names one for the companion alone: an agent of one's own has its own. */
export function namedModel(options: ModelOptions, environment: NodeJS.ProcessEnv): NamedModel | undefined {
  for (const [option, value] of Object.entries({ "--model": options.model, "--base-url": options.baseUrl })) {
    if (value?.trim() === "") throw new ThroughlineError("cli.usage", `${option} names nothing.`);
  }
  const model = options.model ?? (options.agent === undefined ? set(environment["THROUGHLINE_MODEL"]) : undefined);
  if (model !== undefined) return { model, baseURL: options.baseUrl ?? usualBaseURL(environment) };
  if (options.baseUrl === undefined) return undefined;
  throw new ThroughlineError("cli.usage", "--base-url says where, but not which model.", { hint: "Name one: --model <name>" });
}

/** The model that is named, with the key of the environment. */
export function modelOf({ model, baseURL }: NamedModel, environment: NodeJS.ProcessEnv): Model {
  const apiKey = set(environment["THROUGHLINE_API_KEY"]);
  return openaiCompatible({ model, baseURL, ...(apiKey === undefined ? {} : { apiKey }) });
}

/**
 * The agent with another model for its reply. The reply is a value, so this works with every agent, and an agent need not export a second form of itself.
 */
export const withModel = (agent: Agent, named: NamedModel, environment: NodeJS.ProcessEnv): Agent =>
  Object.freeze({ ...agent, reply: loop({ model: modelOf(named, environment) }) });

/** The options that name a model once more. */
export const optionsOf = ({ model, baseURL }: NamedModel, environment: NodeJS.ProcessEnv): readonly string[] => [
  `--model ${quoted(model)}`,
  ...(baseURL === usualBaseURL(environment) ? [] : [`--base-url ${quoted(baseURL)}`]),
];

const quoted = (word: string): string => (/^[\w./:@%=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** A model of an Ollama on this machine, to suggest; undefined if there is none. Reads only the list of models: no text goes to a model that nobody named. */
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

/** Where Ollama listens, if that is this machine. Its own variable may name another address, and also the one it binds to. */
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
