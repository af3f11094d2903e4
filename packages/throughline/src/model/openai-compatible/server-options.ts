import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { callSettings, type CallSettings, type ModelCallOptions } from "../call/call-options.ts";

/** The address of a server, and the data of every request. */
export interface ModelServerOptions {
  /** Base of the adapter's path, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. A query is kept. */
  readonly baseURL: string;
  /** Sent as a bearer token. A function is called before every request. The key is never logged and in no error. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** Sent with every request. They replace the adapter's own headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests. Defaults to the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Options of {@link openaiCompatible}. */
export interface OpenaiCompatibleOptions extends ModelCallOptions, ModelServerOptions {
  /** The server's name of the model. */
  readonly model: string;
  /** Sent with every request, such as `{ temperature: 0 }`. The adapter's own parameters take precedence. */
  readonly parameters?: JsonObject;
  /** Display name. Defaults to the model and the host. */
  readonly name?: string;
}

/** A checked address. It does not contain the key, which is read when a request is sent. */
export interface Endpoint {
  readonly url: string;
  /** Host and port, the only part of the address in errors. */
  readonly host: string;
  /** Returns the headers of a request, with the key. */
  readonly headers: () => Promise<Headers>;
  readonly fetch: typeof globalThis.fetch;
}

/** A checked address with its request options. */
export interface Service extends Endpoint {
  readonly model: string;
  readonly name: string;
  readonly settings: CallSettings;
  readonly parameters: JsonObject;
}

/** The adapter, its path, and the accepted content type. */
export interface Route {
  readonly adapter: string;
  readonly path: string;
  readonly accept: string;
}

/** Checks the options. Throws `input.invalid` if one is wrong. */
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

/** Checks the name of a model. Throws `input.invalid` if there is none. */
export function modelName(adapter: string, model: string): string {
  if (typeof model === "string" && model.trim() !== "") return model;
  throw invalid(adapter, "model", `is ${seen(model)}`, "Name a model that the server has.");
}

/** Checks the address and the options of an adapter's requests. Throws `input.invalid` for a wrong option, without its value if that may be a secret. */
export function endpointOf({ adapter, path, accept }: Route, options: ModelServerOptions): Endpoint {
  const { baseURL, apiKey, headers = {}, fetch = (...call) => globalThis.fetch(...call) } = options;
  const url = addressOf(adapter, baseURL, path);
  if (typeof apiKey === "string") checkKey(adapter, apiKey);
  // Built once here, so that an invalid header is reported now, without its value.
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

/** Removes the line end that files and terminals add to a key. Throws for characters that a header cannot contain, without showing the key. */
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
