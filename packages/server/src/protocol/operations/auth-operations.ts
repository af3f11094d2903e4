import { z } from "zod";
import { defineOperations, ofCustomer } from "../operation.ts";
import { auditEntry, issuedCustomerToken, issuedToken, newStreamToken, newToken } from "../wire-auth.ts";
import { pageOf, pageQuery } from "../wire-value.ts";

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
    answers: { 201: { description: "The token.", schema: issuedCustomerToken } },
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
    answers: { 201: { description: "The token.", schema: issuedToken } },
    errors: ["session.not_found"],
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    tag: "auth",
    summary: "List who looked at, or did, what matters, newest first",
    scope: "audit:read",
    audited: true,
    query: z.strictObject(pageQuery),
    answers: { 200: { description: "A page.", schema: pageOf(auditEntry) } },
    errors: ["cursor.invalid"],
  },
});
