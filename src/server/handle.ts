/** One request from its first byte to its answer: who sends it, whether they may, what it holds, its handler, and the answer. */
import { ThroughlineError } from "../kernel/error.ts";
import type { Operation } from "../protocol/operation.ts";
import { operations, type OperationId } from "../protocol/operations.ts";
import type { Answer, Call, Handler } from "./call.ts";
import { allows, type Principal } from "./principal.ts";
import { bodyOf, ifVersionOf, queryOf, readBody } from "./read-request.ts";
import type { Service } from "./service.ts";
import { nameOf } from "./principal.ts";

/** What a request comes with besides itself. */
export interface Arrived {
  readonly request: Request;
  readonly request_id: string;
  readonly path: Readonly<Record<string, string>>;
  readonly cut?: (() => void) | undefined;
}

/** Answers a request of one operation. */
export async function handle(service: Service, id: OperationId, handler: Handler<Operation>, arrived: Arrived): Promise<Response> {
  const operation: Operation = operations[id];
  const { request, request_id, path } = arrived;
  const url = new URL(request.url);
  const principal = await principalOf(service, operation, request);
  service.rates.take(principal, id);
  const idempotencyKey = idempotencyKeyOf(request);
  const text = request.method === "GET" ? "" : await readBody(request, service.limits.bodyBytes);
  const call: Call<Operation> = {
    path,
    query: queryOf(operation, url) as never,
    body: bodyOf(operation, request, text) as never,
    principal,
    request_id,
    ifVersion: ifVersionOf(operation, request.headers),
    idempotencyKey: idempotencyKey === undefined ? undefined : `${nameOf(principal)} ${idempotencyKey}`,
    headers: request.headers,
    signal: AbortSignal.any([request.signal, service.draining]),
    cut: arrived.cut,
  };
  const answer = async (): Promise<Response> => responseOf(await handler(service, call));
  const response =
    idempotencyKey === undefined
      ? await answer()
      : await service.answered.once({ principal, operation: id, target: url.pathname + url.search, key: idempotencyKey, body: text }, answer);
  // Nobody reads the body of an answer to HEAD, so that a stream would never end.
  if (request.method === "HEAD") await response.body?.cancel();
  if (operation.audited === true) await service.audit.note({ principal, operation: id, path, status: response.status, request_id });
  return response;
}

async function principalOf(service: Service, operation: Operation, request: Request): Promise<Principal> {
  if (operation.scope === "open") return { type: "local" };
  const principal = await service.authenticator.authenticate(request, operation);
  const asCustomer = principal.type === "customer" || principal.type === "stream";
  if (asCustomer ? operation.customers === true : allows(principal, operation.scope)) return principal;
  const message = asCustomer ? "A customer's token does not allow that." : `That needs the scope ${operation.scope}.`;
  throw new ThroughlineError("auth.forbidden", message, { details: { scope: operation.scope } });
}

/** 1 to 200 printable characters. It names whatever changes something: sent twice, a PATCH that appends or a withdrawal would be done twice too. */
function idempotencyKeyOf(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null || request.method === "GET") return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new ThroughlineError("request.malformed", "An Idempotency-Key has 1 to 200 printable characters without spaces.");
}

function responseOf(answer: Answer<Operation> | Response): Response {
  if (answer instanceof Response) return answer;
  const { status, body, version, location } = answer as { readonly status: number; readonly body: unknown } & Answer<Operation>;
  const headers = new Headers({ "cache-control": "no-store" });
  if (version !== undefined) headers.set("etag", `"${version}"`);
  if (location !== undefined) headers.set("location", location);
  if (body === undefined) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  return new Response(JSON.stringify(body), { status, headers });
}
