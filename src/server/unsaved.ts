/** Answers the sender of a message that the service did not accept, and limits how long they wait for the database. */
import type { Clock } from "../kernel/clock.ts";
import { inTime } from "../kernel/deadline.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type Json, notJson } from "../kernel/json.ts";
import { unknownOutcome } from "../kernel/outcome.ts";
import type { OperationId } from "../protocol/operations.ts";
import { authorityOf, wordsIn } from "../session/authority.ts";
import { eventSources } from "../store/port.ts";
import { sessionOf } from "./call.ts";
import { customerOf, type Principal } from "./principal.ts";
import { readBody } from "./read-request.ts";
import type { Service } from "./service.ts";

/** Who sends a request, and the session that it names. */
interface Sent {
  readonly principal: Principal;
  readonly path: Readonly<Record<string, string>>;
  readonly patience: Patience;
}

/**
 * The error of a request, with what a gate says where it was a customer's message and the database failed, wherever on its way that was, or where somebody
 * in danger wrote it and it was refused. Any other error is as it was. `body`: as it came.
 */
export async function withReply(
  { runtime }: Pick<Service, "runtime">,
  { principal, path, patience, body }: Sent & { readonly body: string },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  const said = id === "postEvent" ? customerWords(body) : undefined;
  const { session_id = "" } = path;
  if (said === undefined) return error;
  const message = { session_id, ...said, customer: customerOf(principal) };
  if (!isRefusal(error)) return runtime.sessions.unsaved(message, error);
  // A refusal comes before the handler has looked whether the session is the caller's.
  const found = await patience.spend(agentOfTheirs({ runtime }, principal, session_id)).catch(() => ({ agent: undefined }));
  return found === undefined ? error : runtime.sessions.unsaved({ ...message, ...found }, error);
}

const isRefusal = (error: unknown): boolean => ThroughlineError.is(error, "limit.rate", "request.invalid", "request.too_large");

/** The agent of a session that the principal may reach, without a name where the database cannot tell; undefined for a session that they may not reach. */
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

/** Stands for senders whom the database could not verify: they share one allowance, and are told nothing of any session. */
const unverified: Principal = { type: "customer", customer: "", version: "", expires_at: 0 };

/** The same for a request whose sender could not be verified because the database failed. */
export async function unverifiedReply(
  service: Pick<Service, "runtime" | "limits" | "rates">,
  { path, request, patience }: Omit<Sent, "principal"> & { readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (id !== "postEvent" || !ThroughlineError.is(error) || !error.code.startsWith("store.")) return error;
  const rate = service.rates.take(unverified, id);
  const isHeard = rate.retryAfter === undefined || rate.heard === true;
  return isHeard ? limitedReply(service, { principal: unverified, path, request, patience }, id, error) : error;
}

/** The same for a request that is over the limit, whose body was not read: as often again as the limit allows it is read for that. */
export async function limitedReply(
  service: Pick<Service, "runtime" | "limits">,
  { request, ...sent }: Sent & { readonly request: Request },
  id: OperationId,
  error: unknown,
): Promise<unknown> {
  if (id !== "postEvent") return error;
  const body = await readBody(request, service.limits.bodyBytes).catch(() => undefined);
  return body === undefined ? error : withReply(service, { ...sent, body }, id, error);
}

/** The words of a customer's message or custom event, whatever else is wrong with the body. */
function customerWords(body: string): { readonly text: string; readonly custom?: true } | undefined {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isPlainObject(given)) return undefined;
  const { kind, source, text, data } = given;
  if (kind === "message") return (source ?? "customer") === "customer" && typeof text === "string" ? { text } : undefined;
  if (kind !== "custom" || !eventSources.some((known) => known === source && authorityOf(kind, known).gated) || notJson(data) !== undefined)
    return undefined;
  return { text: wordsIn(data as Json), custom: true };
}

/** The time that a request may spend waiting for the service's own parts. Waiting for the client does not count. */
export interface Patience {
  /** Resolves with `work`; fails with `store.unreachable`, with an unknown outcome, once the request has spent its time. */
  spend<Result>(work: Promise<Result>): Promise<Result>;
  /** Aborts when the time is spent: what still runs then answers nobody. */
  readonly spent: AbortSignal;
}

/** For requests without a limit. */
export const endless: Patience = Object.freeze({ spend: <Result>(work: Promise<Result>) => work, spent: new AbortController().signal });

/** Allows `ms` milliseconds. */
export function createPatience(clock: Clock, ms: number): Patience {
  const spent = new AbortController();
  let left = ms;
  const late = (): Error => {
    spent.abort();
    return new ThroughlineError("store.unreachable", `The message was not taken within ${ms} ms.`, { details: unknownOutcome });
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
