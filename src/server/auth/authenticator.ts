/** Who sends a request: by API key, by token, or by nothing where a machine of one's own has no keys. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { Operation } from "../../protocol/operation.ts";
import type { Principal } from "../principal.ts";
import type { Authenticator } from "../service.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ApiKey } from "./api-keys.ts";
import type { KnownKeys } from "./known-keys.ts";
import { checkLocal } from "./local.ts";
import { rereading } from "./rereading.ts";
import type { StreamClaims, TokenReader } from "./tokens.ts";

/** What an authenticator is made of. */
export interface AuthenticatorOptions {
  readonly keys: KnownKeys;
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
  const { keys, tokens, clock, isPublic, origins } = options;
  const gate = createGate(options);

  const behalfOf = async (behalf: StreamClaims["behalf"]): Promise<Principal | undefined> => {
    if (behalf.type === "local") return (await gate.isOpen()) ? behalf : undefined;
    if (behalf.type === "key") {
      const key = await keys.find(behalf.id);
      return key === undefined ? undefined : principalOf(key);
    }
    const { session, ...rest } = behalf;
    return clock.now() < behalf.expires_at ? { ...rest, ...(session === undefined ? {} : { session }) } : undefined;
  };

  const byStreamToken = async (token: string): Promise<Principal> => {
    const claims = await tokens.readStream(token);
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
    const { sub, session, exp } = await tokens.readCustomer(credential);
    return { type: "customer", customer: sub, expires_at: exp * 1000, ...(session === undefined ? {} : { session }) };
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
      if (streamToken !== undefined) return byStreamToken(streamToken);
      if (!(await gate.isOpen())) throw new ThroughlineError("auth.required");
      checkLocal(request, origins);
      return { type: "local" };
    },
    async holds(principal) {
      if (principal.type === "local") return gate.isOpen();
      if (principal.type === "key") return (await keys.find(principal.id)) !== undefined;
      if (principal.type === "customer") return clock.now() < principal.expires_at;
      return this.holds(principal.behalf);
    },
    async assertConfigured() {
      if (isPublic && !(await keys.any())) throw new ThroughlineError("auth.unconfigured");
    },
  };
}

/** A token in the address, where an address may hold one. */
function streamTokenOf(request: Request, operation: Operation): string | undefined {
  if (operation.events !== true || request.method !== "GET") return undefined;
  return new URL(request.url).searchParams.get("stream_token") ?? undefined;
}
