import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { callSettings, type CallSettings, type ModelCallOptions } from "../call/options.ts";

/** Options of {@link openaiCompatible}. */
export interface OpenaiCompatibleOptions extends ModelCallOptions {
  /** What `/chat/completions` is added to, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. A query is kept. */
  readonly baseURL: string;
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Sent as a bearer token; a function is asked before every request. It is never logged and in no error. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>);
  /** Sent with every request, in the place of the adapter's own header of that name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with every request, such as `{ temperature: 0 }`; what the adapter itself sets stays. */
  readonly parameters?: JsonObject;
  /** Shown to people; the model and the host by default. */
  readonly name?: string;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Where and how to send, checked. The key is not in it: it is asked for when a request is sent. */
export interface Service {
  readonly url: string;
  /** Host and port: all of the address that errors show. */
  readonly host: string;
  readonly model: string;
  readonly name: string;
  readonly settings: CallSettings;
  readonly parameters: JsonObject;
  /** The headers of a request, with the key. */
  readonly headers: () => Promise<Headers>;
  readonly fetch: typeof globalThis.fetch;
}

/** Checks the options; `input.invalid` if one is wrong. */
export function serviceOf(options: OpenaiCompatibleOptions): Service {
  const { baseURL, model, apiKey, headers = {}, parameters = {}, fetch = (...call) => globalThis.fetch(...call) } = options;
  const url = addressOf(baseURL);
  if (typeof model !== "string" || model.trim() === "") throw invalid("model", `is ${seen(model)}`, "Name a model that the server has.");
  if (typeof apiKey === "string") checkKey(apiKey);
  // Made once here, so that a wrong one is told of now, and without its value.
  const own = ownHeaders(headers);
  return {
    url: url.href,
    host: url.host,
    model,
    name: options.name ?? `${model} at ${url.host}`,
    settings: callSettings("openaiCompatible", options),
    parameters,
    headers: async () => {
      const all = new Headers({ accept: "text/event-stream", "content-type": "application/json" });
      const key = typeof apiKey === "function" ? await apiKey() : apiKey;
      if (key !== undefined && key.trim() !== "") all.set("authorization", `Bearer ${checkKey(key)}`);
      for (const [name, value] of own) all.set(name, value);
      return all;
    },
    fetch,
  };
}

function addressOf(baseURL: string): URL {
  const url = URL.parse(baseURL);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalid("baseURL", "is no http or https address", "For example: https://api.openai.com/v1");
  if (url.username !== "" || url.password !== "")
    throw invalid("baseURL", "holds a user name or a password", "Give them as a header: { authorization: … }");
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "")}/chat/completions`;
  url.hash = "";
  return url;
}

/** The key without the line end that files and terminals add. What cannot stand in a header is refused without being shown. */
function checkKey(key: string): string {
  const clean = key.trim();
  if (/^[\u0021-\u007e]*$/.test(clean)) return clean;
  throw invalid("apiKey", "holds a space, a line end or a letter that no key has", "Copy it again.");
}

function ownHeaders(headers: Readonly<Record<string, string>>): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      own.set(name, value);
    } catch {
      throw invalid("headers", `holds a name or a value that HTTP does not allow (${seen(name)})`, "Correct it; the value is not shown.");
    }
  }
  return own;
}

const invalid = (option: string, what: string, hint: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `openaiCompatible: ${option} ${what}.`, { hint, details: { path: option } });
