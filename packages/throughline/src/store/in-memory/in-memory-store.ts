/** The store in memory. */
import { systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { newErasureId } from "../../kernel/id.ts";
import { byteLength, type JsonObject, present } from "../../kernel/json.ts";
import { DraftBoard } from "../draft-board.ts";
import {
  type Claim,
  type ClaimRequest,
  type Commit,
  type CommitResult,
  type Erased,
  type LoadedSession,
  type LoadRequest,
  type NewEvent,
  type ReadPage,
  type ReadRequest,
  type ReleaseRequest,
  type SessionChange,
  sessionOwnerId,
  type Store,
  type StoredEvent,
  type TurnRow,
} from "../port.ts";
import { checkAppends, checkAt, checkClaim, checkCommit, checkErase, checkKept, checkLoad, checkRead, checkRelease, checkTurn } from "../request.ts";
import type { StoreOptions } from "../store-options.ts";
import { Watchers } from "../watchers.ts";
import {
  appendsOf,
  type Book,
  checkpointAt,
  copyOf,
  eventsLeft,
  isHidden,
  isKept,
  leasedTurn,
  logOf,
  openTurns,
  putTurn,
  sessionByKey,
  type SessionRecord,
  turnNumbered,
} from "./book.ts";
import { DueTurns } from "./due.ts";
import { bookOf, imageOf, type MemoryImage } from "./image.ts";
import { applyOwner, applySession, findReplay, refusalOf } from "./in-memory-commit.ts";
import { headerOf, list } from "./in-memory-list.ts";
import { writeRecords } from "./in-memory-records.ts";
import { entriesOf, scopesOf, variablesOf } from "./owner-data.ts";

/** A store in memory that can be exported as an image. */
export interface MemoryStore extends Store {
  /**
   * Returns all readable data as JSON. A store opened with it continues from this one, with the same offsets, epochs, leases and commit ids. It
   * excludes erased, cut-off and unreachable data. The time is proportional to the data.
   */
  image(): MemoryImage;
}

/**
 * Opens a store in the memory of the process, which is lost when the process ends. It is the reference model for the other stores, and a store for
 * tests. With `image` it can back a store with its own persistence. Leases use `options.clock`. Throws `store.corrupt` for an image of another
 * version.
 */
export function openMemoryStore(options: StoreOptions & { readonly image?: MemoryImage } = {}): MemoryStore {
  const { clock = systemClock, image } = options;
  const book = bookOf(image);
  const due = new DueTurns();
  for (const session of book.sessions.values()) due.update(session);
  const watchers = new Watchers();
  const drafts = new DraftBoard();
  const erasures = new Set<() => void>();
  const appended = new Set<() => void>();
  let closed = false;
  /** Runs `work` immediately, as one step that no other step interrupts. */
  const step = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    if (closed) throw new ThroughlineError("store.closed");
    return work();
  };
  return {
    open: (selector) =>
      step(() => {
        const session = "open_key" in selector ? sessionByKey(book, selector.open_key) : book.sessions.get(selector.session_id);
        return session && headerOf(book, session);
      }),
    load: (request) => step(() => load(book, request)),
    commit: (commit) => step(() => write(book, commit, { watchers, appended, due, now: clock.now() })),
    read: (request) => step(() => read(book, request)),
    watch: (session, after, signal) => step(() => watchers.wait(session, after, signal, async () => book.sessions.get(session)?.row.head)),
    appends: (request) => step(() => (checkAppends(request), appendsOf(book, request))),
    watchAppends: (listen) => step(() => subscribed(appended, listen)),
    list: (query) => step(() => list(book, query, clock.now())),
    entries: (request) => step(() => entriesOf(book, request)),
    claim: (request) => step(() => claim(book, due, request, clock.now())),
    release: (request) => step(() => release(book, due, request, clock.now())),
    writeDraft: (piece) => step(() => drafts.write(piece)),
    watchDrafts: (session, listen) => step(() => drafts.watch(session, listen)),
    // No other process reaches this memory.
    watchTurns: () => step(() => () => {}),
    watchErasures: (listen) => step(() => subscribed(erasures, listen)),
    erase: (target) =>
      step(() => {
        checkErase(target);
        const erased = erase(book, target, clock.now());
        for (const listen of [...erasures]) listen();
        for (const session of due.sessions()) if (book.sessions.get(session.row.session_id) !== session) due.remove(session);
        for (const session of watchers.sessions) if (!book.sessions.has(session)) watchers.erased(session);
        return erased;
      }),
    migrate: () => step(() => ({ from: 10, to: 10, engine: "memory" })),
    image() {
      if (closed) throw new ThroughlineError("store.closed");
      return imageOf(book);
    },
    async close() {
      closed = true;
      watchers.close();
      book.sessions.clear();
      book.owners.clear();
      book.records.clear();
    },
  };
}

/** Adds a listener. Returns a function that removes it. */
function subscribed(listeners: Set<() => void>, listen: () => void): () => void {
  const own = (): void => listen();
  listeners.add(own);
  return () => void listeners.delete(own);
}

