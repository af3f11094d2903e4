/** The sender of a request and its permissions. */
import { type Audience, ThroughlineError, type SessionId } from "throughline/kernel";
import type { Scope } from "../protocol/wire-auth.ts";

/**
 * The sender of a request.
 *
 * - `local`: unauthenticated access from the same machine, while no keys exist.
 * - `key`: an integration with an API key.
 * - `customer`: a customer with a token, for all of the customer's sessions or for one.
 * - `stream`: the holder of a stream token, for reading the events of the named sessions.
 */
export type Principal =
  | { readonly type: "local" }
  | { readonly type: "key"; readonly id: string; readonly name: string; readonly scopes: ReadonlySet<Scope> }
  | CustomerPrincipal
  | { readonly type: "stream"; readonly sessions: readonly SessionId[]; readonly behalf: Principal };

/** A customer with a token. */
export interface CustomerPrincipal {
  readonly type: "customer";
  readonly customer: string;
  /** The customer version that the token was issued for. It changes on erasure and on revocation. */
  readonly version: string;
  /** The issuer of the token: the id of an API key, or `local`. Undefined if the integration signed the token itself. */
  readonly issuer?: string;
  /** The only session that the token allows. */
  readonly session?: SessionId;
  readonly expires_at: number;
}

/** Whether the principal has a scope. Customers have no scopes; each operation declares whether customers may call it. */
export function allows(principal: Principal, scope: Scope): boolean {
  if (principal.type === "local") return true;
  if (principal.type === "key") return principal.scopes.has("admin") || principal.scopes.has(scope);
  return principal.type === "stream" && allows(principal.behalf, scope);
}

/** The customer whose public view the principal receives; undefined for an integration. */
export const customerOf = (principal: Principal): string | undefined =>
  principal.type === "stream" ? customerOf(principal.behalf) : principal.type === "customer" ? principal.customer : undefined;

/** The audience of the principal. */
export const audienceOf = (principal: Principal): Audience => (customerOf(principal) === undefined ? "key" : "customer");

/** Names a principal in logs and audit entries. The name contains no personal data. */
export function nameOf(principal: Principal): string {
  if (principal.type === "key") return `key:${principal.id}`;
  return principal.type === "stream" ? nameOf(principal.behalf) : principal.type;
}

/** A key that identifies the caller for counting requests. It contains the customer id, so it is never stored or logged. */
export function callerOf(principal: Principal): string {
  if (principal.type === "customer") return `customer:${principal.customer}`;
  return principal.type === "stream" ? callerOf(principal.behalf) : nameOf(principal);
}

/** Throws `auth.forbidden` if the principal lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (allows(principal, scope)) return;
  throw new ThroughlineError("auth.forbidden", `This needs the scope ${scope}.`, { details: { scope } });
}
