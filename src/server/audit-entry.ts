/** An entry of the audit log, as it is stored: also of what is done without a request. */
import type { JsonObject } from "../kernel/json.ts";
import type { Ids } from "../kernel/id.ts";
import type { AuditEntry } from "../protocol/audit.ts";
import type { RecordChange, RecordRow } from "../store/port.ts";

/** The kind of an entry's record. Its key sorts by time. */
export const auditKind = "audit";

/** Entries go after so long. */
const keepMs = 400 * 86_400_000;

/** What is written down of somebody's doing. */
export type Entry = Omit<AuditEntry, "id" | "at" | "objects"> & { readonly objects: JsonObject };

/** The record of an entry. */
export const toAuditRecord = ({ ids, at }: { readonly ids: Ids; readonly at: number }, entry: Entry): RecordChange => ({
  kind: auditKind,
  key: ids.next("commit").slice("cmt_".length),
  data: { ...entry },
  expires_at: at + keepMs,
});

/** An entry as it is on the wire. */
export function toWireEntry({ key, created_at, data }: RecordRow): AuditEntry {
  // What this module has written, it reads.
  const { actor, operation, status, request_id, objects } = data as unknown as Omit<AuditEntry, "id" | "at">;
  return { id: `aud_${key}`, at: created_at, actor, operation, status, ...(request_id === undefined ? {} : { request_id }), objects };
}