/** Who hears of a commit: those that wait for its session, and those that read all sessions. */
interface Hearing {
  readonly watchers: Watchers;
  readonly appended: ReadonlySet<() => void>;
}

function write(
  book: Book,
  commit: Commit,
  { watchers, appended, due, now }: Hearing & { readonly due: DueTurns; readonly now: number },
): CommitResult {
  checkCommit(commit);
  const replay = findReplay(book, commit, now);
  if (replay !== undefined) return replay;
  const refusal = refusalOf(book, commit, now);
  if (refusal !== undefined) return { outcome: "refused", ...refusal };
  const { session: change } = commit;
  checkTurns(book, change);

  const owner = commit.owner && applyOwner(book, commit.owner, commit.at);
  writeRecords(book, commit, now);
  const session = change && applySession(book, change, commit.commit_id, { at: commit.at, now });
  if (change === undefined) owner?.commits.add(commit.commit_id);
  const written = change && book.sessions.get(change.session_id);
  if (written !== undefined) due.update(written);
  if (change !== undefined && session !== undefined) {
    watchers.notify(change.session_id, session.head);
    for (const listen of [...appended]) listen();
  }
  const left = written && { state_offset: written.row.state_offset, ...stateIdIn(written), open_turns: openTurns(written).length };
  return { outcome: "committed", replayed: false, ...present({ session, left }) };
}

function checkTurns(book: Book, change: SessionChange | undefined): void {
  const session = change && book.sessions.get(change.session_id);
  const parent = change?.create?.fork && book.sessions.get(change.create.fork.session_id);
  const isFork = (parent ?? session?.origin) !== undefined;
  const isOwn = ({ turn }: NewEvent): boolean => session !== undefined && typeof turn === "number" && turnNumbered(session, turn) !== undefined;
  const lastTurn = (session ?? parent)?.row.last_turn ?? 0;
  change?.events?.forEach((event, index) => checkTurn(event, index, lastTurn, !isFork || isOwn(event)));
}

function baseOf(book: Book, session: SessionRecord, at: number): LoadedSession["base"] {
  const { offset, text } = checkpointAt(session, at) ?? { offset: 0, text: JSON.stringify(logOf(book, session, { to: 0 })[0]?.data["state"]) };
  return { offset, state: copyOf(JSON.parse(text) as JsonObject), bytes: byteLength(text) };
}

/** Returns the last messages of a log, searched from its end. Each search is twice as long as the one before. */
function lastMessages(book: Book, session: SessionRecord, at: number, count: number): readonly StoredEvent[] {
  const { first_offset, head } = session.row;
  const to = Math.min(at, head);
  for (let size = 4 * count + 8; ; size *= 2) {
    const messages = logOf(book, session, { from: to - size, to }).filter(
      (event) => (event.kind === "message" || event.kind === "tool" || event.kind === "custom") && !isHidden(session, event, at),
    );
    if (messages.length >= count || to - size <= first_offset) return messages.slice(Math.max(0, messages.length - count));
  }
}

const stateIdIn = ({ stateId }: SessionRecord): { readonly state_id?: string } => (stateId === undefined ? {} : { state_id: stateId });

function load(book: Book, request: LoadRequest): LoadedSession | undefined {
  checkLoad(request);
  const session = book.sessions.get(request.session_id);
  if (session === undefined) return undefined;
  checkAt(request.at, session.row);
  const at = request.at ?? Infinity;
  const known = request.at === undefined && request.known?.state_id === session.stateId ? request.known : undefined;
  const base = known?.base ?? baseOf(book, session, at);
  const open = leasedTurn(session);
  const running = open?.status === "running" ? open : undefined;
  return {
    session: headerOf(book, session),
    ...stateIdIn(session),
    base,
    patches:
      known === undefined
        ? logOf(book, session, { from: base.offset + 1, to: at })
            .filter((event) => event.kind === "state")
            .map(({ offset, data, version }) => ({ offset, data, version, bytes: byteLength(JSON.stringify(data)) }))
        : [],
    messages: lastMessages(book, session, at, request.messages ?? 20),
    variables: variablesOf(book.owners.get(session.row.owner_id)),
    ...scopesOf(book, request.session_id, session.row.agent),
    waiting: session.waiting,
    turns: openTurns(session),
    journal: logOf(book, session, { from: running?.started_offset ?? Infinity }).filter(
      ({ kind, turn_id }) => kind === "turn" && turn_id === running?.turn_id,
    ),
  };
}

