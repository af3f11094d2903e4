/** Reads and writes records of the service: commits, concurrent updates, and the entries of the audit log. */
import { changes, commitOnce, findRecord, type WriterContext, present } from "throughline/internal";
import { createIds, type Ids, type JsonObject, silentLogger, systemClock, ThroughlineError } from "throughline/kernel";
import type { CommitResult, RecordChange, RecordRow } from "throughline/store";
import type { AuditEntry } from "../protocol/wire-auth.ts";

/** Dependencies for writing records. Omitted ones use the system's clock and ids and no logger. */
export type RecordWriter = Pick<WriterContext, "store"> & Partial<WriterContext>;

/** Writes records in one commit. Repeats the commit if its result is unknown. */
export function writeRecords(writer: RecordWriter, ...records: readonly RecordChange[]): Promise<CommitResult> {
  const { store, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = writer;
  return commitOnce({ store, clock, ids, logger }, { records });
}

/** The new value of a record, and further records to write with it. */
interface RecordDecision extends Omit<RecordChange, "kind" | "key" | "depends"> {
  readonly also?: readonly RecordChange[];
}

/**
 * Updates a record with optimistic locking and retries after a concurrent change. `decide` receives the current record or undefined, and returns
 * undefined for no change. Throws `store.failed` if the store rejects the commit or every retry loses the race.
 */
export async function changeRecord(
  writer: RecordWriter,
  { kind, key }: { readonly kind: string; readonly key: string },
  decide: (current: RecordRow | undefined) => RecordDecision | undefined,
): Promise<RecordRow | undefined> {
  for (let tries = 1; ; tries++) {
    const current = await findRecord(writer.store, kind, key);
    const decided = decide(current);
    if (decided === undefined) return current;
    const { also = [], ...change } = decided;
    const result = await writeRecords(writer, { kind, key, depends: { version: current?.version ?? 0 }, ...change }, ...also);
    if (result.outcome === "committed") return findRecord(writer.store, kind, key);
    if (result.reason !== "stale_record" || tries === changes)
      throw new ThroughlineError("store.failed", `The store rejected a record of kind ${kind}: ${result.reason}.`);
  }
}

/** The record kind of audit entries. The keys sort by time. */
export const auditKind = "audit";

/** Retention of audit entries: 400 days. */
const keepMs = 400 * 86_400_000;

/** The content of an audit entry. */
export type Entry = Omit<AuditEntry, "id" | "at" | "objects"> & { readonly objects: JsonObject };

/** Builds the record of an audit entry. */
export const toAuditRecord = ({ ids, at }: { readonly ids: Ids; readonly at: number }, entry: Entry): RecordChange => ({
  kind: auditKind,
  key: ids.next("commit").slice("cmt_".length),
  data: { ...entry },
  expires_at: at + keepMs,
});

/** Converts the record of an audit entry to its wire format. */
export function toWireEntry({ key, created_at, data }: RecordRow): AuditEntry {
  // Only `toAuditRecord` writes these records.
  const { actor, operation, status, request_id, objects } = data as unknown as Omit<AuditEntry, "id" | "at">;
  return { id: `aud_${key}`, at: created_at, actor, operation, status, ...present({ request_id }), objects };
}
