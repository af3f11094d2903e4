/** Answers the sender of a message that the service did not accept, and limits how long the sender waits for the database. */
import { authorityOf, inTime, notJson, unknownOutcome, wordsIn } from "throughline/internal";
import { type Clock, isPlainObject, type Json, ThroughlineError } from "throughline/kernel";
import { eventSources } from "throughline/store";
import type { Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { customerOf, type Principal } from "./principal.ts";
import { readBody, sessionOf } from "./request-call.ts";
import type { Service } from "./service.ts";

/** The sender of a request, and the session that it names. */
interface Sent {
  readonly principal: Principal;
  readonly path: Readonly<Record<string, string>>;
  readonly patience: Patience;
}

/**
 * Adds the gate's fallback reply to the error of a customer's message. The gate replies if the database failed at any point. It also replies if the
 * message was rejected and its author is in danger. Returns any other error unchanged. `body` is the raw request body.
 */
export async function withReply(
  { runtime }: Pick<Service, "runtime">,
  { principal, path, patience, body }: Sent & { readonly body: string },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  const content = takesMessage(id) ? customerWords(body) : undefined;
  const { session_id = "" } = path;
  if (content === undefined) return error;
  const message = { session_id, ...content, customer: customerOf(principal) };
  if (!isRefusal(error)) return runtime.sessions.unsaved(message, error);
  // A rejection happens before the handler has checked that the caller may reach the session.
  const found = await patience.spend(agentOfTheirs({ runtime }, principal, session_id)).catch(() => ({ agent: undefined }));
  return found === undefined ? error : runtime.sessions.unsaved({ ...message, ...found }, error);
}

function takesMessage(id: OperationId): boolean {
  const operation: Operation = operations[id];
  return operation.takesMessage === true;
}

const isRefusal = (error: unknown): boolean => ThroughlineError.is(error, "limit.rate", "request.invalid", "request.too_large");

/** Finds the agent of a session. Its name is undefined if the database fails. Returns undefined if the principal may not reach the session. */
async function agentOfTheirs(
  service: Pick<Service, "runtime">,
  principal: Principal,
  session_id: string,
): Promise<{ readonly agent: string | undefined } | undefined> {
  try {
    return { agent: (await sessionOf(service, principal, session_id)).info.agent };
  } catch (error) {
    return ThroughlineError.is(error, "session.not_found") ? undefined : { agent: undefined };
  }
}

/** Represents senders that the database could not verify. They share one allowance and learn nothing about any session. */
const unverified: Principal = { type: "customer", customer: "", version: "", expires_at: 0 };

/** Adds the fallback reply if the sender could not be verified because the database failed. */
export async function unverifiedReply(
  service: Pick<Service, "runtime" | "limits" | "rates">,
  { path, request, patience }: Omit<Sent, "principal"> & { readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (!takesMessage(id) || !ThroughlineError.is(error) || !error.code.startsWith("store.")) return error;
  const rate = service.rates.takeHere(unverified, id);
  const isReadable = rate.retryAfter === undefined || rate.readable === true;
  return isReadable ? limitedReply(service, { principal: unverified, path, request, patience }, id, error) : error;
}

/** Adds the fallback reply to a request over the rate limit, whose body is still unread. */
export async function limitedReply(
  service: Pick<Service, "runtime" | "limits">,
  { request, ...sent }: Sent & { readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (!takesMessage(id)) return error;
  const body = await readBody(request, service.limits.bodyBytes).catch(() => undefined);
  return body === undefined ? error : withReply(service, { ...sent, body }, id, error);
}

/** Extracts the text of a customer's message or custom event. Ignores other defects of the body. */
function customerWords(body: string): { readonly text: string; readonly custom?: true } | undefined {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isPlainObject(given)) return undefined;
  const { kind = "message", source, text, data } = given;
  if (kind === "message") return (source ?? "customer") === "customer" && typeof text === "string" ? { text } : undefined;
  if (kind !== "custom" || !eventSources.some((known) => known === source && authorityOf(kind, known).gated) || notJson(data) !== undefined)
    return undefined;
  return { text: wordsIn(data as Json), custom: true };
}

/** The time budget of a request for waiting on the service itself. Waiting for the client does not count. */
export interface Patience {
  /** Resolves with `work`. Fails with `store.unreachable` and an unknown outcome once the budget is spent. */
  spend<Result>(work: Promise<Result>): Promise<Result>;
  /** Aborts when the budget is spent. The result of work that still runs is discarded. */
  readonly spent: AbortSignal;
}

/** No time limit. */
export const endless: Patience = Object.freeze({ spend: <Result>(work: Promise<Result>) => work, spent: new AbortController().signal });

/** Creates a budget of `ms` milliseconds. */
export function createPatience(clock: Clock, ms: number): Patience {
  const spent = new AbortController();
  let left = ms;
  const late = (): Error => {
    spent.abort();
    return new ThroughlineError("store.unreachable", `The message was not accepted within ${ms} ms.`, { details: unknownOutcome });
  };
  return {
    spent: spent.signal,
    async spend(work) {
      const began = clock.monotonic();
      try {
        return await inTime(clock, work, { ms: Math.max(0, left), late });
      } finally {
        left -= clock.monotonic() - began;
      }
    },
  };
}
