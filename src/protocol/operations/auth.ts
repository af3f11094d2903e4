import { z } from "zod";
import { auditEntry } from "../audit.ts";
import { defineOperations } from "../operation.ts";
import { pageOf, pageQuery } from "../page.ts";
import { issuedToken, newStreamToken, newToken } from "../token.ts";
import { ofCustomer } from "./errors.ts";

/** Tokens, and the audit log. */
export const authOperations = defineOperations({
  createToken: {
    method: "POST",
    path: "/v1/tokens",
    tag: "auth",
    summary: "Create a token for a customer's browser",
    description: "Whoever has it reads and posts as this customer, in the customer's sessions or in one of them, and sees what is public.",
    scope: "tokens",
    audited: true,
    body: newToken,
    answers: { 201: { description: "The token.", schema: issuedToken } },
    errors: [...ofCustomer, "session.not_found"],
  },
  createStreamToken: {
    method: "POST",
    path: "/v1/stream-tokens",
    tag: "auth",
    summary: "Create a token for the address of an event stream",
    description:
      "For `EventSource`, which sends no headers: as `stream_token` in the query of a request for events. It reads what its maker may read of these sessions. " +
      "It has to be used soon; a stream that is open stays open.",
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
