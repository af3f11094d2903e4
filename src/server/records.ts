/** Records of the service: writing them, changing one that others may change at the same time, and the entries of the audit log. */
import { changes, commitOnce } from "../extension/commit.ts";
import { findRecord } from "../extension/lists.ts";
import type { WriterContext } from "../extension/port.ts";
import { systemClock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { createIds, type Ids } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import { silentLogger } from "../kernel/log.ts";
import type { AuditEntry } from "../protocol/wire-auth.ts";
import type { CommitResult, RecordChange, RecordRow } from "../store/port.ts";

/** What writing records needs; what is left out is the system's own. */
export type RecordWriter = Pick<WriterContext, "store"> & Partial<WriterContext>;

/** Writes records in one commit, repeated if its answer is lost. */
export function writeRecords(writer: RecordWriter, ...records: readonly RecordChange[]): Promise<CommitResult> {
  const { store, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = writer;
  return commitOnce({ store, clock, ids, logger }, { records });
}

/** What a record becomes, and records that are written with it. */
interface RecordDecision extends Omit<RecordChange, "kind" | "key" | "depends"> {
  readonly also?: readonly RecordChange[];
}

/** Changes a record as it stands, and anew if somebody else was faster. `decide` gets undefined where there is none, and gives it for no change. */
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
      throw new ThroughlineError("store.failed", `A record of kind ${kind} was refused: ${result.reason}.`);
  }
}

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
