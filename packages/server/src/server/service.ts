/** The service's parts that all requests share. */
import type { Clock, Ids, SessionId, Logger } from "throughline/kernel";
import type { Operation } from "../protocol/operation.ts";
import type { OperationId } from "../protocol/operations.ts";
import type { Agent, Runtime, Store } from "throughline";
import type { CustomerVersions } from "./auth/customer-versions.ts";
import type { Jobs } from "./jobs/background-jobs.ts";
import type { Callbacks } from "./webhooks/callbacks.ts";
import type { WebhookControl } from "./webhooks/webhook-target.ts";
import { customerOf, type CustomerPrincipal, type Principal } from "./principal.ts";

/** Limits for one caller. */
export interface Allowance {
  /** Requests per minute. Event reads are counted separately. 0 means no limit. */
  readonly requestsPerMinute: number;
  readonly eventReadsPerMinute: number;
  /** Concurrent long polls and streams. */
  readonly waiters: number;
}

/** The limits of the service. By default an API key gets 10,000 waiters and unlimited requests. */
export interface Limits extends Allowance {
  /** Limits for a customer with a token. By default 600 requests and 1,200 event reads per minute, and 20 waiters. */
  readonly customer: Allowance;
  /** Maximum size of a request body in bytes; 1,048,576 by default. */
  readonly bodyBytes: number;
  /** Maximum size of a posted event's data in bytes; 262,144 by default. */
  readonly eventBytes: number;
  /** Maximum events per page; 1,000 by default. */
  readonly pageEvents: number;
  /** Milliseconds after which the service disconnects a stream reader that accepts no data; 30,000 by default. */
  readonly slowReaderMs: number;
  /** Milliseconds between stream heartbeats; 15,000 by default. */
  readonly heartbeatMs: number;
  /** Maximum duration of a long poll in milliseconds; 60,000 by default. */
  readonly waitMs: number;
  /** Milliseconds to receive a request's headers, and the whole request; 10,000 and 60,000 by default. */
  readonly headersMs: number;
  readonly requestMs: number;
}

/** The limits for API keys and for customers. */
export type Allowances = Allowance & Pick<Limits, "customer">;

/** Default token lifetimes in milliseconds, for requests that name none. */
export interface TokenTtl {
  /** Customer tokens; 900,000 by default, 86,400,000 at most. */
  readonly customerMs: number;
  /** Stream tokens, which only open a stream; the stream then stays open. 60,000 by default. */
  readonly streamMs: number;
}

/** The addresses and origins from which the service accepts requests. */
export interface Reach {
  /** The address to listen on. */
  readonly host: string;
  /** Additional host names of the service. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of web pages that may call the service. */
  readonly origins: ReadonlySet<string>;
}

/** Authenticates the sender of a request. */
export interface Authenticator {
  /**
   * Resolves the caller. Throws `auth.required` or `auth.invalid`. Throws `UnconfirmedCaller` if the token's signature is valid but the store cannot
   * confirm the token. A token in the URL (`stream_token`) is accepted only for operations that read events.
   */
  authenticate(request: Request, operation: Operation): Promise<Principal>;
  /** Whether the principal would still be admitted: its key or token has not expired or been revoked, and the customer is unchanged. */
  holds(principal: Principal): Promise<boolean>;
}

/** Issues tokens. */
export interface Tokens {
  /** Issues a token for a customer, or for one of the customer's sessions. */
  forCustomer(
    grant: Pick<CustomerPrincipal, "customer" | "version"> & { readonly issuer: string; readonly session?: SessionId; readonly ttlMs: number },
  ): Promise<IssuedToken>;
  /** Issues a token that opens a stream of these sessions on behalf of the requester. */
  forStream(grant: { readonly sessions: readonly SessionId[]; readonly behalf: Principal; readonly ttlMs: number }): Promise<IssuedToken>;
}

/** A token and its expiry time. */
export interface IssuedToken {
  readonly token: string;
  readonly expires_at: number;
}

/** Counts concurrent waiters for events. */
export interface Waiters {
  /** Reserves a place. Throws `limit.waiters` if the caller has used all its places. */
  enter(principal: Principal): WaitingPlace;
}

/** The reserved place of one long poll or stream. */
export interface WaitingPlace {
  /** Aborts within two seconds after `Authenticator.holds` becomes false for the caller. */
  readonly ended: AbortSignal;
  /** Releases the place. Further calls have no effect. */
  leave(): void;
}

/** A request whose sender and operation are known. */
export interface KnownRequest {
  readonly principal: Principal;
  readonly operation: OperationId;
  readonly path: Readonly<Record<string, string>>;
  readonly request_id: string;
}

/** A request with an `Idempotency-Key`. */
export interface NamedRequest extends KnownRequest {
  /** Path and query. */
  readonly target: string;
  readonly key: string;
  readonly ifVersion: number | undefined;
  readonly body: string;
}

/** Answers a request with an `Idempotency-Key` once across all processes. Repeats return the first response. */
export interface Answered {
  /** Throws `request.in_progress` or `request.key_reused`. */
  once(request: NamedRequest, answer: () => Promise<Response>): Promise<Response>;
}

/** What counting a request found. */
export interface Rate {
  /** Added to every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds. Set if the request exceeds the limit and fails with `limit.rate`. */
  readonly retryAfter?: number;
  /**
   * Permits reading the body of a request over the limit, because its author may be in danger. That allowance is as large as the limit itself, and
   * of this process.
   */
  readonly readable?: boolean;
}

/** Limits the rate of requests. */
export interface RateLimiter {
  /** Counts a request in all processes. Never fails: while the database is away, this process counts by itself. */
  take(principal: Principal, operation: OperationId): Promise<Rate>;
  /** Counts a delivery of a source of webhooks in all processes, as a request of a key. */
  takeSource(source: string): Promise<Rate>;
  /** Counts a request in this process only, for a caller whom the database could not confirm. */
  takeHere(principal: Principal, operation: OperationId): Rate;
}

/** The outcome of an audited request. */
export interface AuditedOutcome {
  readonly status: number;
  /** The address of the created object. */
  readonly location?: string;
  /** Further objects of the request, by internal id. */
  readonly objects?: Readonly<Record<string, string>>;
}

/** Records who read or changed sensitive data. */
export interface Audit {
  /**
   * Begins an audit entry. The returned function writes the entry. It fails only for a successful read, because reads must be audited. For a change
   * it does not fail, so that the result of the change is not lost.
   */
  begin(request: KnownRequest): Promise<(outcome: AuditedOutcome) => Promise<void>>;
}

/** Whether the service can answer requests. */
export interface Readiness {
  /** Throws `store.unreachable` if the database does not answer within a second. */
  check(): Promise<void>;
}

/** The limits that apply to a principal. */
export const allowanceOf = (limits: Allowances, principal: Principal): Allowance => (customerOf(principal) === undefined ? limits : limits.customer);

/** Everything that the request handlers share. Frozen; createServer creates it once. */
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
  /** The deliveries to other servers, if there are targets. */
  readonly webhooks?: WebhookControl;
  /** The callbacks of runs, if there is a secret that signs them. */
  readonly callbacks?: Pick<Callbacks, "check">;
  /** The package version. */
  readonly version: string;
  /** The OpenAPI document, as JSON. */
  openApi(): Promise<string>;
  /** Aborts when the service begins to stop. Streams then send `bye` and long polls respond. */
  readonly draining: AbortSignal;
}
