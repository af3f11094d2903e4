/** Tokens on the wire. */
import { z } from "zod";
import { customerId, sessionId, time } from "./value.ts";

/** Asks for a token for a customer. */
export const newToken = z
  .strictObject({
    customer_id: customerId,
    session_id: sessionId.optional().describe("Only for this session of theirs."),
    ttl_seconds: z.int().min(1).max(86_400).optional().describe("How long it is good for: 900 if left out, unless the service is told otherwise."),
  })
  .meta({ id: "NewToken", examples: [{ customer_id: "crm-7", ttl_seconds: 300 }] });

/** Asks for a token to open streams with. */
export const newStreamToken = z
  .strictObject({ sessions: z.array(sessionId).min(1).max(100).describe("The sessions whose events it may read.") })
  .meta({ id: "NewStreamToken", examples: [{ sessions: ["ses_01k9pt2v7m0000000000000000"] }] });

/** A token, shown this once. */
export const issuedToken = z.object({ token: z.string(), expires_at: time }).meta({ id: "IssuedToken" });

/** A token for a customer. */
export const issuedCustomerToken = issuedToken
  .extend({
    customer_version: z
      .string()
      .describe("The claim `ver` of a token that you sign yourself. A revocation changes it, and so does a new customer under the same id."),
  })
  .meta({ id: "IssuedCustomerToken" });
