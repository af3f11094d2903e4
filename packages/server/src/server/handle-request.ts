/** Processes one request: authentication, rate limit, authorization, parsing, handler and response. */
import { extensionsWith, present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import { keepsAnswer, needsScope, type Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { statusOf } from "../protocol/wire-problem.ts";
import { UnconfirmedCaller } from "./auth/access.ts";
import { keyOf } from "./kept-answers.ts";
import { allows, customerOf, type Principal, requireScope } from "./principal.ts";
import {
  type Answer,
  bodyOf,
  type Call,
  type Handler,
  idempotencyKeyOf,
  ifVersionOf,
  isKnown,
  queryOf,
  readBody,
  readTag,
  traceparentOf,
} from "./request-call.ts";
import type { Service } from "./service.ts";
import { problemOf } from "./to-wire.ts";
import { createPatience, endless, limitedReply, type Patience, unverifiedReply, withReply } from "./unsaved-reply.ts";

/** Milliseconds to wait before a message to an agent with a gate is answered without the database. Writing the fallback log takes at most one more second. */
const messageMs = 5_000;

/** A request as the HTTP host delivers it. */
export interface Arrived {
  readonly request: Request;
  readonly request_id: string;
  readonly path: Readonly<Record<string, string>>;
  readonly cut?: (() => void) | undefined;
  /** Calls back when the response has ended, completely read or not. Calls back immediately if it already has. */
  readonly over?: ((listen: () => void) => void) | undefined;
  /** Called once the sender is known. */
  known?(principal: Principal): void;
}

/** A request whose sender is known. */
interface Admitted extends Arrived {
  readonly id: OperationId;
  readonly operation: Operation;
  readonly principal: Principal;
  readonly patience: Patience;
}

/** Answers a request of one operation. Errors become problem responses. */
export async function handle(service: Service, id: OperationId, handler: Handler<Operation>, arrived: Arrived): Promise<Response> {
  const headers = new Map<string, string>();
  const response = await admitted(service, id, handler, { arrived, headers }).catch((error: unknown) =>
    problemOf(error, { request_id: arrived.request_id, logger: service.logger }),
  );
  for (const [name, value] of headers) response.headers.set(name, value);
  // The client reads no body of a HEAD response, so a stream would never end.
  if (arrived.request.method === "HEAD") await response.body?.cancel();
  return response;
}

/** Authenticates the sender, counts the request and processes it. `headers` are added to every response. */
async function admitted(
  service: Service,
  id: OperationId,
  handler: Handler<Operation>,
  { arrived, headers }: { readonly arrived: Arrived; readonly headers: Map<string, string> },
): Promise<Response> {
  const operation: Operation = operations[id];
  const { path, request } = arrived;
  const patience = operation.takesMessage === true && hasGate(service) ? createPatience(service.clock, messageMs) : endless;
  const { principal, unconfirmed } = await patience.spend(callerOf(service, operation, request)).catch(async (error: unknown) => {
    throw await unverifiedReply(service, { path, request, patience }, id, error);
  });
  if (operation.scope !== "open") arrived.known?.(principal);
  const rate = unconfirmed === undefined ? await service.rates.take(principal, id) : service.rates.takeHere(principal, id);
  for (const [name, value] of Object.entries(rate.headers)) headers.set(name, value);
  if (rate.retryAfter !== undefined) {
    const error = new ThroughlineError("limit.rate", undefined, { details: { retry_after: rate.retryAfter } });
    throw rate.readable === true ? await limitedReply(service, { principal, path, request, patience }, id, error) : error;
  }
  if (unconfirmed !== undefined) throw await limitedReply(service, { principal, path, request, patience }, id, unconfirmed);
  const known = { ...arrived, id, operation, principal, patience };
  return operation.audited === true ? auditedAnswer(service, handler, known) : answerOf(service, handler, known);
}

/** Whether an agent can reply to a customer without the store. */
const hasGate = (service: Service): boolean => extensionsWith(service, "withoutStore").length > 0;

const anybody: Principal = { type: "local" };

/** Resolves the sender. `unconfirmed` is the reason why the store could not confirm the caller, who then receives only a fallback reply. */
async function callerOf(
  { authenticator }: Service,
  operation: Operation,
  request: Request,
): Promise<{ readonly principal: Principal; readonly unconfirmed?: unknown }> {
  if (operation.scope === "open") return { principal: anybody };
  try {
    return { principal: await authenticator.authenticate(request, operation) };
  } catch (error) {
    if (error instanceof UnconfirmedCaller) return { principal: error.principal, unconfirmed: error.cause };
    throw error;
  }
}

/** Answers an audited request and records its outcome, including failures. */
async function auditedAnswer(service: Service, handler: Handler<Operation>, request: Admitted): Promise<Response> {
  const { principal, id, path, request_id } = request;
  const note = await service.audit.begin({ principal, operation: id, path, request_id });
  let objects: Answer<Operation>["objects"];
  const observed: Handler<Operation> = async (...given) => {
    const answer = await handler(...given);
    if (!(answer instanceof Response)) ({ objects } = answer);
    return answer;
  };
  let response: Response;
  try {
    response = await answerOf(service, observed, request);
  } catch (error) {
    await note({ status: statusOf(ThroughlineError.from(error).code) });
    throw error;
  }
  const location = response.headers.get("location");
  await note({ status: response.status, ...(location === null ? {} : { location }), ...present({ objects }) });
  return response;
}

/** Answers a request whose sender is known. */
async function answerOf(service: Service, handler: Handler<Operation>, admitted: Admitted): Promise<Response> {
  const { request, request_id, path, id, operation, principal, patience } = admitted;
  authorize(principal, operation);
  const url = new URL(request.url);
  const key = idempotencyKeyOf(request);
  const body = await readBody(request, service.limits.bodyBytes);
  try {
    const call = callOf(service, admitted, { url, key, body });
    authorizeMembers(principal, operation, call);
    const answer = async (): Promise<Response> => responseOf(request, await handler(service, call));
    const named = { principal, operation: id, request_id, path, target: url.pathname + url.search, ifVersion: call.condition.ifVersion, body };
    return await patience.spend(key === undefined || !keepsAnswer(operation) ? answer() : service.answered.once({ ...named, key }, answer));
  } catch (error) {
    throw await withReply(service, { principal, path, body, patience }, id, error);
  }
}

/** Builds the call for the handler. */
function callOf(
  service: Service,
  admitted: Admitted,
  { url, key, body }: { readonly url: URL; readonly key: string | undefined; readonly body: string },
): Call<Operation> {
  const { request, request_id, path, operation, principal, patience } = admitted;
  const ifVersion = ifVersionOf(operation, request.headers);
  let leaving: AbortSignal | undefined;
  return {
    path,
    query: queryOf(operation, url) as never,
    body: bodyOf(operation, request, body) as never,
    principal,
    request_id,
    traceparent: traceparentOf(request.headers),
    condition: ifVersion === undefined ? {} : { ifVersion },
    once: key === undefined ? {} : { idempotencyKey: keyOf({ principal, path, key }) },
    headers: request.headers,
    get signal() {
      return (leaving ??= leavingOf(service, admitted));
    },
    unanswered: patience.spent,
    cut: admitted.cut,
  };
}

/** A signal that aborts when the caller disconnects or the service stops. */
function leavingOf({ draining }: Service, { request, over }: Arrived): AbortSignal {
  if (over === undefined) return AbortSignal.any([request.signal, draining]);
  // A combined signal with listeners lives as long as its sources, so `AbortSignal.any` would leak one signal per request until the service stops.
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  if (draining.aborted) leave();
  draining.addEventListener("abort", leave, { once: true });
  over(() => {
    draining.removeEventListener("abort", leave);
    leave();
  });
  return leaving.signal;
}

/**
 * Throws `auth.forbidden` unless the principal may call the operation. A customer token allows the operations marked `customers`. A stream token
 * allows what its requester may do.
 */
export function authorize(principal: Principal, { scope, also, customers }: Operation): void {
  if (scope === "open") return;
  if (customerOf(principal) === undefined) {
    requireScope(principal, scope);
    if (also !== undefined) requireScope(principal, also);
    return;
  }
  if (customers !== true) throw new ThroughlineError("auth.forbidden", "A customer's token does not allow this.", { details: { scope } });
}

/** Rejects members of the query and the body that need a scope the principal lacks. */
function authorizeMembers(principal: Principal, { members = [] }: Operation, call: { readonly query: unknown; readonly body: unknown }): void {
  const given: Readonly<Record<string, unknown>> = { ...(call.query as object), ...(call.body as object) };
  for (const one of members) {
    if (!needsScope(one, given[one.member]) || allows(principal, one.scope)) continue;
    if (customerOf(principal) === undefined)
      throw new ThroughlineError("auth.forbidden", `\`${one.member}\` needs the scope ${one.scope}.`, {
        details: { scope: one.scope, member: one.member },
      });
    if (one.customers !== true)
      throw new ThroughlineError("auth.forbidden", `A customer's token does not allow \`${one.member}\`.`, { details: { member: one.member } });
  }
}

function responseOf(request: Request, answer: Answer<Operation> | Response): Response {
  if (answer instanceof Response) return answer;
  const { status, body, version, location } = answer as { readonly status: number; readonly body: unknown } & Answer<Operation>;
  const headers = new Headers({ "cache-control": "no-store" });
  if (location !== undefined) headers.set("location", location);
  const text = body === undefined ? null : JSON.stringify(body);
  const isRead = text !== null && (request.method === "GET" || request.method === "HEAD");
  const tag = version === undefined ? undefined : isRead ? readTag(version, text) : `"${version}"`;
  if (tag !== undefined) headers.set("etag", tag);
  if (tag !== undefined && isRead && isKnown(request.headers, tag)) return new Response(null, { status: 304, headers });
  if (text === null) return new Response(null, { status, headers });
  headers.set("content-type", "application/json");
  return new Response(text, { status, headers });
}