function read(book: Book, request: ReadRequest): ReadPage | undefined {
  checkRead(request);
  const session = book.sessions.get(request.session_id);
  if (session === undefined) return undefined;
  const { min_offset = 0, max_offset = Infinity, kinds, source, trace_id, limit = 100, withdrawn = false } = request;
  const { head } = session.row;
  checkKept(request.min_offset, session.row.first_offset);
  const isWanted = (event: StoredEvent): boolean =>
    (kinds === undefined || kinds.includes(event.kind)) &&
    (source === undefined || event.source === source) &&
    (trace_id === undefined || event.trace_id === trace_id) &&
    (withdrawn || !isHidden(session, event, Infinity));
  const events: StoredEvent[] = [];
  const end = Math.min(head, max_offset);
  for (let from = Math.max(min_offset, session.row.first_offset); from <= end && events.length < limit; from += limit) {
    const wanted = logOf(book, session, { from, to: Math.min(end, from + limit - 1) }).filter(isWanted);
    events.push(...wanted.slice(0, limit - events.length));
  }
  const last = events.at(-1);
  const searchedTo = events.length === limit && last !== undefined ? last.offset : end;
  return { events, next_offset: Math.max(min_offset, searchedTo + 1), head };
}

/** Whether a worker with these agents may claim the session now. */
const isFree = ({ lease, row }: SessionRecord, { agents }: { readonly agents?: Readonly<Record<string, number>> }, now: number): boolean =>
  (lease === undefined || lease.until <= now) && (agents === undefined || (new Map(Object.entries(agents)).get(row.agent) ?? 0) >= row.agent_version);

function claim(book: Book, due: DueTurns, request: ClaimRequest, now: number): Claim | undefined {
  checkClaim(request);
  const until = now + request.lease_ms;
  if (request.kind === "renew") {
    const session = book.sessions.get(request.session_id);
    const turn = session && leasedTurn(session);
    if (session?.lease?.worker === undefined || turn === undefined || session.row.epoch !== request.epoch) return undefined;
    session.lease = { ...session.lease, until };
    due.update(session);
    return { session_id: request.session_id, epoch: request.epoch, turn };
  }
  const session =
    request.kind === "session" ? book.sessions.get(request.session_id) : due.first(now, { agents: request.agents, urgent: request.urgent === true });
  const open = session && leasedTurn(session);
  if (session === undefined || open === undefined || (request.kind === "session" && !isFree(session, request, now))) return undefined;
  const turn: TurnRow = { ...open, status: "running", attempts: open.attempts + 1 };
  putTurn(session, turn);
  session.row = { ...session.row, epoch: session.row.epoch + 1 };
  session.lease = { worker: request.worker, until };
  due.update(session);
  return { session_id: session.row.session_id, epoch: session.row.epoch, turn };
}

function release(book: Book, due: DueTurns, request: ReleaseRequest, now: number): boolean {
  checkRelease(request);
  const session = book.sessions.get(request.session_id);
  if (session?.lease?.worker === undefined || session.row.epoch !== request.epoch) return false;
  const turn = leasedTurn(session);
  if (turn !== undefined && !request.counted) putTurn(session, { ...turn, attempts: turn.attempts - 1 });
  session.lease = { worker: undefined, until: now + (request.retry_in_ms ?? 0) };
  due.update(session);
  return true;
}

const isInUse = (session: SessionRecord): boolean => session.waiting.length > 0 || leasedTurn(session) !== undefined;

/** Erases a session, or an owner with all sessions, and leaves a receipt. */
function erase(book: Book, target: Parameters<Store["erase"]>[0], now: number): Erased {
  const doomed = [...book.sessions.values()].filter(({ row }) =>
    "session_id" in target ? row.session_id === target.session_id : row.owner_id === target.owner_id,
  );
  if (doomed.length === 0 && !("owner_id" in target && book.owners.has(target.owner_id))) {
    const known = "owner_id" in target ? book.erasedOwners.get(target.owner_id) : undefined;
    return known !== undefined && isKept(known, now) ? known.receipt : { sessions: 0, events: 0 };
  }
  if ("head" in target && target.head !== undefined && doomed.some((session) => isInUse(session) || session.row.head !== target.head))
    return { sessions: 0, events: 0 };
  const before = eventsLeft(book).size;
  const owners = new Set("owner_id" in target ? [target.owner_id] : doomed.map(({ row }) => row.owner_id));
  for (const { row } of doomed) {
    book.sessions.delete(row.session_id);
    book.owners.delete(sessionOwnerId(row.session_id));
    const left = [...book.sessions.values()].some((session) => session.row.owner_id === row.owner_id);
    // An anonymous owner belongs to its session and could not be reached any more.
    if (!left && book.owners.get(row.owner_id)?.customer_id === undefined) book.owners.delete(row.owner_id);
  }
  if ("owner_id" in target) book.owners.delete(target.owner_id);
  book.appends = book.appends.filter(({ session_id }) => book.sessions.has(session_id));
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
  const stored = {
    key: ++book.lastKey,
    receipt: erased,
    ...present({ expires_at: target.keep_ms === undefined ? undefined : now + target.keep_ms }),
  };
  book.erasures = [...book.erasures.filter((erasure) => isKept(erasure, now)), stored];
  for (const [owner_id, erasure] of book.erasedOwners) if (!isKept(erasure, now)) book.erasedOwners.delete(owner_id);
  for (const owner_id of owners) if (!book.owners.has(owner_id)) book.erasedOwners.set(owner_id, stored);
  return erased;
}
