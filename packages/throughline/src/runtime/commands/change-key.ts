/**
 * Idempotency keys of changes that are in no log: of customers and of variables. The key is a record in the commit of the change, with the resulting
 * version, so that it survives any crash.
 */
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { RecordChange, Store } from "../../store/port.ts";
import type { WriterContext } from "../../extension/port.ts";
import { hashOf, type Idempotency } from "./idempotency.ts";
import { findRecord } from "../../extension/lists.ts";

/** Kind of these records. */
const kind = "change";
/** Milliseconds that a key is remembered: one day, like the responses of the service. */
const keptMs = 86_400_000;

/** The changed object. The record is erased with the owner, or with the session that owns it. The record of an agent has no owner. */
export interface Changed {
  readonly owner_id: OwnerId;
  readonly of?: { readonly owner_id: OwnerId } | { readonly session_id: SessionId };
}

const keyOf = ({ owner_id }: Changed, { key }: Idempotency): string => hashOf({ owner_id, key });

/**
 * Returns the version that an earlier change with this key produced, or undefined if there was none. Throws `session.idempotency_mismatch` if that
 * was a different change.
 */
export async function changedBefore(store: Store, changed: Changed, idempotency: Idempotency | undefined): Promise<number | undefined> {
  if (idempotency === undefined) return undefined;
  const data = (await findRecord(store, kind, keyOf(changed, idempotency)))?.data;
  if (data === undefined) return undefined;
  if (data["body_hash"] === idempotency.body_hash) return Number(data["version"]);
  throw new ThroughlineError("session.idempotency_mismatch", "The idempotency key was used for another change.");
}

/** Returns the part of a commit that stores the key of its change. The commit is rejected (`stale_record`) if another caller has used the key meanwhile. */
export function keyRecords(
  { clock }: Pick<WriterContext, "clock">,
  changed: Changed,
  { idempotency, version }: { readonly idempotency: Idempotency | undefined; readonly version: number },
): { readonly records?: readonly RecordChange[] } {
  if (idempotency === undefined) return {};
  const data = { body_hash: idempotency.body_hash, version };
  return { records: [{ kind, key: keyOf(changed, idempotency), depends: { version: 0 }, data, expires_at: clock.now() + keptMs, ...changed.of }] };
}
