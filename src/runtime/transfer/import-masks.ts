/** What no model is to be shown of a session that is imported to a customer who is there already. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { joinOffsets, maskWrites, type OffsetsBySession } from "../../memory/control/masks.ts";
import { barCheck } from "../../memory/write/bar.ts";
import { decodeEntries } from "../../memory/write/decode.ts";
import type { EntryRow } from "../../store/port.ts";
import { changes, refused } from "../../extension/commit.ts";
import { findCustomer } from "../../extension/lists.ts";
import { echoesIn } from "../../memory/keep/forget-memory.ts";
import { readMemory } from "../../memory/keep/read-memory.ts";
import type { EntryLine } from "./bundle.ts";
import type { Importing } from "./import-session.ts";

/** The messages that the bundle masks; the last line of an entry counts. */
function carried(entries: readonly EntryLine[]): OffsetsBySession {
  const rows = entries.filter(({ kind }) => kind === "mask").map((line, version): EntryRow => ({ ...line, version }));
  return joinOffsets(
    ...decodeEntries(rows).entries.map(({ entry }) => new Map(entry.type === "mask" ? [[entry.session_id, entry.offsets] as const] : [])),
  );
}

/**
 * Masks what the bundle masks, and what says words that the customer has forgotten here. Of the customer's other entries none is changed: what the bundle
 * remembers is not imported to them.
 */
export async function maskImported(
  { store, ids }: Importing,
  { customer_id, session_id, entries, at }: { customer_id: string; session_id: SessionId; entries: readonly EntryLine[]; at: number },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const customer = await findCustomer(store, customer_id);
    if (customer === undefined) return;
    const { owner_id, version }: { owner_id: OwnerId; version: number } = customer;
    const memory = await readMemory(store, owner_id);
    const isBarred = barCheck(
      memory.bars.map(({ entry }) => entry),
      owner_id,
    );
    const barred =
      memory.bars.length === 0 ? [] : (await echoesIn(store, { session_id, says: (text) => isBarred({ text }) })).map(({ offset }) => offset);
    const masked = new Map([...joinOffsets(carried(entries), new Map([[session_id, barred]]))].filter(([session]) => session === session_id));
    const writes = maskWrites(memory.masks, masked, at);
    if (writes.length === 0) return;
    const result = await store.commit({ commit_id: ids.next("commit"), at, owner: { owner_id, depends: { version }, entries: writes } });
    if (result.outcome === "committed") return;
    if (result.reason !== "stale_version" || tries === changes) throw refused(result, session_id);
  }
}
