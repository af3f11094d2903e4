/** Who sends a request, and what they may. */
import type { Audience } from "../kernel/descriptor.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import type { Scope } from "../protocol/wire-auth.ts";

/**
 * Who sends a request. `local`: anybody, on a machine of one's own, where no keys were made; `key`: an integration; `customer`: one customer, in the
 * sessions of theirs or in one of them; `stream`: whoever got a stream token, for reading one session's events.
 */
export type Principal =
  | { readonly type: "local" }
  | { readonly type: "key"; readonly id: string; readonly name: string; readonly scopes: ReadonlySet<Scope> }
  | CustomerPrincipal
  | { readonly type: "stream"; readonly sessions: readonly SessionId[]; readonly behalf: Principal };

/** One customer, by a token. */
export interface CustomerPrincipal {
  readonly type: "customer";
  readonly customer: string;
  /** The customer's version that the token was issued for: it ends with an erasure and with a revocation. */
  readonly version: string;
  /** Who issued the token: the id of an API key, or `local`; undefined for a token that the integration signed itself. */
  readonly issuer?: string;
  /** The one session that it is for. */
  readonly session?: SessionId;
  readonly expires_at: number;
}

/** Whether the principal may do what the scope stands for. Customers have no scopes: what they may is said by each operation. */
export function allows(principal: Principal, scope: Scope): boolean {
  if (principal.type === "local") return true;
  if (principal.type === "key") return principal.scopes.has("admin") || principal.scopes.has(scope);
  return principal.type === "stream" && allows(principal.behalf, scope);
}

/** The customer whose public view is all that the principal gets; undefined for an integration. */
export const customerOf = (principal: Principal): string | undefined =>
  principal.type === "stream" ? customerOf(principal.behalf) : principal.type === "customer" ? principal.customer : undefined;

/** The audience that the principal belongs to. */
export const audienceOf = (principal: Principal): Audience => (customerOf(principal) === undefined ? "key" : "customer");

/** Names a principal where calls are counted and written down: nothing that a person gave. */
export function nameOf(principal: Principal): string {
  if (principal.type === "key") return `key:${principal.id}`;
  return principal.type === "stream" ? nameOf(principal.behalf) : principal.type;
}

/** Tells callers apart, where their requests are counted: it holds the customer's own id, so it is neither stored nor written down. */
export function callerOf(principal: Principal): string {
  if (principal.type === "customer") return `customer:${principal.customer}`;
  return principal.type === "stream" ? callerOf(principal.behalf) : nameOf(principal);
}

/** Refuses a principal who may not do what the scope stands for. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (allows(principal, scope)) return;
  throw new ThroughlineError("auth.forbidden", `That needs the scope ${scope}.`, { details: { scope } });
}
