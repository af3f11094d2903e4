import type { Customer } from "../../runtime/commands/customers.ts";
import type { customerOperations } from "../../protocol/operations/customers.ts";
import type { Handlers } from "../call.ts";
import { allows, type Principal } from "../principal.ts";

/** A customer on the wire: metadata only for whoever may read it. */
export function toWireCustomer({ id, name, variables, metadata, created_at, version }: Customer, principal: Principal) {
  return {
    id,
    name,
    variables: variables.values,
    ...(allows(principal, "metadata:read") ? { metadata: metadata.values } : {}),
    created_at,
    version,
  };
}

const addressOf = (id: string): string => `/v1/customers/${encodeURIComponent(id)}`;

/** Customers. */
export const customerRoutes: Handlers<keyof typeof customerOperations> = {
  async createCustomer({ runtime }, { body, principal, once }) {
    const customer = await runtime.customers.create({ ...body, ...once });
    return { status: 201, body: toWireCustomer(customer, principal), version: customer.version, location: addressOf(customer.id) };
  },
  async listCustomers({ runtime }, { query, principal }) {
    const page = await runtime.customers.list(query);
    return { status: 200, body: { ...page, items: page.items.map((customer) => toWireCustomer(customer, principal)) } };
  },
  async getCustomer({ runtime }, { path, principal }) {
    const customer = await runtime.customers.get(path.customer_id);
    return { status: 200, body: toWireCustomer(customer, principal), version: customer.version };
  },
  async updateCustomer({ runtime }, { path, body, principal, condition, once }) {
    const customer = await runtime.customers.patch(path.customer_id, body, { ...condition, ...once });
    return { status: 200, body: toWireCustomer(customer, principal), version: customer.version };
  },
};
