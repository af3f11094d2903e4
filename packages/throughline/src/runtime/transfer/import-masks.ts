/** Masks for a session that is imported to an existing customer: messages that no model may be shown. */
import type { SessionId } from "../../kernel/id.ts";
import { joinOffsets, masksOf, maskWrites } from "../../session/masks.ts";
import type { EntryRow } from "../../store/port.ts";
import { changes, refused } from "../../extension/commit.ts";
import { readMasks } from "../../extension/forgotten.ts";
import { findCustomer } from "../../extension/lists.ts";
import type { BundleSession, EntryLine } from "./bundle.ts";
import type { Importing } from "./import-session.ts";

/** The masked messages and their sessions. */
interface Masking {
  readonly customer_id: string;
  readonly session_id: SessionId;
  readonly one: BundleSession;
  readonly entries: readonly EntryLine[];
  readonly at: number;
}

/**
 * Masks the messages that the bundle masks, and those that match content that this customer has had forgotten. The customer's other entries stay
 * unchanged, because the bundle's memory is not imported to an existing customer.
 */
export async function maskImported({ store, ids, keepers }: Importing, { customer_id, session_id, one, entries, at }: Masking): Promise<void> {
  const carried = masksOf(entries.map((line, version): EntryRow => ({ ...line, version }))).filter((mask) => mask.session_id === session_id);
  for (let tries = 1; ; tries++) {
    const customer = await findCustomer(store, customer_id);
    if (customer === undefined) return;
    const { owner_id, version } = customer;
    const given = { store, session_id, agent: one.session.agent, events: one.events, entries, owner_id };
    const forgotten = (await Promise.all(keepers.map((extension) => extension.imported(given)))).flatMap((part) => part?.masked ?? []);
    const masks = (await readMasks(store, owner_id)).map((entry) => ({ entry }));
    const writes = maskWrites(masks, joinOffsets(new Map([[session_id, [...carried.flatMap(({ offsets }) => offsets), ...forgotten]]])), at);
    if (writes.length === 0) return;
    const result = await store.commit({ commit_id: ids.next("commit"), at, owner: { owner_id, depends: { version }, entries: writes } });
    if (result.outcome === "committed") return;
    if (result.reason !== "stale_version" || tries === changes) throw refused(result, session_id);
  }
}
