/** What `doctor` says of what is remembered. */
import type { OwnerId } from "../kernel/id.ts";
import { isUnreadable, readEntry } from "../memory/write/decode.ts";
import { entriesOf, itemsOf } from "../extension/lists.ts";
import type { EntryRow, Store } from "../store/port.ts";
import type { Note } from "./program/service-checks.ts";

/** Most sessions whose owners are looked at, newest first, most entries in all, and most that are named. */
const most = { sessions: 200, entries: 20_000, named: 3 } as const;

/** The rows of these owners' memories. */
async function* rowsOf(store: Store, owners: Iterable<OwnerId>): AsyncGenerator<EntryRow> {
  for (const owner_id of owners) yield* entriesOf(store, { owner_id });
}

/** The owners of the newest sessions. */
async function ownersOf(store: Store): Promise<ReadonlySet<OwnerId>> {
  const owners = new Set<OwnerId>();
  let sessions = 0;
  for await (const { owner_id } of itemsOf(store, { of: "sessions", order: "desc" })) {
    owners.add(owner_id);
    if (++sessions === most.sessions) break;
  }
  return owners;
}

/** Whether entries can be read. One that cannot harms no other: it is as if it were not there. */
export async function memoryCheck(store: Store, note: Note): Promise<void> {
  const unreadable: string[] = [];
  let entries = 0;
  for await (const row of rowsOf(store, await ownersOf(store))) {
    if (entries === most.entries) break;
    const read = readEntry(row);
    if (read !== undefined) entries += 1;
    if (read !== undefined && isUnreadable(read)) unreadable.push(`${read.kind} ${read.entry_id}: ${read.why}`);
  }
  const faults = unreadable.length === 0 ? "" : `; ${unreadable.length} cannot be read: ${unreadable.slice(0, most.named).join("; ")}`;
  note("memory", unreadable.length === 0, entries === 0 ? "nothing is remembered" : `${entries} entries${faults}`);
}
