/** What all requests share. */
import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/id.ts";
import type { Logger } from "../kernel/log.ts";
import type { OperationId } from "../protocol/operations.ts";
import type { Agent } from "../runtime/agent.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Store } from "../store/port.ts";
import type { Principal } from "./principal.ts";

/** The largest and the most that the service takes. */
export interface Limits {
  /** Bytes of a request's body; 1,048,576 by default. */
  readonly bodyBytes: number;
  /** Bytes of one event's data as it is posted; 262,144 by default. */
  readonly eventBytes: number;
  /** Events on a page; 1,000 by default. */
  readonly pageEvents: number;
  /** Long polls and streams of one caller at the same time; 100 by default. */
  readonly waiters: number;
  /** Requests of one caller in a minute, and those that read events, which are counted by themselves; 0 for no limit. 6,000 each by default. */
  readonly requestsPerMinute: number;
  readonly eventReadsPerMinute: number;
  /** Milliseconds that a reader of a stream may take nothing before it is cut; 30,000 by default. */
  readonly slowReaderMs: number;
  /** Milliseconds between heartbeats of a stream; 15,000 by default. */
  readonly heartbeatMs: number;
  /** Milliseconds that a long poll waits at most; 60,000 by default. */
  readonly waitMs: number;
}

/** Says who sends a request. */
export interface Authenticator {
  /** `auth.required`, `auth.invalid`. */
  authenticate(request: Request): Promise<Principal>;
}

/** What a POST was answered with the first time. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A POST that names itself. */
export interface NamedRequest {
  readonly principal: Principal;
  readonly operation: OperationId;
  /** Path and query. */
  readonly target: string;
  readonly key: string;
  readonly body: string;
}

/** Answers a POST with an `Idempotency-Key` once, in any process: again with the first answer. */
export interface Answered {
  /** `request.in_progress`, `request.key_reused`. */
  once(request: NamedRequest, answer: () => Promise<Response>): Promise<Response>;
}

/** Counts requests. */
export interface RateLimiter {
  /** `limit.rate`, with `retry_after` in its details, in seconds. */
  take(principal: Principal, operation: OperationId): void;
}

/** Remembers who looked at, or did, what matters. */
export interface Audit {
  note(entry: {
    readonly principal: Principal;
    readonly operation: OperationId;
    readonly path: Readonly<Record<string, string>>;
    readonly status: number;
    readonly request_id: string;
  }): Promise<void>;
}

/** Everything that the handlers of requests share: frozen, made once by createServer. */
export interface Service {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly authenticator: Authenticator;
  readonly answered: Answered;
  readonly rates: RateLimiter;
  readonly audit: Audit;
  /** Aborts when the service begins to stop: streams say `bye`, long polls answer. */
  readonly draining: AbortSignal;
}
