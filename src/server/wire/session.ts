import type { WireSession } from "../../protocol/session.ts";
import type { SessionInfo } from "../../runtime/reading/session-info.ts";
import { allows, customerOf, type Principal } from "../principal.ts";

/** A session on the wire: the public view for a customer, metadata only for whoever may read it. */
export function toWireSession(info: SessionInfo, principal: Principal): WireSession {
  const { id, agent, mode, title, head, episode, incognito, created_at, updated_at, version } = info;
  const shown = { id, agent, mode, title, ...(incognito === undefined ? {} : { incognito }), episode, head, created_at, updated_at, version };
  if (customerOf(principal) !== undefined) return shown;
  const { definition, customer_id, handover, labels, metadata, consumers, origin } = info;
  return {
    ...shown,
    definition,
    ...(customer_id === undefined ? {} : { customer_id }),
    ...(handover === undefined ? {} : { handover }),
    labels: [...labels],
    ...(allows(principal, "metadata:read") ? { metadata: metadata.values } : {}),
    consumers,
    ...(origin === undefined ? {} : { origin }),
  };
}
