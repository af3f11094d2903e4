/** One request, read and checked, as its handler gets it; and what a handler gives back. */
import type { TraceId } from "../kernel/id.ts";
import type { AnswerOf, BodyOf, Operation, PathOf, QueryOf } from "../protocol/operation.ts";
import type { OperationId, Operations } from "../protocol/operations.ts";
import type { IdempotencyOptions } from "../runtime/commands/idempotency.ts";
import type { VersionOptions } from "../runtime/commands/preconditions.ts";
import type { Principal } from "./principal.ts";
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
