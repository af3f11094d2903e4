/** Reading an owner's memory to its end, for a decision about it. */
import type { OwnerId } from "../../kernel/id.ts";
import { snapshotKinds, snapshotOf, type MemorySnapshot } from "../../memory/control/snapshot.ts";
import type { EntryRow, Store } from "../../store/port.ts";

/** Rows of one read. */
const pageRows = 1_000;

/** An owner's memory as it stands: read page by page, so that a long one holds no process up for long. Vectors are not read; whether there are any is. */
export async function readMemory(store: Pick<Store, "entries">, owner_id: OwnerId): Promise<MemorySnapshot> {
  const rows: EntryRow[] = [];
  for (let min_version = 1; ;) {
    const page = await store.entries({ owner_id, min_version, kinds: snapshotKinds, limit: pageRows });
    for (const row of page) rows.push(row);
    const last = page.at(-1);
    if (page.length < pageRows || last === undefined) break;
    min_version = last.version + 1;
  }
  const [vector] = await store.entries({ owner_id, kinds: ["vector"], limit: 1, newest: true });
  return snapshotOf(owner_id, rows, { vectors: vector !== undefined });
}
