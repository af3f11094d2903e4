/** The commit of the reference model: plain code for the steps that every other store must make in one transaction. */
import { present } from "../../kernel/json.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { eventIdOf, type OwnerId, type TraceId, turnIdOf } from "../../kernel/id.ts";
import {
  type Commit,
  type Committed,
  type NewEvent,
  type OwnerChange,
  type Refusal,
  type SessionChange,
  sessionOfOwner,
  type SessionRow,
  stateIdOf,
  type StoredEvent,
} from "../port.ts";
import {
  type Book,
  type CommittedSession,
  copyOf,
  forkRefusal,
  leasedTurn,
  logOf,
  openTurns,
  type OwnerRecord,
  placeOf,
  putTurn,
  segmentsOf,
  sessionByKey,
  type SessionRecord,
  turnNumbered,
} from "./book.ts";
import { findRecord, recordRefusal } from "./in-memory-records.ts";
import { setVariables, writeEntries } from "./owner-data.ts";

/** A time that never comes. */
const never = Number.MAX_SAFE_INTEGER;

/** Returns the first result of a repeated commit. */
export function findReplay(book: Book, commit: Commit, now: number): Committed | undefined {
  if (commit.session !== undefined) {
    const session = book.sessions.get(commit.session.session_id)?.commits.get(commit.commit_id);
    return session && { outcome: "committed", replayed: true, session };
  }
  const seen =
    commit.owner === undefined
      ? commit.records?.some((record) => findRecord(book, record, now)?.commit === commit.commit_id)
      : book.owners.get(commit.owner.owner_id)?.commits.has(commit.commit_id);
  return seen === true ? { outcome: "committed", replayed: true } : undefined;
}

/** Returns why a commit cannot be written at `now` by the store's clock. Undefined if it can. */
export const refusalOf = (book: Book, commit: Commit, now: number): Refusal | undefined =>
  partsRefusal(book, commit) ?? recordRefusal(book, commit, now);

/** Returns the turn that the commit queued or found queued whose last event is at `offset`. */
function queuedBy(session: SessionRecord | undefined, offset: number): { readonly queued_turn?: number } {
  for (const { first_offset, head, queued_turn } of session?.commits.values() ?? [])
    if (head === offset && first_offset <= head) return queued_turn === undefined ? {} : { queued_turn };
  return {};
}

/** Returns why the owner part or the session part of a commit cannot be written. */
function partsRefusal(book: Book, commit: Commit): Refusal | undefined {
  const { owner: ownerChange, session: change } = commit;
  const owner = ownerChange && book.owners.get(ownerChange.owner_id);
  if (ownerChange?.create !== undefined) {
    const { customer_id } = ownerChange.create;
    const taken = customer_id !== undefined && [...book.owners.values()].some((other) => other.customer_id === customer_id);
    if (owner !== undefined || taken) return { reason: "owner_exists" };
  } else if (ownerChange !== undefined && owner === undefined) return { reason: "owner_missing" };

  const session = change && book.sessions.get(change.session_id);
  if (change?.create !== undefined) {
    const { open_key, owner_id } = change.create;
    const other = session ?? (open_key === undefined ? undefined : sessionByKey(book, open_key));
    if (other !== undefined) return { reason: "session_exists", session_id: other.row.session_id };
    const cannot = forkRefusal(book, change.create);
    if (cannot !== undefined) return cannot;
    if (!book.owners.has(owner_id) && !(ownerChange?.create !== undefined && ownerChange.owner_id === owner_id)) return { reason: "owner_missing" };
  } else if (change !== undefined && session === undefined) return { reason: "session_missing" };
  const of = ownerChange && sessionOfOwner(ownerChange.owner_id);
  if (of !== undefined && !book.sessions.has(of) && !(change?.create !== undefined && change.session_id === of)) return { reason: "session_missing" };

  const used = change?.idempotency && session?.keys.get(change.idempotency.key);
  if (used !== undefined) return { reason: "key_used", ...used, ...queuedBy(session, used.offset) };

  const unfit = change && sessionOwnerRefusal(book, commit, session);
  if (unfit !== undefined) return unfit;
  const ownerVersion = owner?.version ?? 0;
  if (ownerChange?.depends?.version !== undefined && ownerChange.depends.version !== ownerVersion)
    return { reason: "stale_version", version: ownerVersion };
  if (change === undefined) return undefined;
  const { epoch = 0, state_offset = 0, head = -1, version = 0, episode = 1 } = session?.row ?? {};
  const { depends = {} } = change;
  if (depends.epoch !== undefined && depends.epoch !== epoch) return { reason: "fenced", epoch };
  if (depends.base !== undefined && depends.base !== state_offset) return { reason: "stale_base", state_offset };
  if (depends.head !== undefined && depends.head !== head) return { reason: "stale_head", head };
  if (depends.version !== undefined && depends.version !== version) return { reason: "stale_version", version };
  if (depends.episode !== undefined && depends.episode !== episode) return { reason: "stale_episode", episode };
  const waiting = session?.waiting.filter(({ turn }) => turn !== undefined).length ?? 0;
  if (change.queue?.limit !== undefined && waiting >= change.queue.limit) return { reason: "too_many_waiting", waiting };
  if (change.cut !== undefined && session !== undefined) return cutRefusal(session, change.cut);
  return undefined;
}

