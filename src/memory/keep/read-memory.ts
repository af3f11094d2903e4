/** Reading an owner's memory to its end, for a decision about it. */
import type { OwnerId } from "../../kernel/id.ts";
import { snapshotKinds, snapshotOf, type MemorySnapshot } from "../control/snapshot.ts";
import type { Store } from "../../store/port.ts";
import { entriesOf } from "../../extension/lists.ts";

/** An owner's memory as it stands: read page by page, so that a long one holds no process up for long. Vectors are not read; whether there are any is. */
export async function readMemory(store: Pick<Store, "entries">, owner_id: OwnerId): Promise<MemorySnapshot> {
  const rows = await Array.fromAsync(entriesOf(store, { owner_id, kinds: snapshotKinds }));
  const [vector] = await store.entries({ owner_id, kinds: ["vector"], limit: 1, newest: true });
  return snapshotOf(owner_id, rows, { vectors: vector !== undefined });
}
