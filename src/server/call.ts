/** One request, read and checked, as its handler receives it; the session that it names; and what a handler returns. */
import type { Session } from "../create-runtime.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import type { AnswerOf, BodyOf, Operation, PathOf, QueryOf } from "../protocol/operation.ts";
import type { OperationId, Operations } from "../protocol/operations.ts";
import type { IdempotencyOptions } from "../runtime/commands/idempotency.ts";
import type { VersionOptions } from "../kernel/preconditions.ts";
import type { SessionInfo } from "../runtime/reading/session-info.ts";
import { subagentLabel } from "../session/session-marks.ts";
import { customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** One request. */
export interface Call<Op extends Operation> {
  readonly path: PathOf<Op>;
  readonly query: QueryOf<Op>;
  readonly body: BodyOf<Op>;
  readonly principal: Principal;
  readonly request_id: string;
  /** The trace that the caller's `traceparent` names. */
  readonly trace_id: TraceId | undefined;
  /** The version that `If-Match` names, if it does: for the change that rests on it. */
  readonly condition: VersionOptions;
  /** The `Idempotency-Key`, of this caller alone, if there is one: for the effect of the request, in the commit that has it. */
  readonly once: IdempotencyOptions;
  /** For what the handler needs besides: media types that are accepted, `Last-Event-ID`. */
  readonly headers: Headers;
  /** Aborts when the caller leaves, or the service stops. */
  readonly signal: AbortSignal;
  /** Aborts when the caller was answered without the handler, because that took too long. */
  readonly unanswered: AbortSignal;
  /** Ends the caller's connection at once, for one that takes nothing; undefined where there is no connection of its own. */
  readonly cut: (() => void) | undefined;
}

/** What a handler answers: a status with its body, and what goes into headers. */
export type Answer<Op extends Operation> = AnswerOf<Op> & {
  /** The `ETag`. */
  readonly version?: number;
  /** The address of what was made. */
  readonly location?: string;
  /** What it was about besides what the address names, by our own ids: for the audit log. */
  readonly objects?: Readonly<Record<string, string>>;
};

/** Answers one operation. A `Response` is one that is not JSON, such as a stream. */
export type Handler<Op extends Operation> = (service: Service, call: Call<Op>) => Promise<Answer<Op> | Response>;

/** A handler for each operation of a part of the service. */
export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Operations[Id]> };

/** A session that the principal may reach, as it stands. What is not theirs is not there: nobody learns whether it exists. */
export async function sessionOf(
  { runtime }: Pick<Service, "runtime">,
  principal: Principal,
  session_id: string,
): Promise<{ readonly session: Session; readonly info: SessionInfo }> {
  const missing = (): ThroughlineError =>
    new ThroughlineError("session.not_found", `There is no session ${session_id.slice(0, 100)}.`, {
      details: { session_id: session_id.slice(0, 100) },
    });
  if (!reaches(principal, session_id)) throw missing();
  const { session, info } = await runtime.sessions.getWithInfo(session_id);
  const customer = customerOf(principal);
  // What child agents say to each other is work, also where it is a customer's.
  if (customer !== undefined && (info.customer_id !== customer || info.labels.includes(subagentLabel))) throw missing();
  return { session, info };
}

/** Whether a token is for this session, among others. */
function reaches(principal: Principal, session_id: string): boolean {
  if (principal.type === "stream") return principal.sessions.some((id) => id === session_id) && reaches(principal.behalf, session_id);
  return principal.type !== "customer" || principal.session === undefined || principal.session === session_id;
}
