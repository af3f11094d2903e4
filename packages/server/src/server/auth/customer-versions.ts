/** The version of a customer that tokens carry. It changes on erasure, on revocation, and for a new customer with the same id. */
import { createHash } from "node:crypto";
import { systemClock, type Clock, createIds, type OwnerId } from "throughline/kernel";
import { findCustomer, findRecord, getCustomer } from "throughline/internal";
import { checkId } from "throughline/internal/runtime";
import type { CustomerRow, RecordChange, RecordRow } from "throughline/store";
import type { Store } from "throughline";
import { changeRecord, type RecordWriter, toAuditRecord } from "../service-records.ts";
import { rereading, rereadingEach } from "./rereading.ts";

/** The record kind that counts an owner's revocations. The record is erased with the owner. */
const revokedKind = "token_revocation";
/** One record per database, changed by every revocation. A process reads it to detect that some token was revoked. */
const anyRevocation = { kind: "token_revocations", key: "all" } as const;

/** Customer versions, cached per process. */
export interface CustomerVersions {
  /**
   * The version that a valid token of this customer carries; undefined if the customer does not exist. The value is at most one second old; `fresh`
   * reads it again.
   */
  of(customer_id: string, options?: { readonly fresh?: boolean }): Promise<string | undefined>;
  /** A number that changes with every revocation in the database. It is at most one second old. */
  revocations(): Promise<number>;
}

const timesOf = (row: RecordRow | undefined): number => (typeof row?.data["times"] === "number" ? row.data["times"] : 0);

/** A customer's version: opaque, and different for another owner with the same id. */
async function versionOf(store: Store, { owner_id, created_at }: CustomerRow): Promise<string> {
  const times = timesOf(await findRecord(store, revokedKind, owner_id));
  return createHash("sha256")
    .update(JSON.stringify([owner_id, created_at, times]))
    .digest("base64url")
    .slice(0, 22);
}

/** Reads and caches the versions of a store's customers. */
export function createCustomerVersions({ store, clock }: { readonly store: Store; readonly clock: Clock }): CustomerVersions {
  const read = async (customer_id: string): Promise<string | undefined> => {
    const customer = await findCustomer(store, customer_id);
    return customer === undefined ? undefined : versionOf(store, customer);
  };
  const revocations = rereading(clock, async () => (await findRecord(store, anyRevocation.kind, anyRevocation.key))?.version ?? 0);
  return { of: rereadingEach(clock, read), revocations: () => revocations() };
}

/** Records a revocation. `also` adds an audit entry if the caller does not write one. */
export async function endTokens(
  writer: RecordWriter,
  customer_id: string,
  also: (owner_id: OwnerId) => readonly RecordChange[] = () => [],
): Promise<Pick<CustomerRow, "owner_id">> {
  const { owner_id } = await getCustomer(writer.store, checkId(customer_id));
  await changeRecord(writer, { kind: revokedKind, key: owner_id }, (current) => ({
    owner_id,
    data: { times: timesOf(current) + 1 },
    also: [...also(owner_id), { ...anyRevocation, data: {} }],
  }));
  return { owner_id };
}

/**
 * Revokes all tokens issued to a customer so far. Within two seconds every process rejects them and ends their streams. Throws `customer.not_found`
 * if the customer does not exist.
 */
export async function revokeTokens(store: Store, customer_id: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Promise<void> {
  const record = (owner_id: OwnerId): RecordChange => {
    const entry = { actor: "operator", operation: "revokeTokens", status: 204, objects: { owner_id } };
    return toAuditRecord({ ids: createIds({ clock }), at: clock.now() }, entry);
  };
  await endTokens({ store, clock }, customer_id, (owner_id) => [record(owner_id)]);
}
