/** Assigns an anonymous owner's sessions to a customer in the reference model. */
import type { OwnerId } from "../../kernel/id.ts";
import type { Book, SessionRecord } from "./book.ts";
import type { Commit, Refusal } from "../port.ts";

/** Returns why the session's owner does not meet the conditions of the commit. */
export function sessionOwnerRefusal(book: Book, { owner: change, session }: Commit, found: SessionRecord | undefined): Refusal | undefined {
  const own = book.owners.get(found?.row.owner_id ?? session?.create?.owner_id ?? ("" as OwnerId));
  const version = own?.version ?? 0;
  if (session?.owner_id !== undefined) {
    const made = change?.create?.customer_id !== undefined && change.owner_id === session.owner_id;
    if (!made && book.owners.get(session.owner_id)?.customer_id === undefined) return { reason: "owner_missing" };
    if (own?.customer_id !== undefined) return { reason: "not_anonymous", owner_id: own.owner_id };
  }
  const wanted = session?.depends?.owner_version ?? version;
  return wanted === version ? undefined : { reason: "stale_version", version };
}

/** Moves all sessions of an owner to another one, and deletes its other data. */
export function giveSessions(book: Book, former: OwnerId, owner_id: OwnerId): void {
  const customer_id = book.owners.get(owner_id)?.customer_id;
  for (const session of book.sessions.values())
    if (session.row.owner_id === former) session.row = { ...session.row, owner_id, ...(customer_id === undefined ? {} : { customer_id }) };
  for (const [name, record] of book.records) if (record.owner_id === former) book.records.set(name, { ...record, owner_id });
  book.owners.delete(former);
}
