import type { usageOperations } from "../../protocol/operations/usage.ts";
import { sessionOf } from "../session-of.ts";
import type { Handlers } from "../call.ts";

/** What was spent. */
export const usageRoutes: Handlers<keyof typeof usageOperations> = {
  async getCustomerUsage({ runtime }, { path }) {
    return { status: 200, body: await runtime.customers.usage(path.customer_id) };
  },
  async getSessionUsage(service, { path, principal }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    return { status: 200, body: await session.usage() };
  },
};
