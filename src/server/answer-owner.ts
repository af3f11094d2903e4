/** Whose an answer is, so that it is encrypted as theirs and erased with them. */
import { z } from "zod";
import type { OwnerId, SessionId } from "../kernel/id.ts";
import type { NamedRequest, Service } from "./service.ts";

/** What of a request's body may say whose its answer is. */
const mentions = z.object({
  id: z.string().optional().catch(undefined),
  customer_id: z.string().optional().catch(undefined),
  sessions: z.array(z.string()).optional().catch(undefined),
});

const located = /^\/v1\/(sessions|customers)\/([^/]+)/;

/** The session that an answer is about, else the customer's owner; undefined if it is about nobody who is there. */
export async function ownerOfAnswer(
  { store, runtime }: Pick<Service, "store" | "runtime">,
  { path, body: asked }: NamedRequest,
  { location, body }: { readonly location: string | null; readonly body: string },
): Promise<{ readonly session_id: SessionId } | { readonly owner_id: OwnerId } | undefined> {
  const [, kind, name] = located.exec(location ?? "") ?? [];
  const made = name === undefined ? undefined : decodeURIComponent(name);
  const request = mentionsOf(asked);
  const answer = mentionsOf(body);
  const sessions = [path["session_id"], kind === "sessions" ? made : undefined, answer.id, request.sessions?.[0]];
  for (const id of sessions) {
    if (id?.startsWith("ses_") !== true) continue;
    const session = await store.open({ session_id: id as SessionId });
    if (session !== undefined) return { session_id: session.session_id };
  }
  const customers = [path["customer_id"], kind === "customers" ? made : undefined, request.customer_id, request.id];
  for (const id of customers) {
    const customer = id === undefined ? undefined : await runtime.customers.find(id);
    if (customer !== undefined) return { owner_id: customer.owner_id };
  }
  return undefined;
}

function mentionsOf(text: string): z.output<typeof mentions> {
  try {
    return mentions.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
