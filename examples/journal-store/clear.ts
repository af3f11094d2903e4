/** Takes what was erased out of the journal, and leaves what the calls did: whoever replays them gets the same offsets, turns and epochs. */
import type { Commit, NewEvent, NewSession, OwnerChange, OwnerId, SessionChange, SessionId, Store } from "throughline/store";
import type { Entry } from "./entry.ts";

/** Whose data is still there. */
interface Living {
  readonly owners: ReadonlySet<OwnerId>;
  /** The first offset that each session, itself not erased, still has. */
  readonly sessions: ReadonlyMap<SessionId, number>;
  /** Whether somebody can still read the event at an offset: the session itself, or one that was forked from it. */
  sees(session: SessionId, offset: number): boolean;
}

async function livingIn(store: Store, entries: readonly Entry[]): Promise<Living> {
  const changes = entries.flatMap((entry) => ("commit" in entry && entry.commit.session !== undefined ? [entry.commit.session] : []));
  const owners = new Set<OwnerId>();
  const sessions = new Map<SessionId, number>();
  const origins = new Map(changes.flatMap(({ session_id, create }) => (create?.fork === undefined ? [] : [[session_id, create.fork] as const])));
  const ranges = new Map<SessionId, { readonly from: number; readonly to: number }[]>();
  for (const session_id of new Set(changes.map((change) => change.session_id))) {
    const row = await store.open({ session_id });
    if (row === undefined) continue;
    owners.add(row.owner_id);
    sessions.set(session_id, row.first_offset);
    let [place, to]: [SessionId | undefined, number] = [session_id, Infinity];
    while (place !== undefined) {
      ranges.set(place, [...(ranges.get(place) ?? []), { from: row.first_offset, to }]);
      const origin: { readonly session_id: SessionId; readonly at: number } | undefined = origins.get(place);
      [place, to] = [origin?.session_id, Math.min(to, origin?.at ?? to)];
    }
  }
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await store.list({ of: "customers", ...(cursor === undefined ? {} : { cursor }) });
    for (const { owner_id } of page.items) owners.add(owner_id);
    cursor = page.next_cursor;
  }
  return { owners, sessions, sees: (session, offset) => (ranges.get(session) ?? []).some(({ from, to }) => from <= offset && offset <= to) };
}

/** An owner who is gone keeps the place and nothing else; one that had a customer's id has some id. */
const clearedOwner = ({ owner_id, create }: OwnerChange): OwnerChange => ({
  owner_id,
  ...(create === undefined ? {} : { create: create.customer_id === undefined ? {} : { customer_id: owner_id } }),
});

const clearedEvent = ({ data: _data, metadata: _metadata, ...event }: NewEvent): NewEvent => ({ ...event, data: {} });

const withoutKey = ({ open_key: _open_key, ...create }: NewSession): NewSession => create;

function clearedSession(change: SessionChange, first: number, living: Living): SessionChange {
  const { header, idempotency, checkpoint, events = [], create, cut, ...rest } = change;
  const kept = living.sessions.get(change.session_id);
  const last = first + Math.max(0, events.length - 1);
  const { mode, episode, agent_version } = header ?? {};
  const left = { ...(mode && { mode }), ...(episode && { episode }), ...(agent_version !== undefined && { agent_version }) };
  return {
    ...rest,
    events: events.map((event, index) => (living.sees(change.session_id, first + index) ? event : clearedEvent(event))),
    ...(create && { create: kept === undefined ? withoutKey(create) : create }),
    ...(header && { header: kept === undefined ? left : header }),
    ...(idempotency && kept !== undefined && { idempotency }),
    ...(checkpoint && living.sees(change.session_id, last) && { checkpoint }),
    ...(cut && { cut: { ...cut, state: kept === cut.first_offset ? cut.state : {} } }),
  };
}

function clearedCommit(commit: Commit, first: number, living: Living): Commit {
  const { owner, session, ...rest } = commit;
  return {
    ...rest,
    ...(owner && { owner: living.owners.has(owner.owner_id) ? owner : clearedOwner(owner) }),
    ...(session && { session: clearedSession(session, first, living) }),
  };
}

/** The entries without what `store`, to which they have been applied, no longer shows to anybody. */
export async function cleared(store: Store, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const living = await livingIn(store, entries);
  return entries.map((entry) => {
    const done = takesAway(entry) ? { done: true as const } : {};
    return "commit" in entry ? { ...entry, ...done, commit: clearedCommit(entry.commit, entry.first ?? 0, living) } : { ...entry, ...done };
  });
}

/** Whether an entry takes something away that earlier lines of the journal still hold. */
export const takesAway = (entry: Entry): boolean =>
  "erase" in entry || ("commit" in entry && (entry.commit.session?.cut ?? entry.commit.session?.owner_id) !== undefined);
