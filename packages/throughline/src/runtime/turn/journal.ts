import type { StageEntry } from "../../extension/port.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import type { TurnData, Writer } from "../../session/event.ts";
import { checkpointDue, foldState, patchWeight } from "../../session/fold.ts";
import { applyDelta } from "../../state/apply.ts";
import type { StateDefinition, StateOf } from "../../state/define.ts";
import { encodeState, rebaseState } from "../../state/document.ts";
import { setLoaded } from "../../state/state-turn.ts";
import type { MessageValue } from "../../state/messages-field.ts";
import type { Claim, Committed, LoadedSession, NewEvent, OwnerChange, RecordChange, SessionChange, SessionDepends } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import type { Ticket } from "./state-cache.ts";

/** A state as the runtime handles it, whatever the agent. */
export type AnyState = StateOf<StateDefinition>;

interface DeltaItem {
  readonly type: "delta";
  readonly writer: Writer;
  /** Applied one after the other, all or none. */
  readonly deltas: readonly JsonObject[];
  readonly writes: readonly string[] | undefined;
  durable: readonly PatchOperation[];
  transient: readonly PatchOperation[];
  messages: readonly unknown[];
  /** Bytes of the durable operations as JSON. */
  bytes: number;
  /** For a stage: its journal entry, with the patch of turn fields filled in when it is committed. */
  readonly stage: StageEntry | undefined;
}

/** Values of fields that are loaded for each turn, and stored nowhere. */
interface LoadItem {
  readonly type: "load";
  readonly values: object;
}
/** A record that lies beside the log. */
interface RecordItem {
  readonly type: "record";
  readonly record: RecordChange;
}
type Item = DeltaItem | LoadItem | RecordItem | { readonly type: "event"; readonly event: NewEvent; readonly starts: boolean };

/** What a commit holds besides what was noted. */
type FlushExtra = Omit<SessionChange, "session_id" | "events" | "depends">;

/** The owner's memory that a turn's text rests on. */
interface Basis {
  /** The owner's version that it was read at, or has been found to hold at since. */
  readonly version: number;
  /** Looks at the memory again, once the owner has moved on. Throws `turn.fenced`, with the lease given back, if words were taken back since. */
  readonly renew: () => Promise<number>;
}

/** Events as a commit takes them, the weight of the patches among them, and which of them begins the turn. */
interface Events {
  readonly events: readonly NewEvent[];
  readonly bytes: number;
  readonly started: number;
}

/** What a commit holds: events, the state's offset that patches among them rest on, and the checkpoint that is due. */
export interface Contents {
  readonly events: readonly NewEvent[];
  readonly base?: number;
  readonly checkpoint?: JsonObject;
}

/** What is written beside the session in the same commit. */
interface FlushBeside {
  readonly owner?: OwnerChange;
  readonly records?: readonly RecordChange[];
}

/** Whether a turn has made progress with an event: a model has answered, or the result of a call is known. */
const isProgress = ({ kind, data }: Pick<NewEvent, "kind" | "data">): boolean =>
  (kind === "turn" && data["type"] === "step") || (kind === "tool" && data["type"] === "returned");

type StepData = Extract<TurnData, { type: "step" }>;
/** What a turn notes was typed as it was noted. */
const isStep = (data: object): data is StepData => "type" in data && data.type === "step";

/** How often deltas are applied anew to a state that somebody else has changed. */
const rebases = 3;

/**
 * A patch over 64 KB, or over half of the state it changes, is worth a warning: its writer replaces where it could add. Small ones are nobody's
 * trouble.
 */
const isHeavy = (bytes: number, stateBytes: number): boolean => bytes > 64 * 1024 || (bytes > 4096 && bytes * 2 > stateBytes);