function createOwner(book: Book, change: OwnerChange, at: number): OwnerRecord {
  const owner: OwnerRecord = {
    key: ++book.lastKey,
    owner_id: change.owner_id,
    customer_id: change.create?.customer_id,
    created_at: at,
    name: null,
    metadata: "{}",
    version: 0,
    variablesVersion: 0,
    variables: new Map(),
    replaced: [],
    entries: [],
    commits: new Set(),
  };
  book.owners.set(change.owner_id, owner);
  return owner;
}

/** Writes the owner part of an accepted commit. */
export function applyOwner(book: Book, change: OwnerChange, at: number): OwnerRecord {
  const owner = book.owners.get(change.owner_id) ?? createOwner(book, change, at);
  const { variables = [], entries = [] } = change;
  if (change.name !== undefined) owner.name = change.name;
  if (change.metadata !== undefined) owner.metadata = JSON.stringify(change.metadata);
  if (variables.length > 0) owner.variablesVersion++;
  setVariables(owner, change, at);
  if (variables.length + entries.length > 0 || change.name !== undefined || change.metadata !== undefined) owner.version++;
  writeEntries(owner, entries, at);
  return owner;
}

function createSession(book: Book, change: SessionChange, at: number): SessionRecord {
  const { create, session_id } = change;
  if (create === undefined) throw new ThroughlineError("internal", `session ${session_id} is neither there nor created.`);
  const customer_id = book.owners.get(create.owner_id)?.customer_id;
  const parent = create.fork && book.sessions.get(create.fork.session_id);
  const forkedAt = create.fork?.at ?? -1;
  const row: SessionRow = {
    session_id,
    owner_id: create.owner_id,
    owner_version: 0,
    ...present({ customer_id }),
    agent: create.agent,
    agent_version: create.agent_version,
    mode: "auto",
    title: null,
    metadata: {},
    labels: [],
    consumers: {},
    created_at: at,
    updated_at: at,
    head: forkedAt,
    first_offset: parent?.row.first_offset ?? 0,
    state_offset: parent === undefined ? 0 : stateOffset(book, parent, forkedAt),
    epoch: 0,
    version: 0,
    episode: 1,
    last_turn: parent?.row.last_turn ?? 0,
  };
  const session: SessionRecord = {
    key: ++book.lastKey,
    openKey: create.open_key,
    row,
    origin: parent && { session: parent, at: forkedAt },
    lease: undefined,
    segments: [],
    events: [],
    checkpoints: new Map(),
    turns: [],
    ended: 0,
    waiting: [],
    withdrawn: [],
    keys: new Map(),
    commits: new Map(),
  };
  session.segments = segmentsOf(session, parent, forkedAt);
  book.sessions.set(session_id, session);
  return session;
}

/** Returns the offset of the last state change at or before `at`. */
function stateOffset(book: Book, session: SessionRecord, at: number): number {
  if (session.row.state_offset <= at) return session.row.state_offset;
  const last = logOf(book, session).findLast((event) => event.kind === "state" && event.offset <= at);
  return last?.offset ?? Math.max(0, session.row.first_offset - 1);
}

function applyHeader(session: SessionRecord, header: NonNullable<SessionChange["header"]>): void {
  const { mode, title, metadata, labels, consumers, handover } = header;
  const raised = [mode, title, metadata, labels, consumers, handover].some((value) => value !== undefined);
  session.row = { ...session.row, ...copyOf(header), version: session.row.version + (raised ? 1 : 0) };
}

function startTurn(session: SessionRecord, number: number, offset: number): void {
  const turn = turnNumbered(session, number);
  if (turn === undefined || turn.status === "ended") return;
  putTurn(session, { ...turn, status: "running", started_offset: turn.started_offset ?? offset });
}

