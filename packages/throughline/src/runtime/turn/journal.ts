import { changes, commitOnce, headerOf, loadSession, refused } from "../../extension/commit.ts";
import { own, invalidAt } from "../../extension/failure.ts";
import { metadataWith, type StageEntry } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { isPlainObject, isStorableText, type JsonObject, present } from "../../kernel/json.ts";
import type { TurnData, Writer } from "../../session/event.ts";
import { checkpointDue, foldState, patchWeight } from "../../session/fold.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { applyDelta } from "../../state/apply.ts";
import type { StateDefinition, StateOf } from "../../state/define.ts";
import { encodeState, rebaseState } from "../../state/document.ts";
import type { MessageValue } from "../../state/messages-field.ts";
import { setLoaded } from "../../state/state-turn.ts";
import type {
  Claim,
  Committed,
  LoadedSession,
  NewEvent,
  OwnerChange,
  RecordChange,
  Refusal,
  SessionChange,
  SessionDepends,
  SessionRow,
} from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { Ticket } from "./state-cache.ts";

/** A state of any agent, as the runtime handles it. */
export type AnyState = StateOf<StateDefinition>;

interface DeltaItem {
  readonly type: "delta";
  readonly writer: Writer;
  /** Applied in order, all or none. */
  readonly deltas: readonly JsonObject[];
  readonly writes: readonly string[] | undefined;
  durable: readonly PatchOperation[];
  transient: readonly PatchOperation[];
  messages: readonly unknown[];
  /** Size of the durable operations as JSON, in bytes. */
  bytes: number;
  /** Journal entry of a stage. Its patch of turn fields is filled in at the commit. */
  readonly stage: StageEntry | undefined;
}

/** Values of fields that are loaded for each turn and never stored. */
interface LoadItem {
  readonly type: "load";
  readonly values: object;
}
/** A record that is stored outside the log. */
interface RecordItem {
  readonly type: "record";
  readonly records: () => Promise<readonly RecordChange[]>;
  /** Whether the records are decided anew when one of them is refused because it has changed. */
  readonly renews: boolean;
}
type Item = DeltaItem | LoadItem | RecordItem | { readonly type: "event"; readonly event: NewEvent; readonly starts: boolean };

/** Other parts of a commit, in addition to the journal. */
type FlushExtra = Omit<SessionChange, "session_id" | "events" | "depends">;

/** The owner's memory that a turn's text depends on. */
interface Basis {
  /** The owner's version at which the memory was read or last confirmed. */
  readonly version: number;
  /** Checks the memory again after the owner's version has changed. Throws `turn.fenced` and releases the lease if messages were withdrawn since. */
  readonly renew: () => Promise<number>;
}

/** Events for a commit, the size of their patches, and the event that starts the turn. */
interface Events {
  readonly events: readonly NewEvent[];
  readonly bytes: number;
  readonly started: number;
}

/** Contents of a commit: events, the state offset that their patches depend on, and a checkpoint if one is due. */
export interface Contents {
  readonly events: readonly NewEvent[];
  readonly base?: number;
  readonly checkpoint?: JsonObject;
}

/** Writes outside the session in the same commit. */
interface FlushBeside {
  readonly owner?: OwnerChange;
  readonly records?: readonly RecordChange[];
}

/** Whether an event means progress of the turn: a model response, or the known result of a call. */
const isProgress = ({ kind, data }: Pick<NewEvent, "kind" | "data">): boolean =>
  (kind === "turn" && data["type"] === "step") || (kind === "tool" && data["type"] === "returned");

type StepData = Extract<TurnData, { type: "step" }>;
/** Events of a turn had this type when they were recorded. */
const isStep = (data: object): data is StepData => "type" in data && data.type === "step";

/** Maximum number of times that deltas are applied again to a state that another writer has changed. */
const rebases = 3;

