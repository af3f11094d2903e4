/** A call as it is sent: the same on every try. */
import { newKey } from "./ambient.ts";
import type { AnyCall } from "./operation-call.ts";
import { RequestError } from "./request-error.ts";

/** A request that can be sent any number of times. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request of a call. Whatever changes something names itself, so that the service tells a second try from a second request. */
export function outgoing(baseUrl: string, route: string, call: AnyCall): Outgoing {
  const { path = {}, query = {}, body, headers: more, ifVersion, idempotencyKey = newKey() } = call;
  const [method = "", template = ""] = route.split(" ");
  const address = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, path[name]));
  const headers = {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(method === "GET" ? {} : { "idempotency-key": idempotencyKey }),
    ...(ifVersion === undefined ? {} : { "if-match": `"${ifVersion}"` }),
    ...more,
  };
  return { method, url: baseUrl + address + search(query), headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** A part of a path. One that an address would lose, or read as "up", would be another request: it is refused here. */
function segment(name: string, value: string | undefined): string {
  if (typeof value === "string" && value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new RequestError({ code: "request.invalid", message: `${name} cannot be ${value === undefined ? "left out" : `"${value}"`}.` });
}

/** Parameters: what is undefined is left out, a list has commas between. */
function search(query: NonNullable<AnyCall["query"]>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}
