/** Records of the reference model. A removed record stays for a while without its data, so that its commit is recognized when it is repeated. */
import { present } from "../../kernel/json.ts";
import { type Commit, recordEnd, type RecordQuery, type RecordRow, type Refusal, removedForMs } from "../port.ts";
import { type Book, copyOf, type StoredRecord } from "./book.ts";

type Name = Pick<RecordRow, "kind" | "key">;

const nameOf = ({ kind, key }: Name): string => JSON.stringify([kind, key]);

const isLive = ({ expires_at = Infinity }: StoredRecord, now: number): boolean => expires_at > now;

/** Returns a record by its name, including a removed one that has not expired. */
export function findRecord(book: Book, name: Name, now: number): StoredRecord | undefined {
  const record = book.records.get(nameOf(name));
  return record !== undefined && isLive(record, now) ? record : undefined;
}

/** Returns why the records of a commit cannot be written. */
export function recordRefusal(book: Book, { records = [], owner, session }: Commit, now: number): Refusal | undefined {
  for (const { kind, key, depends, owner_id, session_id } of records) {
    const ownerMade = owner?.create !== undefined && owner.owner_id === owner_id;
    if (owner_id !== undefined && !ownerMade && !book.owners.has(owner_id)) return { reason: "owner_missing" };
    const sessionMade = session?.create !== undefined && session.session_id === session_id;
    if (session_id !== undefined && !sessionMade && !book.sessions.has(session_id)) return { reason: "session_missing" };
    const found = findRecord(book, { kind, key }, now);
    const version = found === undefined || found.data === null ? 0 : found.version;
    if (depends !== undefined && depends.version !== version) return { reason: "stale_record", kind, key, version };
  }
  return undefined;
}

/** Number of records that each write checks for expiry. */
const checkedPerWrite = 16;

/** Removes expired records among a few, the next few each time. */
function forgetExpired(book: Book, now: number): void {
  let left = checkedPerWrite;
  for (const [name, record] of book.records) {
    if (left-- === 0) return;
    book.records.delete(name);
    if (isLive(record, now)) book.records.set(name, record);
  }
}

/** Writes the records of an accepted commit. */
export function writeRecords(book: Book, { records = [], commit_id, at }: Commit, now: number): void {
  for (const change of records) {
    const { kind, key, data, owner_id, session_id } = change;
    forgetExpired(book, now);
    const found = findRecord(book, { kind, key }, now);
    const former = found?.data === null ? undefined : found;
    const end = data === null ? now + removedForMs : recordEnd(change, now);
    const record: StoredRecord = {
      ...{ kind, key, version: (former?.version ?? 0) + 1, data, created_at: former?.created_at ?? at, updated_at: at, commit: commit_id },
      ...present({ expires_at: end }),
      ...(owner_id === undefined || data === null ? {} : { owner_id }),
      ...(session_id === undefined || data === null ? {} : { session_id }),
    };
    book.records.set(nameOf({ kind, key }), copyOf(record));
  }
}

/** Returns the records of a query, by key. */
export function recordsOf(book: Book, query: RecordQuery, now: number): readonly (readonly [key: string, row: RecordRow])[] {
  const { kind, key, prefix = "", session_id: wanted } = query;
  const named = key === undefined ? undefined : book.records.get(nameOf({ kind, key }));
  const found: (readonly [string, RecordRow])[] = [];
  for (const record of key === undefined ? book.records.values() : named === undefined ? [] : [named]) {
    if (record.kind !== kind || record.data === null || !isLive(record, now) || !record.key.startsWith(prefix)) continue;
    if (wanted !== undefined && record.session_id !== wanted) continue;
    const { data, commit: _commit, owner_id: _owner, session_id: _session, ...row } = record;
    found.push([record.key, { ...row, data }]);
  }
  return found;
}
