/** Converts the data of the reference model to JSON and back, without unreadable data. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { Erased } from "../port.ts";
import { type Book, type OwnerRecord, type SessionRecord, type StoredErasure, copyOf } from "./book.ts";

/** The content of an in-memory store as JSON, from `image()`, for `openMemoryStore`. Its contents may change with its `version`. */
export type MemoryImage = JsonObject & { readonly version: number };

const version = 2;

type Entries<Of> = Of extends Map<infer Key, infer Value> ? readonly (readonly [Key, Value])[] : never;

interface SessionImage extends Pick<SessionRecord, "key" | "row" | "lease" | "events" | "turns" | "waiting" | "withdrawn" | "stateId"> {
  /** False for an erased session whose events others share. */
  readonly living: boolean;
  readonly open_key?: string;
  readonly origin?: { readonly session: number; readonly at: number };
  /** `upto` is null in the last one, which has no end. */
  readonly segments: readonly { readonly session: number; readonly first: number; readonly upto: number | null }[];
  readonly checkpoints: Entries<SessionRecord["checkpoints"]>;
  readonly keys: Entries<SessionRecord["keys"]>;
  readonly commits: Entries<SessionRecord["commits"]>;
}

interface OwnerImage extends Omit<OwnerRecord, "customer_id" | "variables" | "commits"> {
  readonly customer_id?: string;
  readonly variables: Entries<OwnerRecord["variables"]>;
  readonly commits: readonly string[];
}

interface BookImage extends Pick<Book, "lastKey"> {
  readonly version: number;
  /** Older images have receipts without their keys. */
  readonly erasures: readonly (StoredErasure | Erased)[];
  /** Absent in older images. */
  readonly erasedOwners?: readonly (readonly [OwnerId, StoredErasure | Erased])[];
  readonly appends?: Book["appends"];
  readonly lastPosition?: number;
  readonly owners: readonly OwnerImage[];
  readonly records: Entries<Book["records"]>;
  readonly sessions: readonly SessionImage[];
}

type Range = Pick<SessionRecord["segments"][number], "first" | "upto">;

/** Returns the existing sessions and their ancestors, each with its readable offsets. A parent precedes its forks. */
function reachable(book: Book): readonly (readonly [SessionRecord, readonly Range[]])[] {
  const ranges = new Map<SessionRecord, Range[]>();
  const rangesOf = (session: SessionRecord): Range[] => {
    const known = ranges.get(session) ?? [];
    ranges.set(session, known);
    return known;
  };
  for (const { origin, segments } of book.sessions.values()) {
    if (origin !== undefined) rangesOf(origin.session);
    for (const { session, first, upto } of segments) rangesOf(session).push({ first, upto });
  }
  return [...ranges].toSorted(([left], [right]) => left.key - right.key);
}

/** Returns the readable part of a session. Of an erased one, only the part that its forks show. */
function sessionImage(session: SessionRecord, ranges: readonly Range[], living: boolean): SessionImage {
  const { key, row, stateId, lease, openKey, origin, segments, events, checkpoints, turns, waiting, withdrawn, keys, commits } = session;
  const { customer_id: _customer_id, handover: _handover, ...anonymous } = row;
  const shared = {
    key,
    events: events.filter(({ offset }) => ranges.some(({ first, upto }) => first <= offset && offset <= upto)),
    // A checkpoint may be before a segment, where the session was forked or its log cut.
    checkpoints: [...checkpoints].filter(([offset]) => ranges.some(({ first, upto }) => first - 1 <= offset && offset <= upto)),
    turns,
    withdrawn,
    living,
  };
  if (!living) {
    const bare = { ...anonymous, title: null, metadata: {}, labels: [], consumers: {} };
    return { ...shared, row: bare, lease: undefined, waiting: [], segments: [], keys: [], commits: [] };
  }
  return {
    ...shared,
    row,
    ...present({ stateId }),
    lease,
    waiting,
    ...present({ open_key: openKey }),
    ...(origin === undefined ? {} : { origin: { session: origin.session.key, at: origin.at } }),
    segments: segments.map(({ session: { key: of }, first, upto }) => ({ session: of, first, upto: upto === Infinity ? null : upto })),
    keys: [...keys],
    commits: [...commits],
  };
}

/** Converts the data to an image. */
export function imageOf(book: Book): MemoryImage {
  const image: BookImage = {
    version,
    lastKey: book.lastKey,
    erasures: book.erasures,
    erasedOwners: [...book.erasedOwners],
    appends: book.appends,
    lastPosition: book.lastPosition,
    owners: [...book.owners.values()].map(({ customer_id, variables, commits, ...owner }) => ({
      ...owner,
      ...present({ customer_id }),
      variables: [...variables],
      commits: [...commits],
    })),
    records: [...book.records],
    sessions: reachable(book).map(([session, ranges]) => sessionImage(session, ranges, book.sessions.get(session.row.session_id) === session)),
  };
  return copyOf<unknown>(image) as MemoryImage;
}

function sessionOf({ living: _living, open_key, origin, segments, ...image }: SessionImage, known: Map<number, SessionRecord>): SessionRecord {
  const there = (key: number): SessionRecord => {
    const session = known.get(key);
    if (session === undefined)
      throw new ThroughlineError("store.corrupt", `The image has no session ${key}, to which session ${image.key} goes back.`);
    return session;
  };
  const session: SessionRecord = {
    ...image,
    openKey: open_key,
    origin: origin && { session: there(origin.session), at: origin.at },
    lease: image.lease && { worker: image.lease.worker, until: image.lease.until },
    segments: [],
    events: [...image.events],
    checkpoints: new Map(image.checkpoints),
    turns: [...image.turns],
    ended: 0,
    withdrawn: [...image.withdrawn],
    keys: new Map(image.keys),
    commits: new Map(image.commits),
  };
  known.set(image.key, session);
  session.segments = segments.map(({ session: of, first, upto }) => ({ session: there(of), first, upto: upto ?? Infinity }));
  return session;
}

const storedErasure = (image: StoredErasure | Erased, index: number): StoredErasure =>
  "receipt" in image ? image : { key: index + 1, receipt: image };

/** Restores the data from an image. Returns an empty book without one. */
export function bookOf(image?: MemoryImage): Book {
  if (image === undefined)
    return {
      ...{ sessions: new Map(), owners: new Map(), records: new Map(), erasedOwners: new Map() },
      ...{ erasures: [], appends: [], lastPosition: 0, lastKey: 0 },
    };
  if (image.version !== version)
    throw new ThroughlineError("store.corrupt", `The image's version is ${seen(image.version)}; this Throughline reads version ${version}.`);
  const {
    lastKey,
    erasures,
    erasedOwners = [],
    appends = [],
    lastPosition = 0,
    owners,
    records: kept,
    sessions,
  } = copyOf<unknown>(image) as BookImage;
  const known = new Map<number, SessionRecord>();
  const records = sessions.map((session) => [session.living, sessionOf(session, known)] as const);
  return {
    lastKey,
    erasures: erasures.map(storedErasure),
    erasedOwners: new Map(erasedOwners.map(([owner_id, erasure], index) => [owner_id, storedErasure(erasure, index)])),
    lastPosition,
    appends: [...appends],
    records: new Map(kept),
    owners: new Map(
      owners.map((owner) => [
        owner.owner_id,
        {
          ...owner,
          customer_id: owner.customer_id,
          replaced: [...owner.replaced],
          variables: new Map(owner.variables),
          commits: new Set(owner.commits),
        },
      ]),
    ),
    sessions: new Map(records.flatMap(([living, session]) => (living ? [[session.row.session_id, session] as const] : []))),
  };
}
