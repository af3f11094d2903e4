/**
 * Idempotency keys of changes that stand in no log: of customers, and of variables. The key is a record in the commit of the change, so that it holds after
 * any crash, with the version that the change has led to.
 */
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { RecordChange, Store } from "../../store/port.ts";
import type { WriterContext } from "../../extension/port.ts";
import { hashOf, type Idempotency } from "./idempotency.ts";
import { findRecord } from "../../extension/lists.ts";

/** The kind of such records. */
const kind = "change";
/** Milliseconds that a key is remembered, as the answers of the service are: a day. */
const keptMs = 86_400_000;

/** What is changed: the record is erased with the owner, or with the session that owns it; an agent's names nobody. */
export interface Changed {
  readonly owner_id: OwnerId;
  readonly of?: { readonly owner_id: OwnerId } | { readonly session_id: SessionId };
}

const keyOf = ({ owner_id }: Changed, { key }: Idempotency): string => hashOf({ owner_id, key });

/** The version that a change with this key has led to; undefined if there was none. `session.idempotency_mismatch` if that was another change. */
export async function changedBefore(store: Store, changed: Changed, idempotency: Idempotency | undefined): Promise<number | undefined> {
  if (idempotency === undefined) return undefined;
  const data = (await findRecord(store, kind, keyOf(changed, idempotency)))?.data;
  if (data === undefined) return undefined;
  if (data["body_hash"] === idempotency.body_hash) return Number(data["version"]);
  throw new ThroughlineError("session.idempotency_mismatch", "The idempotency key was used for another change.");
}

/** What of a commit is the key of its change: refused (`stale_record`) if somebody has used it meanwhile. */
export function keyRecords(
  { clock }: Pick<WriterContext, "clock">,
  changed: Changed,
  { idempotency, version }: { readonly idempotency: Idempotency | undefined; readonly version: number },
): { readonly records?: readonly RecordChange[] } {
  if (idempotency === undefined) return {};
  const data = { body_hash: idempotency.body_hash, version };
  return { records: [{ kind, key: keyOf(changed, idempotency), depends: { version: 0 }, data, expires_at: clock.now() + keptMs, ...changed.of }] };
}
