/** Authenticates requests by API key or token. Without any key, local requests need no credentials. */
import { type Clock, ThroughlineError, type Ids, type Logger } from "throughline/kernel";
import { isLoopback, present } from "throughline/internal";
import type { Operation } from "../../protocol/operation.ts";
import type { Store } from "throughline";
import { createWaiters } from "../waiting-places.ts";
import type { CustomerPrincipal, Principal } from "../principal.ts";
import type { Authenticator, Limits, Service, TokenTtl } from "../service.ts";
import { type ApiKey, createKnownKeys, type KnownKeys } from "./api-keys.ts";
import { createCustomerVersions, type CustomerVersions } from "./customer-versions.ts";
import type { InspectorLink } from "../inspector-link.ts";
import { rereading } from "./rereading.ts";
import { configuredKeys, createTokens, storedSigningKeys, type StreamClaims, type TokenReader } from "./access-tokens.ts";

/** Options of {@link createAccess}. */
interface AccessOptions {
  readonly host: string;
  readonly hosts?: readonly string[];
  readonly origins?: readonly string[];
  readonly tokenSecrets?: readonly string[];
  readonly tokenTtl: TokenTtl;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits: Limits;
  readonly draining: AbortSignal;
  /** Admits a browser besides those with keys. */
  readonly link?: Pick<InspectorLink, "admit">;
}

/** The service's parts for authentication and admission. */
interface Access extends Pick<Service, "tokens" | "customerVersions" | "tokenTtl" | "waiters"> {
  readonly authenticator: ServiceAuthenticator;
}

/** Creates the authenticator, the tokens and the waiters of a service. */
export function createAccess(options: AccessOptions): Access {
  const { host, hosts = [], origins = [], tokenSecrets = [], tokenTtl, store, clock, ids, logger, limits, draining, link } = options;
  const signing = tokenSecrets.length === 0 ? storedSigningKeys({ store, clock }) : configuredKeys(tokenSecrets);
  const tokens = createTokens({ keys: signing, clock, ids });
  const customerVersions = createCustomerVersions({ store, clock });
  const known = createKnownKeys({ store, clock, logger });
  const authenticator = createAuthenticator({
    customers: customerVersions,
    keys: link === undefined ? known : link.admit(known),
    tokens,
    clock,
    isPublic: ![host, ...hosts].every(isLoopback),
    origins: new Set(origins),
  });
  return {
    authenticator,
    tokens,
    customerVersions,
    tokenTtl,
    waiters: createWaiters({ limits, authenticator, clock, draining }),
  };
}

/** Options of {@link createAuthenticator}. */
interface AuthenticatorOptions {
  readonly keys: KnownKeys;
  readonly customers: CustomerVersions;
  readonly tokens: TokenReader;
  readonly clock: Clock;
  /** Whether other machines can reach the service. */
  readonly isPublic: boolean;
  /** Origins of web pages that may call the service. */
  readonly origins: ReadonlySet<string>;
}

/** An authenticator that can check whether keys are required but missing. */
interface ServiceAuthenticator extends Authenticator {
  /** Throws `auth.unconfigured` if other machines can reach the service and no keys exist. */
  assertConfigured(): Promise<void>;
}

/** Thrown for a customer token with a valid signature that the store could not confirm. Such a caller only receives a fallback reply. */
export class UnconfirmedCaller extends Error {
  readonly principal: CustomerPrincipal;

  constructor(principal: CustomerPrincipal, cause: unknown) {
    super("The store could not confirm a token.", { cause });
    this.principal = principal;
  }
}

const principalOf = ({ id, name, scopes }: ApiKey): Principal => ({ type: "key", id, name, scopes: new Set(scopes) });

/**
 * Decides whether the service accepts requests without a key. After the first key exists, keys are required until the process ends, even if all keys
 * are revoked.
 */
function createGate({ keys, clock, isPublic }: AuthenticatorOptions): { isOpen(): Promise<boolean> } {
  let locked = isPublic;
  const anyKey = rereading(clock, () => keys.any());
  return {
    async isOpen() {
      if (locked) return false;
      if (await anyKey()) locked = true;
      return !locked;
    },
  };
}

