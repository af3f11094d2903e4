import { z } from "zod";
import { time } from "./value.ts";

/** An audit entry: what a caller read or did. It names no customer by the integration's own id, and holds nothing that a person wrote. */
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

/** What a caller read or did. */
export type AuditEntry = z.output<typeof auditEntry>;
