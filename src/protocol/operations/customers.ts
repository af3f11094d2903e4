import { customer, customerPatch, newCustomer } from "../customer.ts";
import { defineOperations, metadataMember } from "../operation.ts";
import { ofCustomer, ofMetadata } from "./errors.ts";
import { pageOf, pageQuery } from "../page.ts";
import { z } from "zod";

/** Customers. */
export const customerOperations = defineOperations({
  createCustomer: {
    method: "POST",
    path: "/v1/customers",
    tag: "customers",
    summary: "Create a customer",
    scope: "customers:write",
    members: [metadataMember],
    body: newCustomer,
    bodyOptional: true,
    answers: { 201: { description: "The customer.", schema: customer } },
    errors: ["customer.exists", "input.invalid", "session.idempotency_mismatch", ...ofMetadata],
  },
  listCustomers: {
    method: "GET",
    path: "/v1/customers",
    tag: "customers",
    summary: "List customers, oldest first",
    scope: "customers:read",
    query: z.strictObject(pageQuery),
    answers: { 200: { description: "A page.", schema: pageOf(customer) } },
    errors: ["cursor.invalid"],
  },
  getCustomer: {
    method: "GET",
    path: "/v1/customers/{customer_id}",
    tag: "customers",
    summary: "A customer",
    scope: "customers:read",
    answers: { 200: { description: "The customer.", schema: customer } },
    errors: ofCustomer,
  },
  updateCustomer: {
    method: "PATCH",
    path: "/v1/customers/{customer_id}",
    tag: "customers",
    summary: "Change a customer's name, variables and metadata",
    scope: "customers:write",
    versioned: true,
    members: [metadataMember],
    body: customerPatch,
    answers: { 200: { description: "The customer.", schema: customer } },
    errors: [...ofCustomer, ...ofMetadata, "session.conflict", "session.idempotency_mismatch", "request.precondition_failed"],
  },
});