/** Ends turns. Their messages no longer wait, or wait again in no turn. */
function endTurns(session: SessionRecord, numbers: readonly (number | "queued")[], head: number, answered: boolean): void {
  const leased = leasedTurn(session);
  for (const turn of openTurns(session)) {
    if (!numbers.includes(turn.number)) continue;
    putTurn(session, { ...turn, status: "ended", ended_offset: head });
    if (turn.number === leased?.number) session.lease = undefined;
    session.waiting = answered
      ? session.waiting.filter((message) => message.turn !== turn.number)
      : session.waiting.map((message) => (message.turn === turn.number ? { offset: message.offset } : message));
  }
}

/** Counts the attempts of the running turn from 1 again. */
function countAnew(session: SessionRecord, turn: number): void {
  const running = leasedTurn(session);
  if (running?.number === turn && running.status === "running") putTurn(session, { ...running, attempts: Math.min(running.attempts, 1) });
}

/** Releases the lease of the running turn until a time by the store's clock. */
function parkTurn(session: SessionRecord, { turn, until }: NonNullable<SessionChange["park"]>, at: number, now: number): void {
  const running = leasedTurn(session);
  if (running?.number !== turn || running.status !== "running") return;
  putTurn(session, { ...running, attempts: 0 });
  session.lease = { worker: undefined, until: until === undefined ? never : Math.min(never, now + Math.max(0, until - at)) };
}

/** Queues a turn, or returns the queued one. Returns undefined in manual mode. */
function queueTurn(session: SessionRecord, queue: NonNullable<SessionChange["queue"]>, at: number): number | undefined {
  if (session.row.mode === "manual") return undefined;
  const queued = openTurns(session).find((turn) => turn.status === "queued");
  const number = queued?.number ?? session.row.last_turn + 1;
  if (queued === undefined) {
    const { session_id } = session.row;
    session.turns.push({
      number,
      turn_id: turnIdOf(session_id, number),
      session_id,
      trace_id: queue.trace_id,
      cause: queue.cause,
      status: "queued",
      attempts: 0,
      created_at: at,
    });
    session.row = { ...session.row, last_turn: number };
  }
  if (queue.urgent === true) for (const turn of openTurns(session)) putTurn(session, { ...turn, urgent: true });
  session.waiting = session.waiting.map((message) => (message.turn === undefined ? { offset: message.offset, turn: number } : message));
  return number;
}

function storedEvent(
  session: SessionRecord,
  [event, offset]: readonly [NewEvent, number],
  queued: { readonly turn: number | undefined; readonly trace_id: TraceId | undefined },
  at: number,
): StoredEvent {
  const { session_id } = session.row;
  const number = event.turn === "queued" ? queued.turn : event.turn;
  const turn = turnNumbered(session, number);
  // A turn that was queued here has its trace. A turn that ran in the session's origin does not.
  const trace_id = event.turn === "queued" ? (turn?.trace_id ?? event.trace_id) : (event.trace_id ?? turn?.trace_id);
  return copyOf({
    session_id,
    offset,
    id: eventIdOf(session_id, offset),
    kind: event.kind,
    source: event.source,
    trace_id: trace_id ?? (queued.trace_id as TraceId),
    ...(number === undefined ? {} : { turn_id: turnIdOf(session_id, number) }),
    created_at: at,
    version: event.version ?? 1,
    data: event.data,
    ...present({ metadata: event.metadata }),
  });
}