/** Creates an authenticator. */
export function createAuthenticator(options: AuthenticatorOptions): ServiceAuthenticator {
  const { keys, tokens, isPublic, origins } = options;
  const gate = createGate(options);
  const confirmation = createConfirmation(options, gate);

  const behalfOf = async (behalf: StreamClaims["behalf"]): Promise<Principal | undefined> => {
    if (behalf.type === "local") return (await gate.isOpen()) ? behalf : undefined;
    if (behalf.type === "key") {
      const key = await keys.find(behalf.id);
      return key === undefined ? undefined : principalOf(key);
    }
    const { session, issuer, ...rest } = behalf;
    const principal = { ...rest, ...present({ issuer, session }) };
    return (await confirmation.confirms(principal)) ? principal : undefined;
  };

  const byStreamToken = async (token: string, reconnecting: boolean): Promise<Principal> => {
    const claims = await tokens.readStream(token, { reconnecting });
    const behalf = await behalfOf(claims.behalf);
    if (behalf === undefined) throw new ThroughlineError("auth.invalid");
    return { type: "stream", sessions: claims.sessions, behalf };
  };

  const byBearer = async (credential: string): Promise<Principal> => {
    if (credential.startsWith("tl_live_")) {
      const key = await keys.verify(credential);
      if (key === undefined) throw new ThroughlineError("auth.invalid");
      return principalOf(key);
    }
    const { sub, ver, by, session, exp } = await tokens.readCustomer(credential);
    const principal: CustomerPrincipal = {
      ...{ type: "customer", customer: sub, version: ver, expires_at: exp * 1000 },
      ...present({ issuer: by, session }),
    };
    const confirmed = await confirmation.confirms(principal).catch((error: unknown) => {
      throw new UnconfirmedCaller(principal, error);
    });
    if (!confirmed) throw new ThroughlineError("auth.invalid");
    return principal;
  };

  return {
    async authenticate(request, operation) {
      const header = request.headers.get("authorization");
      if (header !== null) {
        const [, credential] = /^bearer +(\S+)$/i.exec(header.trim()) ?? [];
        if (credential === undefined) throw new ThroughlineError("auth.invalid", "The Authorization header contains no bearer token.");
        return byBearer(credential);
      }
      const streamToken = streamTokenOf(request, operation);
      if (streamToken !== undefined) return byStreamToken(streamToken, isReconnecting(request));
      if (!(await gate.isOpen())) throw new ThroughlineError("auth.required");
      checkLocal(request, origins);
      return { type: "local" };
    },
    async holds(principal) {
      if (principal.type === "local") return gate.isOpen();
      if (principal.type === "key") return (await keys.find(principal.id)) !== undefined;
      if (principal.type === "customer") return confirmation.stillConfirms(principal);
      return this.holds(principal.behalf);
    },
    async assertConfigured() {
      if (isPublic && !(await keys.any())) throw new ThroughlineError("auth.unconfigured");
    },
  };
}

/** Checks that a token is still valid: same customer, not revoked and not expired. */
function createConfirmation(
  { keys, customers, clock }: AuthenticatorOptions,
  gate: ReturnType<typeof createGate>,
): {
  /** Checks with data at most one second old. */
  confirms(principal: CustomerPrincipal): Promise<boolean>;
  /** Checks the token of a waiting caller. One shared read serves all waiting callers until a revocation happens. */
  stillConfirms(principal: CustomerPrincipal): Promise<boolean>;
} {
  /** The revocation count at which each waiting caller's version was last confirmed. */
  const confirmedAt = new WeakMap<CustomerPrincipal, number>();
  const lets = async ({ expires_at, issuer }: CustomerPrincipal): Promise<boolean> => {
    if (clock.now() >= expires_at) return false;
    if (issuer === undefined) return true;
    return issuer === "local" ? gate.isOpen() : (await keys.find(issuer)) !== undefined;
  };
  return {
    async confirms(principal) {
      const { customer, version } = principal;
      if (!(await lets(principal))) return false;
      // A token may be newer than this process's cached version of the customer.
      return (await customers.of(customer)) === version || (await customers.of(customer, { fresh: true })) === version;
    },
    // Erasure needs no check here, because it ends the sessions that the caller waits for.
    async stillConfirms(principal) {
      const { customer, version } = principal;
      if (!(await lets(principal))) return false;
      const revocations = await customers.revocations();
      if (confirmedAt.get(principal) === revocations) return true;
      if ((await customers.of(customer, { fresh: true })) !== version) return false;
      confirmedAt.set(principal, revocations);
      return true;
    },
  };
}

/** Whether a stream reader reconnects. An expired token remains valid for reconnecting, because `EventSource` cannot send a new one. */
const isReconnecting = ({ headers }: Request): boolean => (headers.get("last-event-id") ?? "") !== "";

/** The token in the URL, for operations that allow one. */
function streamTokenOf(request: Request, operation: Operation): string | undefined {
  if (operation.events !== true || request.method !== "GET") return undefined;
  return new URL(request.url).searchParams.get("stream_token") ?? undefined;
}

/** Headers that a proxy adds. A forwarded request may come from anywhere. */
const forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Rejects a request without a key unless it comes directly from this machine. Rejects forwarded requests with `auth.required`. Rejects requests from
 * pages of foreign origins with `auth.forbidden`, because browsers send those without CORS approval.
 */
export function checkLocal(request: Request, origins: ReadonlySet<string>): void {
  const passedOn = forwarded.find((name) => request.headers.has(name));
  if (passedOn !== undefined)
    throw new ThroughlineError("auth.required", `The request came through a proxy (${passedOn}), and this service has no keys.`, {
      hint: "Create a key with `throughline keys create` and send it as `Authorization: Bearer`.",
    });
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const own = origin === null ? site === null || site === "same-origin" || site === "none" : isOwn(origin, request) || origins.has(origin);
  if (!own)
    throw new ThroughlineError("auth.forbidden", "Pages of other origins need a key.", {
      hint: "Serve the page from this service, name its origin in `server.cors.origins`, or use a key.",
    });
}

const isOwn = (origin: string, request: Request): boolean =>
  URL.canParse(origin) && new URL(origin).host === (request.headers.get("host") ?? new URL(request.url).host);
