/** The webhooks that the service sends. */
import { pageAt } from "throughline/internal";
import { seen, ThroughlineError } from "throughline/kernel";
import type { webhookOperations } from "../../protocol/operations/webhook-operations.ts";
import { type Handlers, inSession, ok } from "../request-call.ts";
import type { Service } from "../service.ts";
import type { WebhookControl } from "../webhooks/webhook-target.ts";

/** The control of the deliveries. Throws `webhook.not_found` for a service that sends none. */
function controlOf({ webhooks }: Service, sought: string): WebhookControl {
  if (webhooks !== undefined) return webhooks;
  throw new ThroughlineError("webhook.not_found", `There is no webhook ${seen(sought)}: the service sends none.`);
}

/** Handlers for webhooks. */
export const webhookRoutes: Handlers<keyof typeof webhookOperations> = {
  listWebhooks: async ({ webhooks }, { query }) => {
    const page = pageAt((await webhooks?.list()) ?? [], query);
    return ok({ ...page, items: [...page.items] });
  },
  pauseWebhook: async (service, { path: { endpoint } }) => ok(await controlOf(service, endpoint).pause(endpoint)),
  resumeWebhook: async (service, { path: { endpoint } }) => ok(await controlOf(service, endpoint).resume(endpoint)),
  rotateWebhookSecret: async (service, { path: { name } }) => ok(await controlOf(service, name).rotate(name)),
  listDeadLetters: async ({ webhooks }, { query }) => {
    const page = await webhooks?.deadLetters(query);
    return ok(page === undefined ? { items: [], next_cursor: null, total: 0 } : { ...page, items: [...page.items] });
  },
  resendDeadLetter: async (service, { body: { id } }) => ok(await controlOf(service, id).resend(id)),
  listSessionWebhooks: inSession(async ({ session }, { query }, { webhooks }) => {
    const page = pageAt((await webhooks?.positions(session.id)) ?? [], query);
    return ok({ ...page, items: [...page.items] });
  }),
};
