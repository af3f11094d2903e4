/** Imports: a bundle's sessions are written through the store's one door, event by event as they were, so a bundle goes from any store into any other. */
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createIds, type Ids, type OwnerId, type SessionId, type TraceId, parseSessionId } from "../../kernel/id.ts";
import { byteLength, type JsonObject } from "../../kernel/json.ts";
import { foldPatches, parseOperations, type Operation } from "../../kernel/json-patch.ts";
import { checkpointDue, patchWeight } from "../../session/fold.ts";
import type { NewEvent, OwnerChange, SessionChange, Store } from "../../store/port.ts";
import { readBundle, type Bundle, type BundleSession, type EventLine, type TurnLine } from "./bundle.ts";
import { refused } from "../commit.ts";
import { findCustomer } from "../lists.ts";

/** Options of an import. */
export interface ImportOptions {
  /** Give sessions the ids that they had; refused with `session.exists` if one of them is taken. New ones by default. */
  readonly keepIds?: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What an import made. */
export interface ImportReport {
  /** The customer's id; null for an anonymous owner. */
  readonly customer_id: string | null;
  /** Ids of the sessions as they are now, by those in the bundle. */
  readonly sessions: Readonly<Record<string, SessionId>>;
  readonly events: number;
}

interface Importing {
  readonly store: Store;
  readonly ids: Ids;
}

/** No worker knows a version as great as this one: nobody takes up a session before it is whole. */
const notYet = 2_147_483_647;
const mostEvents = 500;

/**
 * Imports a bundle that is whole; anything else is refused as `bundle.invalid` before anything is written. A bundle of a customer who is there already is refused
 * with `customer.exists`, unless it holds one session, which is added to that customer. If a session cannot be written, what was imported is erased again.
 */
export async function importBundle(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const bundle = await readBundle(lines);
  const { clock = systemClock, ids = createIds({ clock }), keepIds = false } = options;
  if (bundle.header.redacted) throw new ThroughlineError("bundle.invalid", "The bundle is redacted: what people wrote is not in it.");
  checkFolds(bundle);
  const importing = { store, ids };
  const { owner_id, made } = await prepareOwner(importing, bundle);
  const done: SessionId[] = [];
  try {
    const sessions: Record<string, SessionId> = {};
    for (const one of bundle.sessions) {
      const id = keepIds ? parseSessionId(one.session.session_id) : ids.next("session");
      await importSession(importing, one, { id, owner_id, begun: () => void done.push(id) });
      sessions[one.session.session_id] = id;
    }
    return { customer_id: bundle.owner.customer_id, sessions, events: bundle.sessions.reduce((sum, { events }) => sum + events.length, 0) };
  } catch (error) {
    if (made) await store.erase({ owner_id });
    else for (const session_id of done) await store.erase({ session_id });
    throw error;
  }
}

/** The state that a session's log begins with, and the operations of its events. */
function stateOf({ session, events }: BundleSession): { readonly base: JsonObject; readonly patches: ReadonlyMap<number, readonly Operation[]> } {
  const [first] = events;
  const created = first?.kind === "session" ? first.data["state"] : undefined;
  const base = session.base ?? created;
  if (typeof base !== "object" || base === null || Array.isArray(base))
    throw new ThroughlineError("bundle.invalid", `Session ${session.session_id} of the bundle does not begin with a state.`);
  const changes = events.filter(({ kind, offset }) => kind === "state" && offset > (session.base_offset ?? -1));
  return { base: base as JsonObject, patches: new Map(changes.map(({ offset, data }) => [offset, parseOperations(data["patch"])])) };
}

function checkFolds(bundle: Bundle): void {
  for (const one of bundle.sessions) {
    try {
      const { base, patches } = stateOf(one);
      foldPatches(base, patches.values());
    } catch (cause) {
      if (ThroughlineError.is(cause, "bundle.invalid")) throw cause;
      throw new ThroughlineError("bundle.invalid", `The state of session ${one.session.session_id} of the bundle does not fold.`, { cause });
    }
  }
}

async function write(
  { store, ids }: Importing,
  at: number,
  parts: { readonly owner?: OwnerChange; readonly session?: SessionChange },
): Promise<{ readonly queued_turn?: number }> {
  const result = await store.commit({ commit_id: ids.next("commit"), at, ...parts });
  if (result.outcome === "committed") return result.session ?? {};
  throw refused(result, parts.session?.session_id);
}

/** The owner to import into: a new one, or for a single session the customer that there is. */
async function prepareOwner(
  importing: Importing,
  { owner, entries, sessions }: Bundle,
): Promise<{ readonly owner_id: OwnerId; readonly made: boolean }> {
  const { store, ids } = importing;
  const { customer_id, name, metadata, variables } = owner;
  const there = customer_id === null ? undefined : await findCustomer(store, customer_id);
  if (there !== undefined) {
    if (sessions.length === 1) return { owner_id: there.owner_id, made: false };
    throw new ThroughlineError("customer.exists", `There is a customer "${customer_id}" already: a customer is imported where there is none.`, {
      details: { customer_id },
    });
  }
  const owner_id = ids.next("owner");
  const at = owner.created_at ?? sessions[0]?.session.created_at ?? 0;
  const values = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
  await write(importing, at, {
    owner: {
      owner_id,
      create: customer_id === null ? {} : { customer_id },
      ...(customer_id === null ? {} : { name, metadata }),
      ...(values.length === 0 ? {} : { variables: values }),
    },
  });
  for (const { entry_id, kind, data, created_at } of entries)
    await write(importing, created_at, { owner: { owner_id, entries: [{ entry_id, kind, data }] } });
  return { owner_id, made: true };
}

interface Into {
  readonly id: SessionId;
  readonly owner_id: OwnerId;
  /** Told when there is something that would have to be taken back. */
  readonly begun: () => void;
}

/** A session that is being written. */
interface Progress {
  readonly importing: Importing;
  readonly one: BundleSession;
  readonly into: Into;
  readonly turns: ReadonlyMap<number, TurnLine>;
  /** Number of the last turn that was queued. */
  lastTurn: number;
  ended: Set<number>;
}

async function importSession(importing: Importing, one: BundleSession, into: Into): Promise<void> {
  const { session } = one;
  const progress: Progress = {
    importing,
    one,
    into,
    turns: new Map(session.turns.map((turn) => [turn.number, turn])),
    lastTurn: 0,
    ended: new Set(),
  };
  if (session.first_offset > 0) await begin(progress);
  await writeEvents(progress);
  const last = Math.max(0, ...progress.turns.keys());
  await queueUpTo(progress, last);
  await endTurns(
    progress,
    [...progress.turns.values()].filter(({ status }) => status === "ended").map(({ number }) => number),
  );
  const { agent_version, mode, title, metadata, labels, consumers, episode } = session;
  const header = { agent_version, title, metadata, labels, consumers, episode, ...(mode === "manual" ? { mode } : {}) };
  await write(importing, session.created_at, { session: { session_id: into.id, header } });
}

/** What creates the session, in the commit of its first event. */
const creation = ({ one, into }: Progress): NonNullable<SessionChange["create"]> => ({
  owner_id: into.owner_id,
  agent: one.session.agent,
  agent_version: notYet,
});

/** A log whose beginning was removed: offsets are filled up to where it begins, and then cut off, so that its events have the offsets that they had. */
async function begin(progress: Progress): Promise<void> {
  const { importing, one, into } = progress;
  const { created_at, first_offset, base = {} } = one.session;
  const trace_id = importing.ids.trace();
  const filler: NewEvent = { kind: "status", source: "system", data: { status: "ready" }, trace_id };
  const created: NewEvent = { kind: "session", source: "system", data: { type: "created", state: base }, trace_id };
  await write(importing, created_at, { session: { session_id: into.id, create: creation(progress), events: [created] } });
  into.begun();
  // One event more than will be kept: a log is never empty.
  for (let offset = 1; offset < first_offset; offset += mostEvents)
    await write(importing, created_at, {
      session: { session_id: into.id, events: Array.from({ length: Math.min(mostEvents, first_offset - offset) }, () => filler) },
    });
}

/** Queues turns up to a number, so that events can belong to it. */
async function queueUpTo(progress: Progress, number: number): Promise<void> {
  while (progress.lastTurn < number) await queueNext(progress, []);
}

/** The turn that is queued next, as it was; one whose row was removed is nobody's. */
function nextTurn({ turns, lastTurn, importing, one }: Progress): {
  readonly queue: NonNullable<SessionChange["queue"]>;
  readonly at: number;
  readonly known: boolean;
} {
  const turn = turns.get(lastTurn + 1);
  const trace_id = (turn?.trace_id as TraceId | undefined) ?? importing.ids.trace();
  return { queue: { cause: turn?.cause ?? "message", trace_id }, at: turn?.created_at ?? one.session.created_at, known: turn !== undefined };
}

async function queueNext(progress: Progress, events: readonly NewEvent[], at?: number): Promise<void> {
  const { importing, into } = progress;
  const { queue, at: created, known } = nextTurn(progress);
  const number = progress.lastTurn + 1;
  const { queued_turn } = await write(importing, at ?? created, { session: { session_id: into.id, queue, events } });
  if (queued_turn !== number)
    throw new ThroughlineError(
      "bundle.invalid",
      `Turn ${number} of session ${progress.one.session.session_id} cannot be queued while another waits.`,
    );
  progress.lastTurn = number;
  if (!known) await endTurns(progress, [number]);
}

async function endTurns(progress: Progress, numbers: readonly number[]): Promise<void> {
  const open = numbers.filter((number) => number <= progress.lastTurn && !progress.ended.has(number));
  if (open.length === 0) return;
  await write(progress.importing, progress.one.session.created_at, { session: { session_id: progress.into.id, ...ending(progress, open) } });
}

/** How turns end: what they took up and left waits again. */
function ending({ one, ended }: Progress, numbers: readonly number[]): Pick<SessionChange, "end_turns" | "dequeue_turns"> {
  const waiting = new Set(one.session.waiting.filter(({ turn }) => turn === undefined).map(({ offset }) => offset));
  const left = new Set(one.events.flatMap(({ offset, turn }) => (turn !== undefined && waiting.has(offset) ? [turn] : [])));
  for (const number of numbers) ended.add(number);
  return { end_turns: numbers.filter((number) => !left.has(number)), dequeue_turns: numbers.filter((number) => left.has(number)) };
}

const isStart = ({ kind, data }: EventLine): boolean => kind === "turn" && data["type"] === "started";

/** Where a withdrawal's commit began: what stopped running turns comes before the event that tells of it. */
function withdrawals({ one }: Progress): ReadonlyMap<number, number> {
  const { events, session } = one;
  const found = new Map<number, number>();
  for (const [index, { kind, data }] of events.entries()) {
    if (kind !== "session" || data["type"] !== "withdrawn") continue;
    let at = index;
    while (at > 0 && events[at - 1]?.withdrawn !== true && events[at - 1]?.kind === "turn") at -= 1;
    found.set(session.first_offset + at, Number(data["from"]));
  }
  return found;
}

/** Writes the events in commits as large as they may be: of one time, with at most one turn that begins, and ending where a turn ended. */
async function writeEvents(progress: Progress): Promise<void> {
  const { one, turns } = progress;
  const { events, session } = one;
  const withdrawnAt = withdrawals(progress);
  const endedAt = Map.groupBy(
    [...turns.values()].filter(({ status, ended_offset }) => status === "ended" && ended_offset !== undefined),
    (turn) => turn.ended_offset ?? -1,
  );
  const checkpoints = new Checkpoints(one);
  for (let index = 0; index < events.length;) {
    const group: EventLine[] = [];
    for (let event = events[index]; event !== undefined; event = events[index]) {
      const [first] = group;
      const opens = event.turn !== undefined && event.turn > progress.lastTurn;
      const splits = opens || withdrawnAt.has(event.offset) || event.created_at !== first?.created_at || (isStart(event) && group.some(isStart));
      if (first !== undefined && (splits || group.length === mostEvents)) break;
      group.push(event);
      index += 1;
      if (endedAt.has(event.offset) || event.offset === session.base_offset || (event.offset > 0 && event.offset === session.first_offset)) break;
    }
    const last = group.at(-1)?.offset ?? 0;
    await writeGroup(progress, group, {
      withdraw_from: withdrawnAt.get(group[0]?.offset ?? -1),
      ends: (endedAt.get(last) ?? []).map(({ number }) => number),
      checkpoint: checkpoints.after(group),
    });
    if (last === session.first_offset && last > 0) await cutOff(progress);
  }
}

async function cutOff({ importing, one, into }: Progress): Promise<void> {
  const { created_at, first_offset, base = {} } = one.session;
  await write(importing, created_at, { session: { session_id: into.id, cut: { first_offset, state: base } } });
}

interface GroupExtras {
  readonly withdraw_from: number | undefined;
  readonly ends: readonly number[];
  readonly checkpoint: JsonObject | undefined;
}

async function writeGroup(progress: Progress, group: readonly EventLine[], { withdraw_from, ends, checkpoint }: GroupExtras): Promise<void> {
  const { importing, one, into } = progress;
  const [first] = group;
  if (first === undefined) return;
  // A turn that begins without a message is queued first: only a queued turn can begin.
  const begun = group.find((event) => isStart(event) && (event.turn ?? 0) > progress.lastTurn)?.turn;
  await queueUpTo(progress, begun ?? (first.turn ?? 0) - 1);
  const opened = first.turn !== undefined && first.turn > progress.lastTurn ? first.turn : undefined;
  const waiting = new Set(one.session.waiting.map(({ offset }) => offset));
  const queue = opened === undefined ? undefined : nextTurn(progress).queue;
  const start = group.findIndex(isStart);
  const started = group[start]?.turn;
  const change: SessionChange = {
    session_id: into.id,
    ...(first.offset === 0 ? { create: creation(progress) } : {}),
    ...(queue === undefined ? {} : { queue }),
    ...(started === undefined ? {} : { start_turn: { number: started, event: start } }),
    ...(withdraw_from === undefined ? {} : { withdraw_from }),
    ...(opened !== undefined && ends.includes(opened) ? {} : ending(progress, ends)),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    events: group.map((event) => newEvent(event, opened, waiting.has(event.offset))),
  };
  const { queued_turn } = await write(importing, first.created_at, { session: change });
  if (first.offset === 0) into.begun();
  if (opened === undefined) return;
  if (queued_turn !== opened)
    throw new ThroughlineError("bundle.invalid", `Turn ${opened} of session ${one.session.session_id} cannot be queued while another waits.`);
  progress.lastTurn = opened;
  await endTurns(progress, ends);
}

function newEvent(event: EventLine, opened: number | undefined, waiting: boolean): NewEvent {
  const { kind, source, data, metadata, version, turn, trace_id } = event;
  return {
    kind,
    source,
    data,
    version,
    ...(metadata === undefined ? {} : { metadata }),
    ...(turn === undefined ? { trace_id: trace_id as TraceId } : { turn: turn === opened ? "queued" : turn }),
    ...(waiting ? { waiting } : {}),
  };
}

/** Says where a checkpoint is due, so that a load of what was imported costs what it did. */
class Checkpoints {
  readonly #patches: ReadonlyMap<number, readonly Operation[]>;
  readonly #baseOffset: number | undefined;
  #state: JsonObject;
  #bytes: number;
  #pending: (readonly Operation[])[] = [];
  #weight = 0;

  constructor(one: BundleSession) {
    const { base, patches } = stateOf(one);
    this.#state = base;
    this.#patches = patches;
    this.#baseOffset = one.session.base_offset;
    this.#bytes = byteLength(JSON.stringify(base));
  }

  after(group: readonly EventLine[]): JsonObject | undefined {
    const isBase = group.some(({ offset, kind }) => offset === this.#baseOffset && kind === "state");
    for (const { offset } of group) {
      const operations = this.#patches.get(offset);
      if (operations === undefined) continue;
      this.#pending.push(operations);
      this.#weight += patchWeight(byteLength(JSON.stringify(operations)));
    }
    if (!isBase && !(checkpointDue(this.#weight, this.#bytes) && group.some(({ offset }) => this.#patches.has(offset)))) return undefined;
    this.#state = foldPatches(this.#state, this.#pending);
    this.#bytes = byteLength(JSON.stringify(this.#state));
    this.#pending = [];
    this.#weight = 0;
    return this.#state;
  }
}