/** Whether a patch deserves a warning: over 64 KB, or over 4 KB and over half of the state. Its writer then replaces where it could add. */
const isHeavy = (bytes: number, stateBytes: number): boolean => bytes > 64 * 1024 || (bytes > 4096 && bytes * 2 > stateBytes);

/** Uncommitted changes of a turn, and the resulting state. It makes them durable with one commit at a time. */
export class Journal {
  readonly #runtime: RuntimeContext;
  readonly #claim: Claim;
  readonly #agent: Agent;
  #items: Item[] = [];
  #state: AnyState;
  #committed: AnyState;
  #base: number;
  #head: number;
  /** Position of the reply among the uncommitted items. */
  #replyAt: number | undefined;
  #baseBytes: number;
  #weight: number;
  #heavy = 0;
  #lastFlush: number;
  /** Whether earlier attempts count against the turn. They do until this attempt makes progress. */
  #counted: boolean;
  /** The session's metadata and the version of its header, as last read or written. */
  #header: Pick<SessionRow, "metadata" | "version">;
  /** The memory that commits depend on. Undefined until the turn has started. */
  #basis: Basis | undefined;
  /** Called with the events of each commit and the offset of the first one. */
  #written: ((events: readonly NewEvent[], first: number) => void) | undefined;
  /** What the last commit returned about the session. */
  #left: Committed["left"];
  /** Called on progress, because the parent turn of a child agent then makes progress too. */
  #progressed: (() => Promise<void>) | undefined;
  /** The commit in progress. Commits of one turn run one after the other. */
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly runtime: RuntimeContext;
    readonly claim: Claim;
    readonly agent: Agent;
    readonly loaded: LoadedSession;
    readonly state: AnyState;
    readonly weight: number;
  }) {
    this.#runtime = options.runtime;
    this.#claim = options.claim;
    this.#agent = options.agent;
    this.#state = options.state;
    this.#committed = options.state;
    this.#base = options.loaded.session.state_offset;
    this.#head = options.loaded.session.head;
    this.#baseBytes = options.loaded.base.bytes;
    this.#weight = options.weight;
    this.#lastFlush = options.runtime.clock.monotonic();
    this.#counted = options.claim.turn.attempts > 1;
    this.#header = options.loaded.session;
  }

  get state(): AnyState {
    return this.#state;
  }

  /** Last offset of the log after the last commit. */
  get head(): number {
    return this.#head;
  }

  /** Number of heavy patches so far. */
  get heavyPatches(): number {
    return this.#heavy + heavyAmong(this.#items, this.#baseBytes);
  }

  /** Whether the next commit changes the state. */
  get changesState(): boolean {
    return this.#items.some((item) => item.type === "delta" && item.durable.length > 0);
  }

  /** Milliseconds since the last commit. */
  get age(): number {
    return this.#runtime.clock.monotonic() - this.#lastFlush;
  }

  /** Number of events in the next commit. */
  get size(): number {
    return this.#eventsOf(this.#items).events.length;
  }

  /** Makes every later commit fail if messages that the turn may have been shown have been withdrawn. */
  restOn(basis: Basis): void {
    this.#basis = basis;
  }

  /** Answered model calls that are not committed yet. */
  get uncommittedSteps(): readonly StepData[] {
    return this.#items.flatMap((item) => (item.type === "event" && item.event.kind === "turn" && isStep(item.event.data) ? [item.event.data] : []));
  }

  /** The stored state after the last commit. Undefined if the commit did not return it, or if another writer has changed the state since. */
  get stored(): JsonObject | undefined {
    return this.#left?.state_offset === this.#base ? encodeState(this.#agent.state, this.#committed) : undefined;
  }

  /** Number of open turns of the session after the last commit. Undefined if the commit did not return it. */
  get openTurns(): number | undefined {
    return this.#left?.open_turns;
  }

  /** Registers a listener for the events of every commit. */
  onWritten(listener: (events: readonly NewEvent[], first: number) => void): void {
    this.#written = listener;
  }

  /** Registers a listener for every commit with progress. */
  onProgress(listener: () => Promise<void>): void {
    this.#progressed = listener;
  }

  /** Resets the count of attempts to 1, because a child agent of the turn has made progress. */
  async progress(): Promise<void> {
    if (this.#counted) await this.flush({ progress: this.#claim.turn.number });
    else await this.#progressed?.();
  }

  /** Adds an event. */
  add(event: NewEvent): void {
    this.#items.push({ type: "event", event, starts: false });
  }

  /** Places the reply before everything that is added from now on. */
  placeReply(): void {
    this.#replyAt = this.#items.length;
  }

  /** Adds the reply at its place. */
  addReply(event: NewEvent): void {
    this.#items.splice(this.#replyAt ?? this.#items.length, 0, { type: "event", event, starts: false });
  }

  /** Adds the event that starts the turn. */
  start(data: Extract<TurnData, { type: "started" }>): void {
    this.#items.push({ type: "event", event: turnEvent(this.#claim.turn.number, data), starts: true });
  }

  /**
   * Stores a record outside the log, in the same commit as the items around it. Of two records with one key, the later one wins. A record that no
   * store accepts is logged and left out, because it would cost the reply. A function is called at the commit, and again if a record of it is refused
   * because it has changed.
   */
  keep(record: RecordChange | (() => Promise<readonly RecordChange[]>)): void {
    if (typeof record === "function") {
      const records = async (): Promise<readonly RecordChange[]> => (await record()).filter((one) => this.#isStorable(one));
      this.#items.push({ type: "record", records, renews: true });
    } else if (this.#isStorable(record)) this.#items.push({ type: "record", records: () => Promise.resolve([record]), renews: false });
  }

  #isStorable(record: RecordChange): boolean {
    const isHeld = isStorableRecord(record);
    if (!isHeld) this.#runtime.logger.error("an invalid record was not stored", { turn_id: this.#claim.turn.turn_id, kind: seen(record?.kind) });
    return isHeld;
  }

  /** Sets fields that are loaded for this turn. */
  load(values: object): void {
    this.#state = setLoaded(this.#agent.state, this.#state, values).state;
    this.#items.push({ type: "load", values });
  }

  /** Applies a delta and records its changes. A stage's journal entry is recorded even if the delta changed nothing. */
  apply(writer: Writer, delta: unknown, options: { readonly writes?: readonly string[]; readonly stage?: StageEntry } = {}): void {
    this.applyAll(writer, [(delta ?? {}) as JsonObject], options);
  }

  /** Applies deltas in order, all or none, and records them as one change. */
  applyAll(writer: Writer, deltas: readonly JsonObject[], options: { readonly writes?: readonly string[]; readonly stage?: StageEntry } = {}): void {
    const item: DeltaItem = {
      type: "delta",
      writer,
      deltas,
      writes: options.writes,
      durable: [],
      transient: [],
      messages: [],
      bytes: 0,
      stage: options.stage,
    };
    this.#state = this.#run(item, this.#state);
    this.#items.push(item);
  }

  #run(item: DeltaItem, before: AnyState): AnyState {
    let state = before;
    const options = present({ writes: item.writes });
    const applied = item.deltas.map((delta) => {
      const next = applyDelta(this.#agent.state, state, delta, options);
      state = next.state;
      return next;
    });
    item.durable = applied.flatMap(({ patch }) => patch.durable);
    item.transient = applied.flatMap(({ patch }) => patch.transient);
    item.messages = applied.flatMap(({ messages }) => messages);
    item.bytes = Buffer.byteLength(JSON.stringify(item.durable));
    return state;
  }

  #eventsOf(items: readonly Item[]): Events {
    const { number } = this.#claim.turn;
    const events: NewEvent[] = [];
    let bytes = 0;
    let started = -1;
    for (const item of items) {
      if (item.type === "load" || item.type === "record") continue;
      if (item.type === "event") {
        if (item.starts) started = events.length;
        events.push(item.event);
        continue;
      }
      // In a session the log itself is the `messages` field, so messages in a delta become events.
      for (const message of item.messages) events.push(addedMessage(message as MessageValue, number));
      if (item.durable.length > 0) {
        bytes += patchWeight(item.bytes);
        events.push(newEvent("state", "ai_agent", { patch: item.durable, writer: item.writer, definition: this.#agent.version }, { turn: number }));
      }
      if (item.stage !== undefined) events.push(turnEvent(number, stageData(item.stage, item.transient)));
      else if (item.transient.length > 0) events.push(turnEvent(number, { type: "fields", patch: item.transient }));
    }
    return { events, bytes, started };
  }

  #contentsOf(items: readonly Item[], state: AnyState): Events & { readonly document: JsonObject | undefined } {
    const found = this.#eventsOf(items);
    const due = found.bytes > 0 && checkpointDue(this.#weight + found.bytes, this.#baseBytes);
    return { ...found, document: due ? encodeState(this.#agent.state, state) : undefined };
  }

  /** Returns the contents of the next commit, for a commit that another function makes. */
  contents(): Contents {
    const { events, bytes, document } = this.#contentsOf(this.#items, this.#state);
    return { events, ...(bytes > 0 ? { base: this.#base } : {}), ...present({ checkpoint: document }) };
  }

  /**
   * Commits all recorded items and `extra` under the turn's epoch. Commits nothing if both are empty. Items that are added during a commit belong to
   * the next one. Throws `turn.fenced` if another worker has the turn, `session.conflict` if the log has grown past `depends.head`, and
   * `extension.failed` if a record cannot be stored.
   */
  flush(extra?: FlushExtra, depends?: Pick<SessionDepends, "head">, beside: FlushBeside = {}): Promise<void> {
    const flushed = this.#flushing.then(() => own(() => this.#flush(extra, depends, beside)));
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  async #flush(extra: FlushExtra | undefined, depends: Pick<SessionDepends, "head"> | undefined, beside: FlushBeside): Promise<void> {
    if (this.#items.every(({ type }) => type === "load") && extra === undefined) return;
    const count = this.#items.length;
    let state = this.#state;
    for (let [tries, renewals] = [1, 0]; ;) {
      const { events, bytes, started, document } = this.#contentsOf(this.#items.slice(0, count), state);
      const { kept, renewed } = await recordsOf(this.#items.slice(0, count));
      const records = onceEach([...kept, ...(beside.records ?? [])]);
      const ticket = this.#runtime.states.ticket();
      const metadata = bytes > 0 ? metadataWith(this.#agent.extensions, this.#header.metadata, state) : undefined;
      const header = metadata === undefined ? {} : { header: { ...extra?.header, metadata } };
      const result = await commitOnce(this.#runtime, {
        ...beside,
        ...(records.length === 0 ? {} : { records }),
        session: {
          session_id: this.#claim.session_id,
          events,
          depends: {
            ...depends,
            epoch: this.#claim.epoch,
            ...(bytes > 0 ? { base: this.#base } : {}),
            ...(metadata === undefined ? {} : { version: this.#header.version }),
            ...(this.#basis === undefined ? {} : { owner_version: this.#basis.version }),
          },
          ...(started < 0 ? {} : { start_turn: { number: this.#claim.turn.number, event: started } }),
          ...present({ checkpoint: document }),
          ...(this.#counted && events.some(isProgress) ? { progress: this.#claim.turn.number } : {}),
          ...extra,
          ...header,
        },
      });
      if (result.outcome === "committed") {
        const { first_offset = 0, head = this.#head } = result.session ?? {};
        this.#left = result.left;
        if (metadata !== undefined) this.#header = { metadata, version: this.#header.version + 1 };
        this.#settle({ first_offset, head, count, events, bytes, document, state });
        this.#keepState(ticket);
        this.#written?.(events, first_offset);
        const progressed = extra?.progress !== undefined || events.some(isProgress);
        if (progressed) this.#counted = false;
        if (progressed) await this.#progressed?.();
        return;
      }
      if (result.reason === "stale_version" && metadata !== undefined) {
        const now = await headerOf(this.#runtime, this.#claim.session_id);
        const moved = now.version !== this.#header.version;
        this.#header = now;
        if (moved && renewals++ < changes) continue;
      }
      if (result.reason === "stale_version" && this.#basis !== undefined && renewals++ < changes) {
        this.#basis = { ...this.#basis, version: await this.#basis.renew() };
        // The owner's writes were decided on the older memory, so the caller must decide again.
        if (beside.owner === undefined) continue;
      }
      const { session_id } = this.#claim;
      const record = recordAtFault(result, records, session_id);
      if (record !== undefined && result.reason === "stale_record" && renewed.has(record) && renewals++ < changes) continue;
      if (record !== undefined) throw recordRefused(record, refused(result, session_id));
      if (result.reason !== "stale_base" || tries++ > rebases) throw refused(result, session_id);
      state = await this.#rebase(count);
    }
  }

  /** Caches the state after the last commit for the next turn. */
  #keepState(ticket: Ticket): void {
    const state = this.stored;
    const { state_id } = this.#left ?? {};
    if (state === undefined || state_id === undefined) return;
    const folded = { weight: this.#weight, definition: this.#agent.version };
    this.#runtime.states.keep(this.#claim.session_id, { state_id, base: { offset: this.#base, state, bytes: this.#baseBytes, folded } }, ticket);
  }

  #settle(done: {
    readonly first_offset: number;
    readonly head: number;
    readonly count: number;
    readonly events: readonly NewEvent[];
    readonly bytes: number;
    readonly document: JsonObject | undefined;
    readonly state: AnyState;
  }): void {
    const last = done.events.findLastIndex((event) => event.kind === "state");
    if (last >= 0) this.#base = done.first_offset + last;
    this.#head = done.head;
    this.#weight = done.document === undefined ? this.#weight + done.bytes : 0;
    this.#heavy += heavyAmong(this.#items.slice(0, done.count), this.#baseBytes);
    if (done.document !== undefined) this.#baseBytes = Buffer.byteLength(JSON.stringify(done.document));
    this.#items = this.#items.slice(done.count);
    if (this.#replyAt !== undefined) this.#replyAt = Math.max(0, this.#replyAt - done.count);
    this.#committed = done.state;
    this.#lastFlush = this.#runtime.clock.monotonic();
  }

  /**
   * Handles a state that another writer has changed: applies the deltas, not their patches, to the current state. Returns the state after the first
   * `count` items.
   */
  async #rebase(count: number): Promise<AnyState> {
    const loaded = await loadSession(this.#runtime, this.#claim.session_id);
    const { document, weight } = foldState(loaded);
    this.#base = loaded.session.state_offset;
    this.#baseBytes = loaded.base.bytes;
    this.#weight = weight;
    this.#committed = rebaseState(this.#agent.state, this.#committed, document);
    const applied = (items: readonly Item[], from: AnyState): AnyState =>
      items.reduce((state, item) => {
        if (item.type === "load") return setLoaded(this.#agent.state, state, item.values).state;
        return item.type === "delta" ? this.#run(item, state) : state;
      }, from);
    const flushed = applied(this.#items.slice(0, count), this.#committed);
    this.#state = applied(this.#items.slice(count), flushed);
    return flushed;
  }
}

/** Returns the records of items, and those of them that are decided anew when they are refused because they have changed. */
async function recordsOf(items: readonly Item[]): Promise<{ readonly kept: readonly RecordChange[]; readonly renewed: ReadonlySet<RecordChange> }> {
  const kept: RecordChange[] = [];
  const renewed = new Set<RecordChange>();
  for (const item of items) {
    if (item.type !== "record") continue;
    const records = await item.records();
    kept.push(...records);
    if (item.renews) for (const record of records) renewed.add(record);
  }
  return { kept, renewed };
}

const heavyAmong = (items: readonly Item[], stateBytes: number): number =>
  items.filter((item) => item.type === "delta" && isHeavy(item.bytes, stateBytes)).length;

/** Whether a value is a name that a store accepts. */
export const isName = (name: unknown, most = Number.POSITIVE_INFINITY): boolean =>
  typeof name === "string" && name !== "" && name.length <= most && isStorableText(name);

/** Whether a value is data that a store accepts: null, or an object that JSON can hold. */
export function isData(data: unknown): boolean {
  try {
    return data === null || (isPlainObject(data) && JSON.stringify(data) !== undefined);
  } catch {
    return false;
  }
}

/** Whether a store accepts the form of a record. Extensions are foreign code. */
export function isStorableRecord(record: RecordChange): boolean {
  if (!isPlainObject(record)) return false;
  const { kind, key, data, depends, expires_at, keep_ms, owner_id, session_id } = record;
  const counts = [depends?.version, expires_at, keep_ms];
  return (
    isName(kind, 40) &&
    isName(key, 200) &&
    isData(data) &&
    counts.every((count) => count === undefined || (Number.isSafeInteger(count) && count >= 0)) &&
    [owner_id, session_id].every((id) => id === undefined || isName(id))
  );
}

/** Returns the records to store, each key once, because a commit takes a key only once. The later one wins. */
export const onceEach = (records: readonly RecordChange[]): readonly RecordChange[] => [
  ...new Map(records.map((record) => [JSON.stringify([record.kind, record.key]), record])).values(),
];

/** Returns the record that a commit was refused for: it has changed, or belongs to an owner or another session that does not exist. */
function recordAtFault(refusal: Refusal, records: readonly RecordChange[], own_id: SessionId): RecordChange | undefined {
  switch (refusal.reason) {
    case "stale_record":
      return records.find(({ kind, key }) => kind === refusal.kind && key === refusal.key);
    case "session_missing":
      return records.find(({ session_id }) => session_id !== undefined && session_id !== own_id);
    case "owner_missing":
      return records.find(({ owner_id }) => owner_id !== undefined);
    default:
      return undefined;
  }
}

const refusedRecords = new WeakMap<object, RecordChange>();

/** Returns the error of a commit that was refused for a record. The record is not part of its details, because a key may identify a person. */
function recordRefused(record: RecordChange, cause: ThroughlineError): ThroughlineError {
  const message = `A record of kind "${record.kind}" that an extension writes was refused.`;
  const error = new ThroughlineError("extension.failed", message, { cause, details: { kind: record.kind } });
  refusedRecords.set(error, record);
  return error;
}

/** Returns the record that a commit was refused for, if an error is about one. */
export const refusedRecord = (error: unknown): RecordChange | undefined =>
  typeof error === "object" && error !== null ? refusedRecords.get(error) : undefined;

function addedMessage({ role, text }: MessageValue, turn: number): NewEvent {
  if (role === "tool")
    throw invalidAt("state.invalid_value", "/messages", "A stage cannot add a message with the role tool: only a tool call's result has it.");
  return newEvent("message", "ai_agent", { role, parts: [{ type: "text", text }] }, { turn });
}

function stageData({ name, ms, control, recall, assessment }: StageEntry, patch: readonly PatchOperation[]): TurnData {
  return {
    ...{ type: "stage", name, ...(patch.length === 0 ? {} : { patch }), ms },
    ...(Object.keys(control).length === 0 ? {} : { control }),
    ...present({ recall, assessment }),
  };
}