/** Writes the session part of an accepted commit. `at` is the commit's time and `now` the store's. */
export function applySession(
  book: Book,
  change: SessionChange,
  commitId: string,
  { at, now }: { readonly at: number; readonly now: number },
): CommittedSession {
  const { events = [], queue } = change;
  const known = book.sessions.get(change.session_id);
  const session = known ?? createSession(book, change, at);
  const first = session.row.head + 1;
  const head = session.row.head + events.length;

  const { start_turn } = change;
  if (start_turn !== undefined && start_turn.number !== "queued") startTurn(session, start_turn.number, first + start_turn.event);
  endTurns(session, change.end_turns ?? [], head, true);
  endTurns(session, change.dequeue_turns ?? [], head, false);
  if (change.fence === true) {
    session.row = { ...session.row, epoch: session.row.epoch + 1 };
    session.lease = undefined;
  }
  if (change.progress !== undefined) countAnew(session, change.progress);
  if (change.park !== undefined) parkTurn(session, change.park, at, now);
  if (change.wake === true && session.lease?.worker === undefined) session.lease = undefined;
  const from = change.withdraw_from;
  if (from !== undefined && from < first) {
    session.withdrawn.push({ from, at: first });
    session.waiting = session.waiting.filter((message) => message.offset < from);
  }
  if (change.redact !== undefined) redactEvents(session, change.redact);
  if (change.header !== undefined) applyHeader(session, change.header);
  session.waiting = [...session.waiting, ...events.flatMap((event, index) => (event.waiting === true ? [{ offset: first + index }] : []))];
  const turn = queue && queueTurn(session, queue, at);
  events.forEach((event, index) => session.events.push(storedEvent(session, [event, first + index], { turn, trace_id: queue?.trace_id }, at)));
  if (turn !== undefined && change.end_turns?.includes("queued") === true) {
    if (start_turn?.number === "queued") startTurn(session, turn, first + start_turn.event);
    const queued = turnNumbered(session, turn);
    if (queued !== undefined) putTurn(session, { ...queued, status: "ended", ended_offset: head });
    session.waiting = session.waiting.filter((message) => message.turn !== turn);
  }

  const state = events.findLastIndex((event) => event.kind === "state");
  session.row = {
    ...session.row,
    head,
    updated_at: events.length > 0 ? at : session.row.updated_at,
    state_offset: state < 0 ? session.row.state_offset : first + state,
  };
  if (state >= 0 || (known === undefined && change.create?.fork === undefined)) session.stateId = stateIdOf(session.row.state_offset, commitId);
  if (change.cut !== undefined) applyCut(session, change.cut);
  if (change.checkpoint !== undefined)
    session.checkpoints.set(Math.max(session.row.state_offset, session.origin?.at ?? 0), JSON.stringify(change.checkpoint));
  if (change.idempotency !== undefined) {
    session.keys.set(change.idempotency.key, { offset: head, body_hash: change.idempotency.body_hash });
  }
  if (change.owner_id !== undefined) giveSessions(book, session.row.owner_id, change.owner_id);
  const result = { first_offset: first, head, ...present({ queued_turn: turn }) };
  session.commits.set(commitId, result);
  if (events.length > 0) book.appends.push({ position: ++book.lastPosition, session_id: change.session_id, first_offset: first, head });
  return result;
}

type Cut = NonNullable<SessionChange["cut"]>;

/** Returns why a log cannot start at that offset. */
function cutRefusal(session: SessionRecord, cut: Cut): Refusal | undefined {
  const { row, waiting } = session;
  const open = openTurns(session).flatMap(({ started_offset }) => (started_offset === undefined ? [] : [started_offset]));
  const last = Math.min(row.head, ...waiting.map((message) => message.offset), ...open);
  if (cut.first_offset > row.first_offset && cut.first_offset <= last) return undefined;
  return { reason: "cut_out_of_range", first_offset: row.first_offset, last_offset: last };
}

/** Moves the start of the log to a later offset, with the folded state before it. */
function applyCut(session: SessionRecord, { first_offset, state }: Cut): void {
  const begins = session.segments.find(({ first, upto }) => first <= first_offset && first_offset <= upto)?.session;
  if (begins?.checkpoints.has(first_offset - 1) === false) begins.checkpoints.set(first_offset - 1, JSON.stringify(state));
  session.segments = session.segments
    .filter(({ upto }) => upto >= first_offset)
    .map((segment) => ({ ...segment, first: Math.max(segment.first, first_offset) }));
  session.row = { ...session.row, first_offset };
}

/** Returns why the session's owner does not meet the conditions of the commit. */
function sessionOwnerRefusal(book: Book, { owner: change, session }: Commit, found: SessionRecord | undefined): Refusal | undefined {
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
function giveSessions(book: Book, former: OwnerId, owner_id: OwnerId): void {
  const customer_id = book.owners.get(owner_id)?.customer_id;
  for (const session of book.sessions.values())
    if (session.row.owner_id === former) session.row = { ...session.row, owner_id, ...present({ customer_id }) };
  for (const [name, record] of book.records) if (record.owner_id === former) book.records.set(name, { ...record, owner_id });
  book.owners.delete(former);
}

/** Replaces the data of events of a session's log and removes their metadata. Skips missing events. */
function redactEvents({ segments }: SessionRecord, redact: NonNullable<SessionChange["redact"]>): void {
  for (const { offset, data } of redact) {
    const writer = segments.find(({ first, upto }) => first <= offset && offset <= upto)?.session;
    const place = writer === undefined ? -1 : placeOf(writer.events, offset);
    const event = writer?.events[place];
    if (writer === undefined || event?.offset !== offset) continue;
    const { metadata: _metadata, ...rest } = event;
    writer.events[place] = copyOf<StoredEvent>({ ...rest, data });
  }
}
