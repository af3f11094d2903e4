/** Erasure in the reference model, in one step. */
import { newErasureId } from "../../kernel/id.ts";
import { eventsLeft } from "./fork.ts";
import { type Book, type SessionRecord, leasedTurn } from "./book.ts";
import { type Erased, type Store, sessionOwnerId } from "../port.ts";

const isInUse = (session: SessionRecord): boolean => session.waiting.length > 0 || leasedTurn(session) !== undefined;

/** Erases a session, or an owner with all sessions, and leaves a receipt. */
export function erase(book: Book, target: Parameters<Store["erase"]>[0], now: number): Erased {
  const doomed = [...book.sessions.values()].filter(({ row }) =>
    "session_id" in target ? row.session_id === target.session_id : row.owner_id === target.owner_id,
  );
  if (doomed.length === 0 && !("owner_id" in target && book.owners.has(target.owner_id))) return { sessions: 0, events: 0 };
  if ("head" in target && target.head !== undefined && doomed.some((session) => isInUse(session) || session.row.head !== target.head))
    return { sessions: 0, events: 0 };
  const before = eventsLeft(book).size;
  for (const { row } of doomed) {
    book.sessions.delete(row.session_id);
    book.owners.delete(sessionOwnerId(row.session_id));
    const left = [...book.sessions.values()].some((session) => session.row.owner_id === row.owner_id);
    // An anonymous owner belongs to its session and could not be reached any more.
    if (!left && book.owners.get(row.owner_id)?.customer_id === undefined) book.owners.delete(row.owner_id);
  }
  if ("owner_id" in target) book.owners.delete(target.owner_id);
  for (const [name, { owner_id, session_id }] of book.records) {
    const isThere = (owner_id === undefined || book.owners.has(owner_id)) && (session_id === undefined || book.sessions.has(session_id));
    if (!isThere) book.records.delete(name);
  }
  const erased = {
    erasure_id: newErasureId(),
    requested_at: now,
    finished_at: now,
    sessions: doomed.length,
    events: before - eventsLeft(book).size,
  };
  book.erasures.push(erased);
  return erased;
}
