/** The reference model's erasure: everything at once. */
import { systemRandom } from "../../kernel/random.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { eventsLeft } from "./fork.ts";
import type { Book } from "./log.ts";
import type { Erased } from "../port.ts";

/** Removes a session, or an owner with all sessions, and leaves a receipt. */
export function erase(book: Book, target: { readonly session_id: SessionId } | { readonly owner_id: OwnerId }, now: number): Erased {
  const doomed = [...book.sessions.values()].filter(({ row }) =>
    "session_id" in target ? row.session_id === target.session_id : row.owner_id === target.owner_id,
  );
  if (doomed.length === 0 && !("owner_id" in target && book.owners.has(target.owner_id))) return { sessions: 0, events: 0 };
  const before = eventsLeft(book).size;
  for (const { row } of doomed) {
    book.sessions.delete(row.session_id);
    const left = [...book.sessions.values()].some((session) => session.row.owner_id === row.owner_id);
    // An anonymous owner is its session's: nothing could reach it any more.
    if (!left && book.owners.get(row.owner_id)?.customer_id === undefined) book.owners.delete(row.owner_id);
  }
  if ("owner_id" in target) book.owners.delete(target.owner_id);
  const erased = {
    erasure_id: `era_${Buffer.from(systemRandom.bytes(12)).toString("base64url")}`,
    requested_at: now,
    finished_at: now,
    sessions: doomed.length,
    events: before - eventsLeft(book).size,
  };
  book.erasures.push(erased);
  return erased;
}
