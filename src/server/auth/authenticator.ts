/** Who sends a request: by API key, by token, or by nothing where a machine of one's own has no keys. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { Operation } from "../../protocol/operation.ts";
import type { CustomerPrincipal, Principal } from "../principal.ts";
import type { Authenticator } from "../service.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ApiKey } from "./api-keys.ts";
import type { CustomerVersions } from "./customer-versions.ts";
import type { KnownKeys } from "./known-keys.ts";
import { checkLocal } from "./local.ts";
import { rereading } from "./rereading.ts";
import type { StreamClaims, TokenReader } from "./tokens.ts";

/** What an authenticator is made of. */
export interface AuthenticatorOptions {
  readonly keys: KnownKeys;
  readonly customers: CustomerVersions;
  readonly tokens: TokenReader;
  readonly clock: Clock;
  /** Others than this machine can reach the service. */
  readonly isPublic: boolean;
  /** Origins of pages that may call it. */
  readonly origins: ReadonlySet<string>;
}

/** An authenticator that knows whether keys are asked for. */
export interface ServiceAuthenticator extends Authenticator {
  /** `auth.unconfigured` if others can reach the service, and there are no keys. */
  assertConfigured(): Promise<void>;
}

/** A caller whose token is signed by the service, and that the store could not confirm: they may be told where help is, and nothing else. */
export class UnconfirmedCaller extends Error {
  readonly principal: CustomerPrincipal;

  constructor(principal: CustomerPrincipal, cause: unknown) {
    super("The store could not confirm a token.", { cause });
    this.principal = principal;
  }
}

const principalOf = ({ id, name, scopes }: ApiKey): Principal => ({ type: "key", id, name, scopes: new Set(scopes) });

/** Whether the service still goes without keys. Once there is one, keys are asked for until the process ends, even if the last one is revoked. */
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

/** Says who sends a request. */
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
    const principal = { ...rest, ...(issuer === undefined ? {} : { issuer }), ...(session === undefined ? {} : { session }) };
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
      ...(by === undefined ? {} : { issuer: by }),
      ...(session === undefined ? {} : { session }),
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
        if (credential === undefined) throw new ThroughlineError("auth.invalid", "The Authorization header holds no bearer token.");
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

/** Whether the customer of a token is the one that it was issued for, nothing was revoked, and it has not expired. */
function createConfirmation(
  { keys, customers, clock }: AuthenticatorOptions,
  gate: ReturnType<typeof createGate>,
): {
  /** As of the last second. */
  confirms(principal: CustomerPrincipal): Promise<boolean>;
  /** The same for a caller who waits, at the cost of one read for all of them until something is revoked. */
  stillConfirms(principal: CustomerPrincipal): Promise<boolean>;
} {
  /** The state of revocations at which a waiting caller's version was last found to be good. */
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
      // A token may be newer than what this process has read of its customer.
      return (await customers.of(customer)) === version || (await customers.of(customer, { fresh: true })) === version;
    },
    // An erasure needs no look here: it ends the sessions that the caller waits for.
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

/** Whether a reader of a stream comes back. A token that has expired meanwhile still counts for that: `EventSource` cannot send another one. */
const isReconnecting = ({ headers }: Request): boolean => (headers.get("last-event-id") ?? "") !== "";

/** A token in the address, where an address may hold one. */
function streamTokenOf(request: Request, operation: Operation): string | undefined {
  if (operation.events !== true || request.method !== "GET") return undefined;
  return new URL(request.url).searchParams.get("stream_token") ?? undefined;
}
