import { ThroughlineError } from "../../kernel/error.ts";
import type { handoverOperations } from "../../protocol/operations/handover.ts";
import type { Session } from "../../create-runtime.ts";
import { sessionOf } from "../session-of.ts";
import type { Handlers } from "../call.ts";

/** Where a session stands, once it was handed on. */
async function standingOf(session: Session) {
  const { id, mode, handover } = await session.info();
  return { status: 200, body: { session_id: id, mode, ...(handover === undefined ? {} : { handover }) } } as const;
}

/** Hand-over to people, and back. */
export const handoverRoutes: Handlers<keyof typeof handoverOperations> = {
  async handOver(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.handOver({ ...body, ...once });
    return standingOf(session);
  },
  async assignSession(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.assign({ ...body, ...once });
    return standingOf(session);
  },
  async unassignSession(service, { path, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.unassign(once);
    return standingOf(session);
  },
  async handBack(service, { path, body, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.handBack({ ...body, ...once });
    return standingOf(session);
  },
  async listHandovers({ runtime }, { query }) {
    const { queue, operator, customer_id, ...page } = query;
    if (queue === "mine" && operator === undefined)
      throw new ThroughlineError("handover.invalid", "The queue `mine` needs an operator.", { details: { path: "operator" } });
    const listed = await runtime.handovers.list({
      queue: queue === "mine" ? "assigned" : queue,
      ...page,
      ...(operator === undefined ? {} : { operator }),
      ...(customer_id === undefined ? {} : { customer: customer_id }),
    });
    const items = listed.items.map(({ id, agent, customer_id, title, handover, updated_at }) => ({
      session_id: id,
      agent,
      ...(customer_id === undefined ? {} : { customer_id }),
      title,
      handover,
      updated_at,
    }));
    return { status: 200, body: { ...listed, items } };
  },
};
