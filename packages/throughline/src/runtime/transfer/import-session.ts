/** Writes one session of a bundle through `store.commit`, event by event with its original data, with the checkpoints that its state needs. */
import { refused } from "../../extension/commit.ts";
import type { Extension } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Ids, OwnerId, SessionId, TraceId } from "../../kernel/id.ts";
import { foldPatches, parseOperations, type PatchOperation } from "../../kernel/json-patch.ts";
import { byteLength, type JsonObject, present } from "../../kernel/json.ts";
import { checkpointDue, patchWeight } from "../../session/fold.ts";
import { type NewEvent, type OwnerChange, type RecordChange, type SessionChange, sessionOwnerId, type Store } from "../../store/port.ts";
import type { BundleSession, EntryLine, EventLine, TurnLine } from "./bundle.ts";

/** Dependencies of an import. */
export interface Importing {
  readonly store: Store;
  readonly ids: Ids;
  /** Heads of the logs that are being written. No other process may write to them. */
  readonly heads: Map<SessionId, number>;
  /** The customer that the import creates. */
  customer?: OwnerId;
  /** Extensions that process their stored data of the sessions. */
  readonly keepers: readonly (Extension & Required<Pick<Extension, "imported">>)[];
  /** Stops the import before its next commit. */
  readonly signal?: AbortSignal | undefined;
}

/** A definition version above that of every worker, so that no worker claims a session before it is complete. */
const notYet = 2_147_483_647;
const mostEvents = 500;

/** Makes a commit that must not be rejected. */
export async function write(
  { store, ids, heads, signal }: Importing,
  at: number,
  parts: { readonly owner?: OwnerChange; readonly session?: SessionChange; readonly records?: readonly RecordChange[] },
): Promise<{ readonly queued_turn?: number }> {
  if (signal?.aborted === true) throw ThroughlineError.from(signal.reason, "aborted");
  const { session } = parts;
  const head = session && heads.get(session.session_id);
  const guarded = session === undefined || head === undefined ? parts : { ...parts, session: { ...session, depends: { head } } };
  const result = await store.commit({ commit_id: ids.next("commit"), at, ...guarded });
  if (result.outcome === "refused") {
    if (result.reason !== "session_missing" || head === undefined) throw refused(result, session?.session_id);
    throw new ThroughlineError(
      "session.conflict",
      `Session ${session?.session_id} was deleted during its import, for example by another import of the bundle.`,
    );
  }
  if (session !== undefined && result.session !== undefined) heads.set(session.session_id, result.session.head);
  return result.session ?? {};
}

interface Into {
  readonly id: SessionId;
  readonly owner_id: OwnerId;
  /** The owner, for the commit that creates it together with the session. */
  readonly owner?: OwnerChange;
  /** Labels that mark the session until it is published. */
  readonly marks: readonly string[];
}

/** A session that is being written. */
interface Progress {
  readonly importing: Importing;
  readonly one: BundleSession;
  readonly into: Into;
  readonly turns: ReadonlyMap<number, TurnLine>;
  /** Number of the last queued turn. */
  lastTurn: number;
  ended: Set<number>;
}

/** Writes a session with its turns and events, without its final header. No worker claims it before the header is written. */
export async function importSession(importing: Importing, one: BundleSession, into: Into): Promise<void> {
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
}

/** Writes the final header of a complete session, and assigns it to an owner if one is named. Workers can claim it afterwards. */
export async function publish(
  importing: Importing,
  one: BundleSession,
  { session_id, owner_id, entries }: { readonly session_id: SessionId; readonly owner_id?: OwnerId; readonly entries: readonly EntryLine[] },
): Promise<void> {
  const { session } = one;
  const { agent_version, mode, handover, title, metadata, labels, consumers, episode, variables } = session;
  const header = {
    ...{ agent_version, title, metadata, labels, consumers, episode },
    ...(mode === "manual" ? { mode } : {}),
    ...present({ handover }),
  };
  const given = { store: importing.store, session_id, agent: session.agent, events: one.events, entries };
  const added = await Promise.all(importing.keepers.map((extension) => extension.imported(given)));
  // The session is complete, so concurrent changes are harmless.
  await write({ ...importing, heads: new Map() }, session.created_at, {
    ...(variables === undefined ? {} : { owner: ownVariables(session_id, variables) }),
    session: { session_id, header, ...present({ owner_id }) },
    records: added.flatMap((part) => part?.records ?? []),
  });
}

/** Returns the write of the session's own variables. */
const ownVariables = (session_id: SessionId, variables: JsonObject): OwnerChange => ({
  owner_id: sessionOwnerId(session_id),
  create: {},
  variables: Object.entries(variables).map(([name, value]) => ({ name, value })),
});

/** Returns the part of the commit of the first event that creates the session. */
const creation = ({ one, into }: Progress): Pick<SessionChange, "create" | "header"> => ({
  create: { owner_id: into.owner_id, agent: one.session.agent, agent_version: notYet },
  header: { labels: into.marks },
});
const creationOwner = ({ into }: Progress): { readonly owner?: OwnerChange } => present({ owner: into.owner });

