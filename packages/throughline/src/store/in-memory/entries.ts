/** Memory entries of the reference model: every version of the entries that were not removed. */
import { type Book, type OwnerRecord, copyOf } from "./book.ts";
import type { EntriesRequest, EntryRow, OwnerChange } from "../port.ts";
import { checkEntries } from "../request.ts";

/** Writes entries, each as the next version. One without data removes all earlier versions of its entry. */
export function writeEntries(owner: OwnerRecord, entries: NonNullable<OwnerChange["entries"]>, at: number): void {
  const first = (owner.entries.at(-1)?.version ?? 0) + 1;
  const rows = entries.map(({ entry_id, kind, data }, index) => copyOf({ version: first + index, entry_id, kind, data, created_at: at }));
  const removed = new Map(rows.flatMap(({ entry_id, version, data }) => (data === null ? [[entry_id, version] as const] : [])));
  const all = [...owner.entries, ...rows];
  owner.entries = removed.size === 0 ? all : all.filter(({ entry_id, version }) => version >= (removed.get(entry_id) ?? 0));
}

/** Returns the index of the first row from a version on. */
function firstFrom(rows: readonly EntryRow[], version: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.version ?? version) < version) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a page of an owner's entries. */
export function entriesOf(book: Book, request: EntriesRequest): readonly EntryRow[] {
  checkEntries(request);
  const { owner_id, min_version = 0, max_version = Infinity, entry_id, kinds, limit = 1000, newest = false } = request;
  const rows = book.owners.get(owner_id)?.entries ?? [];
  const [first, end] = [firstFrom(rows, min_version), firstFrom(rows, max_version + 1)];
  const found: EntryRow[] = [];
  for (let place = 0; place < end - first && found.length < limit; place++) {
    const row = rows[newest ? end - 1 - place : first + place];
    if (row !== undefined && (entry_id ?? row.entry_id) === row.entry_id && (kinds === undefined || kinds.includes(row.kind))) found.push(row);
  }
  return newest ? found.toReversed() : found;
}
