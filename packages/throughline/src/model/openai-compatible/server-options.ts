import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { callSettings, type CallSettings, type ModelCallOptions } from "../call/call-options.ts";

/** The address of a server, and the data of every request to it. */
export interface ModelServerOptions {
  /** What the adapter's path is added to, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. A query is kept. */
  readonly baseURL: string;
  /** Sent as a bearer token; a function is asked before every request. It is never logged and in no error. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** Sent with every request, in the place of the adapter's own header of that name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of {@link openaiCompatible}. */
export interface OpenaiCompatibleOptions extends ModelCallOptions, ModelServerOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Sent with every request, such as `{ temperature: 0 }`; what the adapter itself sets stays. */
  readonly parameters?: JsonObject;
  /** Shown to people; the model and the host by default. */
  readonly name?: string;
}

/** Where to send, checked. The key is not in it: it is asked for when a request is sent. */
export interface Endpoint {
  readonly url: string;
  /** Host and port: all of the address that errors show. */
  readonly host: string;
  /** The headers of a request, with the key. */
  readonly headers: () => Promise<Headers>;
  readonly fetch: typeof globalThis.fetch;
}

/** Where and how to send, checked. */
export interface Service extends Endpoint {
  readonly model: string;
  readonly name: string;
  readonly settings: CallSettings;
  readonly parameters: JsonObject;
}

/** Which adapter it is, the path that it asks for and the kind of answer that it takes. */
export interface Route {
  readonly adapter: string;
  readonly path: string;
  readonly accept: string;
}

/** Checks the options; `input.invalid` if one is wrong. */
export function serviceOf(options: OpenaiCompatibleOptions): Service {
  const { parameters = {} } = options;
  const endpoint = endpointOf({ adapter: "openaiCompatible", path: "/chat/completions", accept: "text/event-stream" }, options);
  const model = modelName("openaiCompatible", options.model);
  return {
    ...endpoint,
    model,
    name: options.name ?? `${model} at ${endpoint.host}`,
    settings: callSettings("openaiCompatible", options),
    parameters,
  };
}

/** The name of a model; `input.invalid` if there is none. */
export function modelName(adapter: string, model: string): string {
  if (typeof model === "string" && model.trim() !== "") return model;
  throw invalid(adapter, "model", `is ${seen(model)}`, "Name a model that the server has.");
}

/** Where an adapter sends its requests, checked; `input.invalid` if an option is wrong, without its value where that may be a secret. */
export function endpointOf({ adapter, path, accept }: Route, options: ModelServerOptions): Endpoint {
  const { baseURL, apiKey, headers = {}, fetch = (...call) => globalThis.fetch(...call) } = options;
  const url = addressOf(adapter, baseURL, path);
  if (typeof apiKey === "string") checkKey(adapter, apiKey);
  // Made once here, so that a wrong one is told of now, and without its value.
  const own = ownHeaders(adapter, headers);
  return {
    url: url.href,
    host: url.host,
    headers: async () => {
      const all = new Headers({ accept, "content-type": "application/json" });
      const key = typeof apiKey === "function" ? await apiKey() : apiKey;
      if (key !== undefined && key.trim() !== "") all.set("authorization", `Bearer ${checkKey(adapter, key)}`);
      for (const [name, value] of own) all.set(name, value);
      return all;
    },
    fetch,
  };
}

function addressOf(adapter: string, baseURL: string, path: string): URL {
  const url = URL.parse(baseURL);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalid(adapter, "baseURL", "is no http or https address", "For example: https://api.openai.com/v1");
  if (url.username !== "" || url.password !== "")
    throw invalid(adapter, "baseURL", "holds a user name or a password", "Give them as a header: { authorization: … }");
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  url.hash = "";
  return url;
}

/** The key without the line end that files and terminals add. What cannot stand in a header is refused without being shown. */
function checkKey(adapter: string, key: string): string {
  const clean = key.trim();
  if (/^[\u0021-\u007e]*$/.test(clean)) return clean;
  throw invalid(adapter, "apiKey", "holds a space, a line end or a letter that no key has", "Copy it again.");
}

function ownHeaders(adapter: string, headers: Readonly<Record<string, string>>): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      own.set(name, value);
    } catch {
      throw invalid(adapter, "headers", `holds a name or a value that HTTP does not allow (${seen(name)})`, "Correct it; the value is not shown.");
    }
  }
  return own;
}

const invalid = (adapter: string, option: string, what: string, hint: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `${adapter}: ${option} ${what}.`, { hint, details: { path: option } });
