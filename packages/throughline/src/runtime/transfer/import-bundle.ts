/** Imports a bundle. The sessions are written through `store.commit`, event by event with their original data, so a bundle moves between any two stores. */
import { changes, refused } from "../../extension/commit.ts";
import { readMasks } from "../../extension/forgotten.ts";
import { findCustomer, itemsOf } from "../../extension/lists.ts";
import { type Extension, keepersWith, type Kept } from "../../extension/port.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { createIds, type Ids, type OwnerId, parseSessionId, type SessionId } from "../../kernel/id.ts";
import { joinOffsets, masksOf, maskWrites } from "../../session/masks.ts";
import type { EntryRow, OwnerChange, Store } from "../../store/port.ts";
import { type Bundle, type BundleSession, type EntryLine, importMark, largestBundle, type OwnerLine, readBundle } from "./bundle.ts";
import { checkBundle } from "./check-bundle.ts";
import { type Importing, importSession, publish, write } from "./import-session.ts";

/** Options of an import. */
export interface ImportOptions {
  /** Whether sessions keep their ids. Throws `session.exists` if one of them is taken. By default they get new ids. */
  readonly keepIds?: boolean;
  /** Maximum characters of the bundle, which is held in memory. Defaults to 268,435,456. A larger one throws `bundle.too_large`. */
  readonly maxCharacters?: number;
  /** Extensions that process their stored data of the bundle's sessions, in addition to memory. */
  readonly extensions?: readonly Extension[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Stops the import, which then erases what it wrote and throws `aborted`. An import whose sessions are all written is finished nevertheless. */
  readonly signal?: AbortSignal;
}

/** The marks of the bundles that this process imports into a store. */
const running = new WeakMap<Store, Set<string>>();

/** The result of an import. */
export interface ImportReport {
  /** The customer's id. `null` for an anonymous owner. */
  readonly customer_id: string | null;
  /** New ids of the sessions, by their ids in the bundle. */
  readonly sessions: Readonly<Record<string, SessionId>>;
  readonly events: number;
}

/** Reads a bundle and writes all of it or nothing. */
export async function readIn(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions,
  kept: Kept,
): Promise<ImportReport> {
  const { clock = systemClock, ids = createIds({ clock }), keepIds = false, maxCharacters = largestBundle, extensions = [], signal } = options;
  const bundle = await readBundle(lines, maxCharacters);
  if (bundle.header.redacted) throw new ThroughlineError("bundle.invalid", "A redacted bundle has no message texts and cannot be imported.");
  checkBundle(bundle);
  const keepers = await keepersWith(extensions, kept, "imported");
  const importing = { store, ids, heads: new Map<SessionId, number>(), keepers, signal };
  const marks = running.get(store) ?? new Set();
  const mark = markOf(bundle);
  if (marks.has(mark)) throw new ThroughlineError("session.conflict", "The bundle is being imported already. Wait until that import has ended.");
  running.set(store, marks.add(mark));
  try {
    const { sessions } = await writeAll(importing, bundle, keepIds);
    return reportOf(bundle, sessions);
  } catch (error) {
    if (!ThroughlineError.is(error, "input.invalid")) throw error;
    throw new ThroughlineError("bundle.invalid", `The bundle holds what cannot be stored: ${error.message}`, { cause: error });
  } finally {
    marks.delete(mark);
  }
}

const reportOf = ({ owner, sessions: all }: Bundle, sessions: Staged["sessions"]): ImportReport => ({
  customer_id: owner.customer_id,
  sessions: Object.fromEntries(
    all.flatMap(({ session }, index) => {
      const id = sessions.get(index);
      return id === undefined ? [] : [[session.session_id, id]];
    }),
  ),
  events: all.reduce((sum, { events }) => sum + events.length, 0),
});

/** Writes all sessions with their final headers. If that fails before the first has its own, erases what was written. */
async function writeAll(importing: Importing, bundle: Bundle, keepIds: boolean): Promise<Staged> {
  let begun = await earlierImport(importing, bundle);
  const resumed = begun !== undefined;
  let published = 0;
  try {
    begun ??= await stage(importing, bundle, keepIds);
    for (const [index, id] of begun.sessions) {
      const one = bundle.sessions[index];
      if (one === undefined || begun.published.has(index)) continue;
      await publish({ ...importing, signal: undefined }, one, { session_id: id, entries: renamed(bundle, begun.sessions) });
      published += 1;
    }
    return begun;
  } catch (error) {
    // If the database is unavailable and cannot erase now, the next import of the bundle erases or completes them.
    if (!resumed && published === 0) await eraseWritten(importing, markOf(bundle)).catch(() => {});
    throw error;
  }
}

/** Erases what this import wrote, unless somebody has since opened a session of the customer that it created. */
async function eraseWritten({ store, heads, customer }: Importing, mark: string): Promise<void> {
  if (customer !== undefined) {
    const theirs = await Array.fromAsync(itemsOf(store, { of: "sessions", owner_id: customer }));
    if (!theirs.every(({ labels }) => labels.includes(mark))) return;
    await store.erase({ owner_id: customer });
  }
  for (const session_id of heads.keys()) await store.erase({ session_id }).catch(() => {});
}

/** Returns the label that marks the sessions of a bundle until they are published. */
const markOf = ({ sha256 }: Bundle): string => `${importMark}${sha256.slice(0, 32)}`;

/** Complete sessions with their final owner, by index in the bundle. */
interface Staged {
  readonly sessions: ReadonlyMap<number, SessionId>;
  /** Indexes of the sessions that already have their final headers. */
  readonly published: ReadonlySet<number>;
}

/** Writes all sessions and assigns them to their owner. */
async function stage(importing: Importing, bundle: Bundle, keepIds: boolean): Promise<Staged> {
  const { store } = importing;
  const there = bundle.owner.customer_id === null ? undefined : await findCustomer(store, bundle.owner.customer_id);
  if (there !== undefined && bundle.sessions.length !== 1)
    throw new ThroughlineError(
      "customer.exists",
      `There is a customer ${seen(there.customer_id)} already. Import a customer into a database without that customer.`,
      {
        details: { customer_id: there.customer_id },
      },
    );
  const sessions = await writeSessions(importing, bundle, keepIds);
  if (there === undefined) {
    await handOver(importing, bundle, sessions);
    return { sessions, published: new Set() };
  }
  const [one, id] = [bundle.sessions[0], sessions.get(0)];
  if (one !== undefined && id !== undefined) {
    const masking = { customer_id: there.customer_id, session_id: id, one, entries: renamed(bundle, sessions), at: one.session.created_at };
    await maskImported(importing, masking);
    await publish(importing, one, { session_id: id, owner_id: there.owner_id, entries: [] });
    // The customer may have had content forgotten before the session became theirs.
    await maskImported(importing, masking);
  }
  return { sessions, published: new Set([0]) };
}

/** Writes the sessions under a temporary owner. An anonymous session keeps that owner. */
async function writeSessions(importing: Importing, bundle: Bundle, keepIds: boolean): Promise<ReadonlyMap<number, SessionId>> {
  const { ids } = importing;
  const { owner } = bundle;
  const owner_id = ids.next("owner");
  const sessions = new Map<number, SessionId>();
  const made: OwnerChange = { owner_id, create: {}, ...(owner.customer_id === null ? variablesOf(owner) : {}) };
  for (const [index, one] of bundle.sessions.entries()) {
    const id = keepIds ? parseSessionId(one.session.session_id) : ids.next("session");
    const marks = [markOf(bundle), `${markOf(bundle)}:${index}`];
    await importSession(importing, one, { id, owner_id, marks, ...(index === 0 ? { owner: made } : {}) });
    sessions.set(index, id);
  }
  if (owner.customer_id === null) await writeEntries(importing, renamed(bundle, sessions), owner_id);
  return sessions;
}

const variablesOf = ({ variables }: OwnerLine): Pick<OwnerChange, "variables"> => {
  const values = Object.entries(variables).map(([name, value]) => ({ name, value }));
  return values.length === 0 ? {} : { variables: values };
};

/** Creates the customer and assigns all sessions to it, in one commit. */
async function handOver(importing: Importing, bundle: Bundle, ids: ReadonlyMap<number, SessionId>): Promise<void> {
  const { owner, sessions } = bundle;
  const { customer_id, name, metadata, created_at } = owner;
  const first = ids.get(0);
  if (customer_id === null) return;
  const owner_id = importing.ids.next("owner");
  // Erased with its sessions if the import fails from here on, even if the response to this commit is lost.
  importing.customer = owner_id;
  await write(importing, created_at ?? sessions[0]?.session.created_at ?? 0, {
    owner: { owner_id, create: { customer_id }, name, metadata, ...variablesOf(owner) },
    ...(first === undefined ? {} : { session: { session_id: first, owner_id } }),
  });
  await writeEntries(importing, renamed(bundle, ids), owner_id);
}

/** Returns the bundle's entries with the new session ids: the sources of memories, and the messages that no model may be shown. */
function renamed({ entries, sessions }: Bundle, ids: ReadonlyMap<number, SessionId>): readonly EntryLine[] {
  const now = new Map(sessions.map(({ session }, index) => [session.session_id, ids.get(index)]));
  if ([...now].every(([before, after]) => before === after)) return entries;
  return entries.map((line) => JSON.parse(JSON.stringify(line).replaceAll(/ses_[0-9a-z]{26}/g, (id) => now.get(id) ?? id)) as EntryLine);
}

/** Maximum number of entries per commit. */
const mostEntries = 500;

/** Writes entries in commits of the maximum size. All entries of a commit have the same time. */
async function writeEntries(importing: Importing, entries: readonly EntryLine[], owner_id: OwnerId): Promise<void> {
  for (let from = 0; from < entries.length;) {
    const created_at = entries[from]?.created_at ?? 0;
    const next = entries.slice(from, from + mostEntries);
    const other = next.findIndex((line) => line.created_at !== created_at);
    const some = other === -1 ? next : next.slice(0, other);
    await write(importing, created_at, { owner: { owner_id, entries: some.map(({ entry_id, kind, data }) => ({ entry_id, kind, data })) } });
    from += some.length;
  }
}

/**
 * Handles the remains of an interrupted import of the same bundle. If its customer already has the sessions, they are complete and the import
 * continues. If not, erases them and returns undefined, so that the import starts again.
 */
async function earlierImport(importing: Importing, bundle: Bundle): Promise<Staged | undefined> {
  const { store } = importing;
  const mark = markOf(bundle);
  const left = await Array.fromAsync(itemsOf(store, { of: "sessions", labels: [mark] }));
  const [first] = left;
  if (first?.customer_id === undefined) {
    for (const { session_id } of left) await store.erase({ session_id });
    return undefined;
  }
  const { owner_id } = first;
  const sessions = new Map(left.map(({ session_id, labels }) => [placeOf(labels, mark), session_id]));
  // Headers are written in order, and the customer's first sessions are the bundle's. Sessions without a mark have their final headers.
  const published = new Set<number>();
  const others = itemsOf(store, { of: "sessions", owner_id });
  for await (const { session_id, labels } of others) {
    if (labels.includes(mark) || published.size + left.length === bundle.sessions.length) break;
    sessions.set(published.size, session_id);
    published.add(published.size);
  }
  // Each line of an entry is one version.
  const [last] = await store.entries({ owner_id, newest: true, limit: 1 });
  await writeEntries(importing, renamed(bundle, sessions).slice(last?.version ?? 0), owner_id);
  return { sessions, published };
}

const placeOf = (labels: readonly string[], mark: string): number =>
  Number(labels.find((label) => label.startsWith(`${mark}:`))?.slice(mark.length + 1));

/** The masked messages and their sessions. */
interface Masking {
  readonly customer_id: string;
  readonly session_id: SessionId;
  readonly one: BundleSession;
  readonly entries: readonly EntryLine[];
  readonly at: number;
}

/**
 * Masks the messages that the bundle masks, and those that match content that this customer has had forgotten. The customer's other entries stay
 * unchanged, because the bundle's memory is not imported to an existing customer.
 */
async function maskImported({ store, ids, keepers }: Importing, { customer_id, session_id, one, entries, at }: Masking): Promise<void> {
  const carried = masksOf(entries.map((line, version): EntryRow => ({ ...line, version }))).filter((mask) => mask.session_id === session_id);
  for (let tries = 1; ; tries++) {
    const customer = await findCustomer(store, customer_id);
    if (customer === undefined) return;
    const { owner_id, version } = customer;
    const given = { store, session_id, agent: one.session.agent, events: one.events, entries, owner_id };
    const forgotten = (await Promise.all(keepers.map((extension) => extension.imported(given)))).flatMap((part) => part?.masked ?? []);
    const masks = (await readMasks(store, owner_id)).map((entry) => ({ entry }));
    const writes = maskWrites(masks, joinOffsets(new Map([[session_id, [...carried.flatMap(({ offsets }) => offsets), ...forgotten]]])), at);
    if (writes.length === 0) return;
    const result = await store.commit({ commit_id: ids.next("commit"), at, owner: { owner_id, depends: { version }, entries: writes } });
    if (result.outcome === "committed") return;
    if (result.reason !== "stale_version" || tries === changes) throw refused(result, session_id);
  }
}
