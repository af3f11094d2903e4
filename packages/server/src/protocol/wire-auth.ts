/** Scopes, tokens and audit entries. */
import { z } from "zod";
import { customerId, sessionId, time } from "./wire-value.ts";

/** The scopes of API keys with their meanings. The documentation and the OpenAPI description quote these texts. */
export const scopeMeanings = {
  "sessions:read": "read sessions, their events, turns and public state, variables of sessions and of agents, and agents",
  "sessions:write": "create and change sessions, post events, ask for turns, stop, decide and withdraw them, set variables of a session",
  "customers:read": "read customers, their variables and their jobs",
  "customers:write": "create and change customers and their variables",
  "metadata:read": "see metadata in every answer",
  "metadata:write": "give and change metadata, wherever a body has it",
  "state:read": "read state that is not public, also in events",
  "state:write": "change the state by hand, also when a session is handed back",
  "memory:read": "read what is remembered, and what a closed episode has left",
  "memory:write": "change what is remembered, and forget it",
  "prompts:read": "read prompts as a model got them, which hold everything that it saw",
  handover: "hand sessions to people, between people and back to the agent, change the mode, and list the queues",
  "usage:read": "read usage and cost",
  "safety:read": "read assessments and the safety report",
  webhooks: "list the targets of webhooks, pause, resume and rotate them, and resend what they did not get",
  tokens: "make tokens for customers, and revoke them",
  export: "export all data of a customer",
  erase: "delete sessions, erase customers, and remove the text of forgotten messages",
  "audit:read": "read the audit log",
  admin: "everything, and variables of agents",
} as const;

/** A scope of an API key. */
export type Scope = keyof typeof scopeMeanings;

/** All scopes. `admin` includes the others. */
// An object literal has exactly these keys.
export const scopes = Object.keys(scopeMeanings) as readonly Scope[];

/** Requests a customer token. */
export const newToken = z
  .strictObject({
    customer_id: customerId,
    session_id: sessionId.optional().describe("Only for this session of theirs."),
    ttl_seconds: z.int().min(1).max(86_400).optional().describe("How long it is good for: 900 if left out, unless the service is told otherwise."),
  })
  .meta({ id: "NewToken", examples: [{ customer_id: "crm-7", ttl_seconds: 300 }] });

/** Requests a token for opening streams. */
export const newStreamToken = z
  .strictObject({ sessions: z.array(sessionId).min(1).max(100).describe("The sessions whose events it may read.") })
  .meta({ id: "NewStreamToken", examples: [{ sessions: ["ses_01k9pt2v7m0000000000000000"] }] });

/** A new token. It cannot be read again. */
export const issuedToken = z.object({ token: z.string(), expires_at: time }).meta({ id: "IssuedToken" });

/** A new customer token. */
export const issuedCustomerToken = issuedToken
  .extend({
    customer_version: z
      .string()
      .describe("The claim `ver` of a token that you sign yourself. A revocation changes it, and so does a new customer under the same id."),
  })
  .meta({ id: "IssuedCustomerToken" });

/** An audit entry: an access or change by a caller. It contains no customer id of the integration and no text of a person. */
export const auditEntry = z
  .object({
    id: z.string(),
    at: time,
    actor: z
      .string()
      .describe("`key:` and the key's id, `customer`, `local` where there were no keys, or `operator` for what was done beside the service."),
    operation: z.string().describe("The id of the operation, or what an operator did: `createKey`, `revokeKey`, `rotateTokenKeys`."),
    status: z.int().describe("The status of the answer."),
    request_id: z.string().exactOptional(),
    objects: z.record(z.string(), z.string()).describe("What it was about: `session_id`, `owner_id` and the like."),
  })
  .meta({ id: "AuditEntry" });

/** An audit entry. */
export type AuditEntry = z.output<typeof auditEntry>;