/** What a turn has done and not committed yet, and the state it has led to. One commit at a time makes it durable. */
export class Journal {
  readonly #runtime: RuntimeContext;
  readonly #claim: Claim;
  readonly #agent: Agent;
  #items: Item[] = [];
  #state: AnyState;
  #committed: AnyState;
  #base: number;
  #head: number;
  /** Where the reply goes among what is not committed yet. */
  #replyAt: number | undefined;
  #baseBytes: number;
  #weight: number;
  #heavy = 0;
  #lastFlush: number;
  /** Earlier attempts count against the turn as long as this one has made no progress. */
  #counted: boolean;
  /** What commits rest on; undefined until the turn has begun. */
  #basis: Basis | undefined;
  /** Told of what a commit has written, and from which offset on. */
  #written: ((events: readonly NewEvent[], first: number) => void) | undefined;
  /** What the last commit has told of the session. */
  #left: Committed["left"];
  /** Told of progress: the turn that a child agent's turn works for makes it, too. */
  #progressed: (() => Promise<void>) | undefined;
  /** The commit that is under way: commits of one turn come one after the other. */
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
  }

  get state(): AnyState {
    return this.#state;
  }

  /** The last offset in the log, as of the last commit. */
  get head(): number {
    return this.#head;
  }

  /** Heavy patches so far. */
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

  /** How many events the next commit has. */
  get size(): number {
    return this.#eventsOf(this.#items).events.length;
  }

  /** Every commit from now on holds only as long as no words that the turn may have been shown are taken back. */
  restOn(basis: Basis): void {
    this.#basis = basis;
  }

  /** The answered model calls that no commit holds yet. */
  get uncommittedSteps(): readonly StepData[] {
    return this.#items.flatMap((item) => (item.type === "event" && item.event.kind === "turn" && isStep(item.event.data) ? [item.event.data] : []));
  }

  /** The stored state after the last commit; undefined if that did not tell, or if another writer has changed the state since. */
  get stored(): JsonObject | undefined {
    return this.#left?.state_offset === this.#base ? encodeState(this.#agent.state, this.#committed) : undefined;
  }

  /** How many turns of the session were open after the last commit; undefined if that did not tell. */
  get openTurns(): number | undefined {
    return this.#left?.open_turns;
  }

  /** Has somebody told of the events of every commit. */
  onWritten(told: (events: readonly NewEvent[], first: number) => void): void {
    this.#written = told;
  }

  /** Has somebody told of every commit with progress. */
  onProgress(told: () => Promise<void>): void {
    this.#progressed = told;
  }

  /** Counts the attempts of the turn from 1 again: a child agent that it waits for has made progress. */
  async progress(): Promise<void> {
    if (this.#counted) await this.flush({ progress: this.#claim.turn.number });
    else await this.#progressed?.();
  }

  /** Notes an event. */
  add(event: NewEvent): void {
    this.#items.push({ type: "event", event, starts: false });
  }

  /** Says that the reply comes before everything that is noted from now on. */
  placeReply(): void {
    this.#replyAt = this.#items.length;
  }

  /** Notes the reply, at its place. */
  addReply(event: NewEvent): void {
    this.#items.splice(this.#replyAt ?? this.#items.length, 0, { type: "event", event, starts: false });
  }

  /** Notes that the turn has begun. */
  start(data: Extract<TurnData, { type: "started" }>): void {
    this.#items.push({ type: "event", event: turnEvent(this.#claim.turn.number, data), starts: true });
  }

  /** Keeps a record beside the log, in the commit of what is noted with it; of two with one key the later. */
  keep(record: RecordChange): void {
    this.#items.push({ type: "record", record });
  }

  /** Sets fields that are loaded for this turn. */
  load(values: object): void {
    if (Object.keys(values).length === 0) return;
    this.#state = setLoaded(this.#agent.state, this.#state, values).state;
    this.#items.push({ type: "load", values });
  }

  /** Applies a delta and notes what it changed; a stage's journal entry is noted even if it changed nothing. */
  apply(writer: Writer, delta: unknown, options: { readonly writes?: readonly string[]; readonly stage?: StageEntry } = {}): void {
    this.applyAll(writer, [(delta ?? {}) as JsonObject], options);
  }

  /** Applies deltas one after the other, all or none, and notes them as one change. */
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
    const options = item.writes === undefined ? {} : { writes: item.writes };
    const applied = item.deltas.map((delta) => {
      const next = applyDelta(this.#agent.state, state, delta, options);
      state = next.state;
      return next;
    });
    item.durable = applied.flatMap(({ patch }) => patch.durable);
    item.transient = applied.flatMap(({ patch }) => patch.transient);
    item.messages = applied.flatMap(({ messages }) => messages);
    item.bytes = item.durable.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(item.durable));
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
      // In a session `messages` is the log itself: what a delta adds to it becomes events.
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

  /** What the next commit would hold, for a commit that somebody else makes. */
  contents(): Contents {
    const { events, bytes, document } = this.#contentsOf(this.#items, this.#state);
    return { events, ...(bytes > 0 ? { base: this.#base } : {}), ...(document === undefined ? {} : { checkpoint: document }) };
  }

  /**
   * Commits everything noted, and `extra` with it, under the turn's epoch; nothing to note and no extra is no commit. What is noted while it is under
   * way is for the next one. Throws `turn.fenced` when the turn is another's, and `session.conflict` when the log has grown past `depends.head`.
   */
  flush(extra?: FlushExtra, depends?: Pick<SessionDepends, "head">, beside: FlushBeside = {}): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush(extra, depends, beside));
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  async #flush(extra: FlushExtra | undefined, depends: Pick<SessionDepends, "head"> | undefined, beside: FlushBeside): Promise<void> {
    if (this.#items.every(({ type }) => type === "load") && extra === undefined) return;
    const count = this.#items.length;
    let state = this.#state;
    for (let [tries, renewals] = [1, 0]; ;) {
      const { events, bytes, started, document } = this.#contentsOf(this.#items.slice(0, count), state);
      const records = [...recordsAmong(this.#items.slice(0, count)), ...(beside.records ?? [])];
      const ticket = this.#runtime.states.ticket();
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
            ...(this.#basis === undefined ? {} : { owner_version: this.#basis.version }),
          },
          ...(started < 0 ? {} : { start_turn: { number: this.#claim.turn.number, event: started } }),
          ...(document === undefined ? {} : { checkpoint: document }),
          ...(this.#counted && events.some(isProgress) ? { progress: this.#claim.turn.number } : {}),
          ...extra,
        },
      });
      if (result.outcome === "committed") {
        const { first_offset = 0, head = this.#head } = result.session ?? {};
        this.#left = result.left;
        this.#settle({ first_offset, head, count, events, bytes, document, state });
        this.#keepState(ticket);
        this.#written?.(events, first_offset);
        const progressed = extra?.progress !== undefined || events.some(isProgress);
        if (progressed) this.#counted = false;
        if (progressed) await this.#progressed?.();
        return;
      }
      if (result.reason === "stale_version" && this.#basis !== undefined && renewals++ < changes) {
        this.#basis = { ...this.#basis, version: await this.#basis.renew() };
        // What is written to the owner was decided on the memory as it was: whoever decided it does so again.
        if (beside.owner === undefined) continue;
      }
      if (result.reason !== "stale_base" || tries++ > rebases) throw refused(result, this.#claim.session_id);
      state = await this.#rebase(count);
    }
  }

  /** Keeps the state as the last commit has left it, for the next turn. */
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
   * Somebody else changed the state: applies the deltas, not their patches, to the state as it is now. Returns the state after the first `count` items.
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

const heavyAmong = (items: readonly Item[], stateBytes: number): number =>
  items.filter((item) => item.type === "delta" && isHeavy(item.bytes, stateBytes)).length;

/** The records to keep, each named once as a commit takes them. */
const recordsAmong = (items: readonly Item[]): readonly RecordChange[] => [
  ...new Map(items.flatMap((item) => (item.type === "record" ? [[`${item.record.kind} ${item.record.key}`, item.record] as const] : []))).values(),
];

function addedMessage({ role, text }: MessageValue, turn: number): NewEvent {
  if (role === "tool")
    throw new ThroughlineError("state.invalid_value", "A stage cannot add a message with the role tool: only a tool call's result has it.", {
      details: { path: "/messages" },
    });
  return newEvent("message", "ai_agent", { role, parts: [{ type: "text", text }] }, { turn });
}

function stageData({ name, ms, control, recall, assessment }: StageEntry, patch: readonly PatchOperation[]): TurnData {
  return {
    ...{ type: "stage", name, ...(patch.length === 0 ? {} : { patch }), ms },
    ...(Object.keys(control).length === 0 ? {} : { control }),
    ...(recall === undefined ? {} : { recall }),
    ...(assessment === undefined ? {} : { assessment }),
  };
}
