/** The parsed request that a handler receives, the session that it names, and the handler's answer. */
import type { Session, SessionInfo } from "throughline";
import { present, subagentLabel } from "throughline/internal";
import { ThroughlineError, type TraceId } from "throughline/kernel";
import type { IdempotencyOptions, VersionOptions } from "throughline/session";
import type { AnswerOf, BodyOf, Operation, PathOf, QueryOf } from "../protocol/operation.ts";
import type { OperationId, Operations } from "../protocol/operations.ts";
import { customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** One request, parsed and validated. */
export interface Call<Op extends Operation> {
  readonly path: PathOf<Op>;
  readonly query: QueryOf<Op>;
  readonly body: BodyOf<Op>;
  readonly principal: Principal;
  readonly request_id: string;
  /** The trace id of the caller's `traceparent`. */
  readonly trace_id: TraceId | undefined;
  /** The version of `If-Match`, as a precondition of the change. */
  readonly condition: VersionOptions;
  /** The `Idempotency-Key`, scoped to this caller. The effect's commit stores it. */
  readonly once: IdempotencyOptions;
  /** All request headers, for example `Accept` and `Last-Event-ID`. */
  readonly headers: Headers;
  /** Aborts when the caller disconnects or the service stops. */
  readonly signal: AbortSignal;
  /** Aborts when the handler took too long and the caller has already been answered. */
  readonly unanswered: AbortSignal;
  /** Destroys the caller's connection. Used for readers that accept no data; undefined without a socket. */
  readonly cut: (() => void) | undefined;
}

/** A handler's answer: status, body and values for headers. */
export type Answer<Op extends Operation> = AnswerOf<Op> & {
  /** The version for the `ETag`. */
  readonly version?: number;
  /** The address of the created object. */
  readonly location?: string;
  /** Further objects for the audit log, by internal id. The path's objects are recorded anyway. */
  readonly objects?: Readonly<Record<string, string>>;
};

/** Answers one operation. Returns a `Response` for anything that is not JSON, such as a stream. */
export type Handler<Op extends Operation> = (service: Service, call: Call<Op>) => Promise<Answer<Op> | Response>;

/** The handlers of a group of operations. */
export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Operations[Id]> };

/** A session that the principal may reach. */
interface FoundSession {
  readonly session: Session;
  readonly info: SessionInfo;
}

/** Loads a session that the principal may reach. Throws `session.not_found` otherwise, so that callers cannot tell whether the session exists. */
export async function sessionOf(
  { runtime }: Pick<Service, "runtime">,
  principal: Principal,
  session_id: string,
): Promise<FoundSession> {
  const missing = (): ThroughlineError =>
    new ThroughlineError("session.not_found", `There is no session ${session_id.slice(0, 100)}.`, {
      details: { session_id: session_id.slice(0, 100) },
    });
  if (!reaches(principal, session_id)) throw missing();
  const { session, info } = await runtime.sessions.getWithInfo(session_id);
  const customer = customerOf(principal);
  // Sessions of child agents are internal, even if they belong to a customer.
  if (customer !== undefined && (info.customer_id !== customer || info.labels.includes(subagentLabel))) throw missing();
  return { session, info };
}

/** Makes the handler of an operation on one session, which the principal must be able to reach. */
export const inSession =
  <Op extends Operation>(answer: (found: FoundSession, call: Call<Op>, service: Service) => Promise<Answer<Op> | Response>): Handler<Op> =>
  async (service, call) => {
    // The operations that use this have a session in their path.
    const { session_id } = call.path as { readonly session_id: string };
    return answer(await sessionOf(service, call.principal, session_id), call, service);
  };

/** An answer with a body, and with the version for the `ETag` if the body has one. */
export const ok = <Body>(body: Body, version?: number) => ({ status: 200, body, ...present({ version }) }) as const;

/** Whether the principal's token covers this session. */
function reaches(principal: Principal, session_id: string): boolean {
  if (principal.type === "stream") return principal.sessions.some((id) => id === session_id) && reaches(principal.behalf, session_id);
  return principal.type !== "customer" || principal.session === undefined || principal.session === session_id;
}
