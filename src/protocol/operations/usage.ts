import { defineOperations } from "../operation.ts";
import { usage } from "../usage.ts";
import { ofCustomer } from "./errors.ts";

const answers = { 200: { description: "What was spent.", schema: usage } } as const;

/** What was spent. */
export const usageOperations = defineOperations({
  getCustomerUsage: {
    method: "GET",
    path: "/v1/customers/{customer_id}/usage",
    tag: "usage",
    summary: "What all sessions of a customer have spent",
    scope: "usage:read",
    answers,
    errors: ofCustomer,
  },
  getSessionUsage: {
    method: "GET",
    path: "/v1/sessions/{session_id}/usage",
    tag: "usage",
    summary: "What a session has spent",
    scope: "usage:read",
    answers,
    errors: ["session.not_found"],
  },
});
