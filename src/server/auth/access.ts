/** Keys, tokens and waiters of a service, put together. */
import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/id.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import type { Logger } from "../../kernel/log.ts";
import type { Store } from "../../store/port.ts";
import type { Limits, Service, TokenTtl } from "../service.ts";
import { createAuthenticator, type ServiceAuthenticator } from "./authenticator.ts";
import { createCustomerVersions } from "./customer-versions.ts";
import { createKnownKeys } from "./known-keys.ts";
import { configuredKeys, storedSigningKeys } from "./signing-keys.ts";
import { createTokens } from "./tokens.ts";
import { createWaiters } from "./waiters.ts";

/** What decides who may come. */
export interface AccessOptions {
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
}

/** Who may come, and how they show it. */
export interface Access extends Pick<Service, "tokens" | "customerVersions" | "tokenTtl" | "waiters"> {
  readonly authenticator: ServiceAuthenticator;
}

/** Keys, tokens and waiters of a service. */
export function createAccess(options: AccessOptions): Access {
  const { host, hosts = [], origins = [], tokenSecrets = [], tokenTtl, store, clock, ids, logger, limits, draining } = options;
  const signing = tokenSecrets.length === 0 ? storedSigningKeys({ store, clock }) : configuredKeys(tokenSecrets);
  const tokens = createTokens({ keys: signing, clock, ids });
  const customerVersions = createCustomerVersions({ store, clock });
  const authenticator = createAuthenticator({
    customers: customerVersions,
    keys: createKnownKeys({ store, clock, logger }),
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