/** Starts a log whose beginning was deleted. It fills the offsets up to the first one and cuts them off, so that the events keep their offsets. */
async function begin(progress: Progress): Promise<void> {
  const { importing, one, into } = progress;
  const { created_at, first_offset, base = {} } = one.session;
  const trace_id = importing.ids.trace();
  const filler: NewEvent = { kind: "status", source: "system", data: { status: "ready" }, trace_id };
  const created: NewEvent = { kind: "session", source: "system", data: { type: "created", state: base }, trace_id };
  await write(importing, created_at, { ...creationOwner(progress), session: { session_id: into.id, ...creation(progress), events: [created] } });
  // Writes one more event than stays, because a log is never empty.
  for (let offset = 1; offset < first_offset; offset += mostEvents)
    await write(importing, created_at, {
      session: { session_id: into.id, events: Array.from({ length: Math.min(mostEvents, first_offset - offset) }, () => filler) },
    });
}

/** Queues turns up to a number, so that events can refer to them. */
async function queueUpTo(progress: Progress, number: number): Promise<void> {
  while (progress.lastTurn < number) await queueNext(progress, []);
}

/** Returns the next turn to queue with its original data. A turn whose row was deleted gets default data. */
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

/** Returns how turns end. Messages that they took and did not answer wait again. */
function ending({ one, ended }: Progress, numbers: readonly number[]): Pick<SessionChange, "end_turns" | "dequeue_turns"> {
  const waiting = new Set(one.session.waiting.filter(({ turn }) => turn === undefined).map(({ offset }) => offset));
  const left = new Set(one.events.flatMap(({ offset, turn }) => (turn !== undefined && waiting.has(offset) ? [turn] : [])));
  for (const number of numbers) ended.add(number);
  return { end_turns: numbers.filter((number) => !left.has(number)), dequeue_turns: numbers.filter((number) => left.has(number)) };
}

const isStart = ({ kind, data }: EventLine): boolean => kind === "turn" && data["type"] === "started";

/** Returns where the commit of a withdrawal started. In older logs the events that stopped running turns precede the withdrawal event. */
function withdrawals({ one }: Progress): ReadonlyMap<number, number> {
  const { events, session } = one;
  const found = new Map<number, number>();
  for (const [index, { kind, data }] of events.entries()) {
    if (kind !== "session" || data["type"] !== "withdrawn") continue;
    let at = index;
    while (at > 0 && events[at - 1]?.withdrawn !== true && ["turn", "status"].includes(events[at - 1]?.kind ?? "")) at -= 1;
    found.set(session.first_offset + at, Number(data["from"]));
  }
  return found;
}

/** Writes the events in commits of the maximum size. The events of a commit have the same time, start at most one turn, and end where a turn ended. */
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
  // A turn without a message is queued first, because only a queued turn can start.
  const begun = group.find((event) => isStart(event) && (event.turn ?? 0) > progress.lastTurn)?.turn;
  await queueUpTo(progress, begun ?? (first.turn ?? 0) - 1);
  const opened = first.turn !== undefined && first.turn > progress.lastTurn ? first.turn : undefined;
  const waiting = new Set(one.session.waiting.map(({ offset }) => offset));
  const queue = opened === undefined ? undefined : nextTurn(progress).queue;
  const start = group.findIndex(isStart);
  const started = group[start]?.turn;
  const change: SessionChange = {
    session_id: into.id,
    ...(first.offset === 0 ? creation(progress) : {}),
    ...present({ queue }),
    ...(started === undefined ? {} : { start_turn: { number: started, event: start } }),
    ...present({ withdraw_from }),
    ...(opened !== undefined && ends.includes(opened) ? {} : ending(progress, ends)),
    ...present({ checkpoint }),
    events: group.map((event) => newEvent(event, opened, waiting.has(event.offset))),
  };
  const { queued_turn } = await write(importing, first.created_at, { ...(first.offset === 0 ? creationOwner(progress) : {}), session: change });
  if (opened === undefined) return;
  if (queued_turn !== opened)
    throw new ThroughlineError("bundle.invalid", `Turn ${opened} of session ${one.session.session_id} cannot be queued while another waits.`);
  progress.lastTurn = opened;
  await endTurns(progress, progress.turns.has(opened) ? ends : [...ends, opened]);
}

function newEvent(event: EventLine, opened: number | undefined, waiting: boolean): NewEvent {
  const { kind, source, data, metadata, version, turn, trace_id } = event;
  return {
    kind,
    source,
    data,
    version,
    ...present({ metadata }),
    ...(turn === undefined ? { trace_id: trace_id as TraceId } : { turn: turn === opened ? "queued" : turn }),
    ...(waiting ? { waiting } : {}),
  };
}

/** Returns the state at the start of a session's log, and the operations of its events. */
export function stateOf({ session, events }: BundleSession): {
  readonly base: JsonObject;
  readonly patches: ReadonlyMap<number, readonly PatchOperation[]>;
} {
  const [first] = events;
  const created = first?.kind === "session" ? first.data["state"] : undefined;
  const base = session.base ?? created;
  if (typeof base !== "object" || base === null || Array.isArray(base))
    throw new ThroughlineError("bundle.invalid", `Session ${session.session_id} of the bundle does not begin with a state.`);
  const changes = events.filter(({ kind, offset }) => kind === "state" && offset > (session.base_offset ?? -1));
  return { base: base as JsonObject, patches: new Map(changes.map(({ offset, data }) => [offset, parseOperations(data["patch"])])) };
}

/** Determines where a checkpoint is due, so that loading an imported session costs the same as before. */
class Checkpoints {
  readonly #patches: ReadonlyMap<number, readonly PatchOperation[]>;
  readonly #baseOffset: number | undefined;
  #state: JsonObject;
  #bytes: number;
  #pending: (readonly PatchOperation[])[] = [];
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
