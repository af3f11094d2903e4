/** Tokens, and the audit log. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { authOperations } from "../../protocol/operations/auth.ts";
import { sessionOf } from "../session-of.ts";
import { auditKind, toWireEntry } from "../audit-entry.ts";
import type { Handlers } from "../call.ts";

export const authRoutes: Handlers<keyof typeof authOperations> = {
  async createToken(service, { body, principal }) {
    const { customer_id, session_id, ttl_seconds } = body;
    const { owner_id } = await service.runtime.customers.get(customer_id);
    const ttlMs = ttl_seconds === undefined ? service.tokenTtl.customerMs : ttl_seconds * 1000;
    if (session_id === undefined)
      return { status: 201, body: await service.tokens.forCustomer({ customer: customer_id, ttlMs }), objects: { owner_id } };
    const { session, info } = await sessionOf(service, principal, session_id);
    if (info.customer_id !== customer_id) throw new ThroughlineError("session.not_found", `The customer has no session ${session_id.slice(0, 100)}.`);
    const token = await service.tokens.forCustomer({ customer: customer_id, session: session.id, ttlMs });
    return { status: 201, body: token, objects: { owner_id, session_id: session.id } };
  },
  async createStreamToken(service, { body, principal }) {
    const found = await Promise.all([...new Set(body.sessions)].map((id) => sessionOf(service, principal, id)));
    const sessions = found.map(({ session }) => session.id);
    const token = await service.tokens.forStream({ sessions, behalf: principal, ttlMs: service.tokenTtl.streamMs });
    return { status: 201, body: token, objects: { sessions: sessions.join(" ") } };
  },
  async listAudit({ store }, { query }) {
    const { items, next_cursor, total } = await store.list({ of: "records", kind: auditKind, order: "desc", ...query });
    return { status: 200, body: { items: items.map(toWireEntry), next_cursor, total } };
  },
};
