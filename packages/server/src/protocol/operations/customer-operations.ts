/** Customers, the jobs that export or erase their data, tokens, and the audit log. */
import { z } from "zod";
import { accepted, answer, created, defineOperations, metadataMember, ofCustomer, ofMetadata } from "../operation.ts";
import { auditEntry, issuedCustomerToken, issuedToken, newStreamToken, newToken } from "../wire-auth.ts";
import { apiKey, erasurePreview, issuedApiKey, newApiKey } from "../wire-inspect.ts";
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
    answers: created("The customer.", customer),
    errors: ["customer.exists", "input.invalid", "session.idempotency_mismatch", ...ofMetadata, "outbound.refused"],
  },
  listCustomers: {
    method: "GET",
    path: "/v1/customers",
    tag: "customers",
    summary: "List customers, oldest first",
    scope: "customers:read",
    query: z.strictObject(pageQuery),
    answers: answer("A page.", pageOf(customer)),
    errors: ["cursor.invalid"],
  },
  getCustomer: {
    method: "GET",
    path: "/v1/customers/{customer_id}",
    tag: "customers",
    summary: "A customer",
    scope: "customers:read",
    answers: answer("The customer.", customer),
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
    answers: answer("The customer.", customer),
    errors: [...ofCustomer, ...ofMetadata, "outbound.refused", "session.conflict", "session.idempotency_mismatch", "request.precondition_failed"],
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
    answers: accepted("The job that erases.", job),
    errors: ofCustomer,
  },
  previewCustomerErasure: {
    method: "GET",
    path: "/v1/customers/{customer_id}/erasure",
    tag: "jobs",
    summary: "What erasing a customer would remove",
    scope: "erase",
    answers: answer("The numbers.", erasurePreview),
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
    answers: accepted("The job that exports.", job),
    errors: ofCustomer,
  },
  getJob: {
    method: "GET",
    path: "/v1/jobs/{job_id}",
    tag: "jobs",
    summary: "How far a job is",
    scope: "customers:read",
    answers: answer("The job.", job),
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

/** Tokens and the audit log. */
export const authOperations = defineOperations({
  createToken: {
    method: "POST",
    path: "/v1/tokens",
    tag: "auth",
    summary: "Create a token for a customer's browser",
    description: [
      "Whoever has it reads and posts as this customer, in the customer's sessions or in one of them, and sees what is public. An unknown customer is registered.",
      "It ends with its time, with the key that issued it, when the customer is erased, and when the customer's tokens are revoked.",
    ].join("\n\n"),
    scope: "tokens",
    audited: true,
    body: newToken,
    answers: created("The token.", issuedCustomerToken),
    errors: ["input.invalid", "session.not_found"],
  },
  revokeTokens: {
    method: "DELETE",
    path: "/v1/customers/{customer_id}/tokens",
    tag: "auth",
    summary: "Revoke all tokens of a customer",
    description: "Within two seconds every process refuses the tokens issued so far, and ends the streams and long polls that were opened with them.",
    scope: "tokens",
    audited: true,
    answers: { 204: { description: "They are revoked." } },
    errors: ofCustomer,
  },
  createStreamToken: {
    method: "POST",
    path: "/v1/stream-tokens",
    tag: "auth",
    summary: "Create a token for the address of an event stream",
    description:
      "For `EventSource`, which sends no headers: as `stream_token` in the query of a request for events. It reads what its maker may read of these sessions. " +
      "The first connection has to be made before it expires; after that it still counts for reconnecting (a request with `Last-Event-ID`) for 24 hours. " +
      "It ends with the key or the customer's token that it was asked for with, and so does an open stream.",
    scope: "sessions:read",
    customers: true,
    audited: true,
    body: newStreamToken,
    answers: created("The token.", issuedToken),
    errors: ["session.not_found"],
  },
  createKey: {
    method: "POST",
    path: "/v1/keys",
    tag: "auth",
    summary: "Create an API key",
    description: "The key is shown once. The first key of a service ends its access without keys, within seconds and in every process.",
    scope: "admin",
    audited: true,
    body: newApiKey,
    answers: created("The key.", issuedApiKey),
    errors: ["input.invalid"],
  },
  listKeys: {
    method: "GET",
    path: "/v1/keys",
    tag: "auth",
    summary: "List API keys without their secrets, oldest first, with those that were revoked",
    scope: "admin",
    audited: true,
    query: z.strictObject(pageQuery),
    answers: answer("A page.", pageOf(apiKey)),
    errors: ["cursor.invalid"],
  },
  revokeKey: {
    method: "DELETE",
    path: "/v1/keys/{key_id}",
    tag: "auth",
    summary: "Revoke an API key",
    description: "Within two seconds every process refuses it, and the customer tokens that it issued. Once more, it changes nothing.",
    scope: "admin",
    audited: true,
    answers: answer("The key.", apiKey),
    errors: ["key.not_found"],
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    tag: "auth",
    summary: "List who looked at, or did, what matters, newest first",
    scope: "audit:read",
    audited: true,
    query: z.strictObject(pageQuery),
    answers: answer("A page.", pageOf(auditEntry)),
    errors: ["cursor.invalid"],
  },
});
