/** What all requests share. */
import type { Clock } from "../kernel/clock.ts";
import type { Ids, SessionId } from "../kernel/id.ts";
import type { Logger } from "../kernel/log.ts";
import type { Operation } from "../protocol/operation.ts";
import type { OperationId } from "../protocol/operations.ts";
import type { Agent } from "../runtime/agent/agent.ts";
import type { Runtime } from "../create-runtime.ts";
import type { Store } from "../store/port.ts";
import type { CustomerVersions } from "./auth/customer-versions.ts";
import type { Jobs } from "./jobs/background-jobs.ts";
import { customerOf, type CustomerPrincipal, type Principal } from "./principal.ts";

/** What one caller may take of the service. */
export interface Allowance {
  /** Requests in a minute, and those that read events, which are counted by themselves; 0 for no limit. */
  readonly requestsPerMinute: number;
  readonly eventReadsPerMinute: number;
  /** Long polls and streams at the same time. */
  readonly waiters: number;
}

/** The largest and the most that the service takes. What a key may take is 10,000 waiters by default, and any number of requests. */
export interface Limits extends Allowance {
  /** What a customer may take who comes with a token: 600 requests and 1,200 reads of events in a minute, 20 waiters by default. */
  readonly customer: Allowance;
  /** Bytes of a request's body; 1,048,576 by default. */
  readonly bodyBytes: number;
  /** Bytes of one event's data as it is posted; 262,144 by default. */
  readonly eventBytes: number;
  /** Events on a page; 1,000 by default. */
  readonly pageEvents: number;
  /** Milliseconds that a reader of a stream may take nothing before it is cut; 30,000 by default. */
  readonly slowReaderMs: number;
  /** Milliseconds between heartbeats of a stream; 15,000 by default. */
  readonly heartbeatMs: number;
  /** Milliseconds that a long poll waits at most; 60,000 by default. */
  readonly waitMs: number;
  /** Milliseconds within which the headers of a request have come, and all of it; 10,000 and 60,000 by default. */
  readonly headersMs: number;
  readonly requestMs: number;
}

/** What keys may take, and what customers may. */
export type Allowances = Allowance & Pick<Limits, "customer">;

/** How long tokens are good for whose request does not say, in milliseconds. */
export interface TokenTtl {
  /** 900,000 by default; 86,400,000 at most. */
  readonly customerMs: number;
  /** For opening a stream, which then stays open; 60,000 by default. */
  readonly streamMs: number;
}

/** Where a service can be reached from. */
export interface Reach {
  /** The address that it listens on. */
  readonly host: string;
  /** Names that it goes by besides. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of pages that may call it. */
  readonly origins: ReadonlySet<string>;
}

/** Says who sends a request. */
export interface Authenticator {
  /**
   * `auth.required`, `auth.invalid`. A token in the address (`stream_token`) counts for operations that read events alone. `UnconfirmedCaller` for a token
   * that is signed and that the store cannot confirm.
   */
  authenticate(request: Request, operation: Operation): Promise<Principal>;
  /** Whether a principal would still be let in: neither the key nor the token has expired or been revoked, and the customer is the same. */
  holds(principal: Principal): Promise<boolean>;
}

/** Gives out tokens. */
export interface Tokens {
  /** A token for a customer, or for one session of theirs. */
  forCustomer(
    grant: Pick<CustomerPrincipal, "customer" | "version"> & { readonly issuer: string; readonly session?: SessionId; readonly ttlMs: number },
  ): Promise<IssuedToken>;
  /** A token to open a stream of these sessions with, on behalf of who asks. */
  forStream(grant: { readonly sessions: readonly SessionId[]; readonly behalf: Principal; readonly ttlMs: number }): Promise<IssuedToken>;
}

/** A token, and until when it is taken. */
export interface IssuedToken {
  readonly token: string;
  readonly expires_at: number;
}

/** Counts who waits for events. */
export interface Waiters {
  /** Takes a place; `limit.waiters` if the caller has taken all of theirs. */
  enter(principal: Principal): WaitingPlace;
}

/** The place of one long poll, or one stream. */
export interface WaitingPlace {
  /** Aborts within two seconds when the caller would no longer be let in, as `Authenticator.holds` decides it. */
  readonly ended: AbortSignal;
  /** Gives the place back; more than once does nothing. */
  leave(): void;
}

/** A request, once it is known who sends it and what it asks for. */
export interface KnownRequest {
  readonly principal: Principal;
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly request_id: string;
}

/** A request that names itself. */
export interface NamedRequest extends KnownRequest {
  /** Path and query. */
  readonly target: string;
  readonly key: string;
  readonly ifVersion: number | undefined;
  readonly body: string;
}

/** Answers a request with an `Idempotency-Key` once, in any process: again with the first answer. */
export interface Answered {
  /** `request.in_progress`, `request.key_reused`. */
  once(request: NamedRequest, answer: () => Promise<Response>): Promise<Response>;
}

/** Counts requests. */
export interface RateLimiter {
  /**
   * `headers` go with the answer, whatever it is; with `retryAfter` (seconds) it is `limit.rate`. `heard`: what it holds may be read all the same, since it may be
   * of somebody in danger; so is as much again as the limit allows.
   */
  take(
    principal: Principal,
    operation: OperationId,
  ): { readonly headers: Readonly<Record<string, string>>; readonly retryAfter?: number; readonly heard?: boolean };
}

/** What became of a request that is written down. */
export interface AuditedOutcome {
  readonly status: number;
  /** The address of what was made. */
  readonly location?: string;
  /** What it was about besides, by our own ids. */
  readonly objects?: Readonly<Record<string, string>>;
}

/** Remembers who looked at, or did, what matters. */
export interface Audit {
  /**
   * Begins an entry. What it resolves with writes the entry down, and fails only for a read that has succeeded: what was looked at must be on record,
   * and what was done must not be lost for it.
   */
  begin(request: KnownRequest): Promise<(outcome: AuditedOutcome) => Promise<void>>;
}

/** Whether requests can be answered. */
export interface Readiness {
  /** `store.unreachable` if the database does not answer within a second. */
  check(): Promise<void>;
}

/** What a principal may take of the service. */
export const allowanceOf = (limits: Allowances, principal: Principal): Allowance => (customerOf(principal) === undefined ? limits : limits.customer);

/** Everything that the handlers of requests share: frozen, made once by createServer. */
export interface Service {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly reach: Reach;
  readonly authenticator: Authenticator;
  readonly tokens: Tokens;
  readonly customerVersions: CustomerVersions;
  readonly tokenTtl: TokenTtl;
  readonly waiters: Waiters;
  readonly answered: Answered;
  readonly rates: RateLimiter;
  readonly audit: Audit;
  readonly readiness: Readiness;
  readonly jobs: Jobs;
  /** The version of the package. */
  readonly version: string;
  /** The OpenAPI document, as JSON. */
  openApi(): Promise<string>;
  /** Aborts when the service begins to stop: streams say `bye`, long polls answer. */
  readonly draining: AbortSignal;
}
