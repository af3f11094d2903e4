/** Customers, and the jobs that export or erase their data. */
import { z } from "zod";
import { defineOperations, metadataMember, ofCustomer, ofMetadata } from "../operation.ts";
import { customer, customerPatch, job, newCustomer } from "../wire-customer.ts";
import { pageOf, pageQuery } from "../wire-value.ts";

/** Operations on customers. */
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

/** Jobs on all data of a customer, which take longer than a request. */
export const jobOperations = defineOperations({
  eraseCustomer: {
    method: "DELETE",
    path: "/v1/customers/{customer_id}",
    tag: "jobs",
    summary: "Erase a customer with all sessions",
    description: "Cannot be undone. Sent again while it is under way, it gives the same job.",
    scope: "erase",
    audited: true,
    answers: { 202: { description: "The job that erases.", schema: job } },
    errors: ofCustomer,
  },
  exportCustomer: {
    method: "POST",
    path: "/v1/customers/{customer_id}/exports",
    tag: "jobs",
    summary: "Export a customer with all sessions",
    description: "The result can be read for 24 hours. It has everything that is stored of the customer, metadata among it.",
    scope: "export",
    audited: true,
    answers: { 202: { description: "The job that exports.", schema: job } },
    errors: ofCustomer,
  },
  getJob: {
    method: "GET",
    path: "/v1/jobs/{job_id}",
    tag: "jobs",
    summary: "How far a job is",
    scope: "customers:read",
    answers: { 200: { description: "The job.", schema: job } },
    errors: ["job.not_found"],
  },
  getJobResult: {
    method: "GET",
    path: "/v1/jobs/{job_id}/result",
    tag: "jobs",
    summary: "The result of an export, as lines of JSON",
    scope: "export",
    audited: true,
    answers: { 200: { description: "A bundle: its last line says that it is whole.", media: ["application/x-ndjson"] } },
    errors: ["job.not_found", "job.not_done", "job.failed"],
  },
});
