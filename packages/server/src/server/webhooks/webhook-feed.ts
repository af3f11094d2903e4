/**
 * Notes which sessions have events to deliver. The note is a record in the same commit as the events, so no event is missed, whichever process dies.
 * Deliveries themselves follow the log.
 */
import { findRecord, forwarding } from "throughline/internal";
import type { SessionId } from "throughline/kernel";
import type { Store } from "throughline";
import type { Commit, CommitResult, RecordChange, SessionRow } from "throughline/store";
import { historyIn, urlIn, withUrl } from "./webhook-target.ts";

/** The record of a session with events to deliver. Its version changes with each commit. */
export const dueKind = "webhook_due";
/** The records of the addresses that the metadata of a session, or of a customer, has named. */
export const urlKind = "webhook_url";

/** The key of the addresses of all sessions of an owner. */
export const ownerUrlKey = (owner_id: string): string => `owner/${owner_id}`;

/** How the feed checks addresses, and whom it tells. */
export interface FeedListener {
  /** Throws `outbound.refused` for an address in metadata that no target may have. */
  checkUrl(url: string): void;
  /** Called when a session is opened through the store. */
  opened(): void;
  /** Called after a commit with events. */
  committed(session_id: SessionId): void;
  /** Stops the deliveries of what is about to be erased in this process, and waits until none is under way. */
  erasing(target: Parameters<Store["erase"]>[0]): Promise<() => void>;
}

/** How often a change of the address is repeated when other commits come between. */
const mostTries = 20;

/** Returns a store that notes events to deliver. `follows` is whether addresses in metadata matter. */
export function feedOf(store: Store, follows: boolean, listener: FeedListener): Store {
  const commit = async (given: Commit): Promise<CommitResult> => {
    for (let tries = 1; ; tries++) {
      const { records, headOnly } = follows ? await urlRecords(store, given, listener) : { records: [], headOnly: undefined };
      const session_id = given.session?.session_id;
      const isDue = session_id !== undefined && (given.session?.events ?? []).length > 0;
      const due: readonly RecordChange[] = isDue ? [{ kind: dueKind, key: session_id, session_id, data: {} }] : [];
      if (due.length + records.length === 0) return store.commit(given);
      const result = await store.commit({
        ...given,
        ...(headOnly === undefined || given.session === undefined
          ? {}
          : { session: { ...given.session, depends: { ...given.session.depends, head: headOnly } } }),
        records: [...(given.records ?? []), ...records, ...due],
      });
      // Refusals for what only the address depends on are not the caller's.
      const isOurs =
        result.outcome === "refused" &&
        ((result.reason === "stale_head" && headOnly !== undefined && given.session?.depends?.head === undefined) ||
          (result.reason === "stale_record" && result.kind === urlKind));
      if (isOurs && tries < mostTries) continue;
      if (isDue && result.outcome === "committed") listener.committed(session_id);
      return result;
    }
  };
  return {
    ...forwarding(store),
    open(selector) {
      listener.opened();
      return store.open(selector);
    },
    commit,
    async erase(target) {
      const done = await listener.erasing(target);
      try {
        return await store.erase(target);
      } finally {
        done();
      }
    },
  };
}

/** The records of a changed address. It counts from the first event that follows the head on which the commit then depends. */
async function urlRecords(
  store: Store,
  { session, owner, at }: Commit,
  listener: FeedListener,
): Promise<{ readonly records: readonly RecordChange[]; readonly headOnly: number | undefined }> {
  const records: RecordChange[] = [];
  let headOnly: number | undefined;
  if (owner?.metadata !== undefined) {
    const [url, key] = [urlIn(owner.metadata) ?? null, ownerUrlKey(owner.owner_id)];
    const known = await findRecord(store, urlKind, key);
    const history = historyIn(known?.data) ?? [];
    if ((history.at(-1)?.url ?? null) !== url) {
      if (url !== null) listener.checkUrl(url);
      const urls = withUrl(history, { from: at, url }).map((one) => ({ ...one }));
      records.push({ kind: urlKind, key, owner_id: owner.owner_id, data: { urls }, depends: { version: known?.version ?? 0 } });
    }
  }
  if (session?.header?.metadata !== undefined) {
    const { session_id } = session;
    const url = urlIn(session.header.metadata) ?? null;
    const row: SessionRow | undefined = session.create === undefined ? await store.open({ session_id }) : undefined;
    const before = session.create === undefined ? (urlIn(row?.metadata) ?? null) : null;
    if (before !== url) {
      if (url !== null) listener.checkUrl(url);
      const known = row === undefined ? undefined : await findRecord(store, urlKind, session_id);
      const history = historyIn(known?.data) ?? (before === null ? [] : [{ from: 0, url: before }]);
      const urls = withUrl(history, { from: row === undefined ? 0 : row.head + 1, url }).map((one) => ({ ...one }));
      records.push({ kind: urlKind, key: session_id, session_id, data: { urls }, depends: { version: known?.version ?? 0 } });
      if (row !== undefined) headOnly = row.head;
    }
  }
  return { records, headOnly };
}
