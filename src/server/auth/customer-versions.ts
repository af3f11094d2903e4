/** The version of a customer that tokens carry. An erasure, a new customer under the same id and a revocation each change it. */
import { createHash } from "node:crypto";
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { createIds, type OwnerId } from "../../kernel/id.ts";
import { checkId } from "../../runtime/commands/customers.ts";
import { findCustomer, findRecord, getCustomer } from "../../extension/lists.ts";
import type { CustomerRow, RecordChange, RecordRow, Store } from "../../store/port.ts";
import { changeRecord, type RecordWriter, toAuditRecord } from "../records.ts";
import { rereading, rereadingEach } from "./rereading.ts";

/** One for each owner whose tokens were revoked: how often. It is erased with its owner. */
const revokedKind = "token_revocation";
/** One for the database, which every revocation changes: a process reads this one to learn whether any token was revoked. */
const anyRevocation = { kind: "token_revocations", key: "all" } as const;

/** Versions of customers, as a process knows them. */
export interface CustomerVersions {
  /** The version that a good token of this customer carries, as of the last second; undefined if there is no such customer. `fresh` reads it now. */
  of(customer_id: string, options?: { readonly fresh?: boolean }): Promise<string | undefined>;
  /** Changes with each revocation in the database, as of the last second. */
  revocations(): Promise<number>;
}

const timesOf = (row: RecordRow | undefined): number => (typeof row?.data["times"] === "number" ? row.data["times"] : 0);

/** A customer's version: opaque, and different for another owner of the same id. */
async function versionOf(store: Store, { owner_id, created_at }: CustomerRow): Promise<string> {
  const times = timesOf(await findRecord(store, revokedKind, owner_id));
  return createHash("sha256")
    .update(JSON.stringify([owner_id, created_at, times]))
    .digest("base64url")
    .slice(0, 22);
}

/** Versions of the customers of a store. */
export function createCustomerVersions({ store, clock }: { readonly store: Store; readonly clock: Clock }): CustomerVersions {
  const read = async (customer_id: string): Promise<string | undefined> => {
    const customer = await findCustomer(store, customer_id);
    return customer === undefined ? undefined : versionOf(store, customer);
  };
  const revocations = rereading(clock, async () => (await findRecord(store, anyRevocation.kind, anyRevocation.key))?.version ?? 0);
  return { of: rereadingEach(clock, read), revocations: () => revocations() };
}

/** Writes a revocation, with a record of who asked for it if that is not recorded elsewhere. */
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
 * Revokes all tokens of a customer that were issued so far: every process refuses them within two seconds, and ends their streams. `customer.not_found` if
 * there is no such customer.
 */
export async function revokeTokens(store: Store, customer_id: string, { clock = systemClock }: { readonly clock?: Clock } = {}): Promise<void> {
  const record = (owner_id: OwnerId): RecordChange => {
    const entry = { actor: "operator", operation: "revokeTokens", status: 204, objects: { owner_id } };
    return toAuditRecord({ ids: createIds({ clock }), at: clock.now() }, entry);
  };
  await endTokens({ store, clock }, customer_id, (owner_id) => [record(owner_id)]);
}
