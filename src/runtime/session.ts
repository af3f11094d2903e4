import { ThroughlineError, seen } from "../kernel/error.ts";
import { turnIdOf, type SessionId, type TurnId } from "../kernel/id.ts";
import { deepFreeze, type Json, objectGiven, type JsonObject } from "../kernel/json.ts";
import type { Event, MessageData } from "../session/event.ts";
import { foldState } from "../session/fold.ts";
import type { KnownVariable } from "../session/join-variables.ts";
import { messagesOf, type Message } from "../session/messages.ts";
import { decodeEvent } from "../session/upcast.ts";
import { metadataOf, withNamedChange, type Metadata, type NamedChange, type Variables } from "../session/variables.ts";
import { runningTurn, queuedTurn, viewOf, type OpenTurn } from "../session/view.ts";
import { migrateDocument } from "../state/migrate.ts";
import type { EventKind, EventSource, LoadedSession, SessionMode, SessionRow } from "../store/port.ts";
import { changes, commitOnce, eventAt, execute, loadSession, refused } from "./commit.ts";
import { decideCall, type DecideOptions, type DecisionMade } from "./approval/decide.ts";
import { pendingOf, type Pending } from "./approval/pending.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import { definitionVersionOf } from "./definition-version.ts";
import type { Draft } from "./drafts.ts";
import { editState, type EditOptions } from "./edit.ts";
import { followEvents, streamSession, type EventFilter } from "./follow.ts";
import { forkSession, type ForkOptions } from "./fork.ts";
import { historyOfSession, type HistoryPoint } from "./history.ts";
import { identify, type IdentifyOptions } from "./identify.ts";
import { outcomeOf, type TurnResult } from "./outcome.ts";
import { checkMetadata, checkShownName, checkText, checkValue, type Incoming } from "./receive.ts";
import { checkLabels } from "./session-header.ts";
import { executeEnding } from "./subagent/stop.ts";
import { accept, type Accepted } from "./turn.ts";
import { sessionVariables, setSessionVariables, type SetVariablesOptions } from "./variables/scopes.ts";
import { withdrawal } from "./withdraw.ts";
import type { Worker } from "./worker.ts";

/** What is known of a session without reading its log. */
export interface SessionInfo {
  readonly id: SessionId;
  readonly agent: string;
  readonly definition: number;
  readonly customer_id: string | undefined;
  /** What it was forked from, and the last offset that it shares; no id if that session has been deleted. */
  readonly origin: SessionRow["origin"];
  readonly mode: SessionMode;
  /** Where its last hand-over to people stands; undefined if it was never handed over. */
  readonly handover: SessionRow["handover"];
  readonly title: string | null;
  readonly labels: readonly string[];
  /** For the integration alone. */
  readonly metadata: Metadata;
  readonly consumers: Readonly<Record<string, number>>;
  readonly episode: number;
  readonly head: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** Raised by every change of mode, title, metadata, labels and consumers. */
  readonly version: number;
}

export const toInfo = (row: SessionRow): SessionInfo =>
  deepFreeze({
    id: row.session_id,
    agent: row.agent,
    definition: row.agent_version,
    customer_id: row.customer_id,
    origin: row.origin,
    mode: row.mode,
    handover: row.handover,
    title: row.title,
    labels: row.labels,
    metadata: metadataOf(row.metadata),
    consumers: row.consumers,
    episode: row.episode,
    head: row.head,
    created_at: row.created_at,
    updated_at: row.updated_at,
    version: row.version,
  });

/** State at an offset. */
export interface StateAt {
  readonly offset: number;
  /** Version of the agent's definition that wrote it. */
  readonly definition: number;
  /** The `reduced` fields, encoded. */
  readonly document: JsonObject;
}

/** Options of posting something that is not a customer's message. */
export interface PostOptions {
  readonly metadata?: JsonObject;
}

/** What may come with a message that is sent, and how long to wait for its outcome. */
export interface SendOptions extends Omit<Incoming, "text"> {
  /** Stops waiting for the answer; the message stays accepted. */
  readonly signal?: AbortSignal;
}

/** One conversation. A handle holds nothing that changes: every call reads what it needs. */
export class Session {
  readonly id: SessionId;
  readonly #runtime: RuntimeContext;
  readonly #worker: Worker;
  /** Name of its agent, which never changes. */
  #agent: string | undefined;

  constructor(runtime: RuntimeContext, worker: Worker, id: SessionId) {
    this.#runtime = runtime;
    this.#worker = worker;
    this.id = id;
  }

  /** The session as it stands. */
  async info(): Promise<SessionInfo> {
    const row = await this.#runtime.store.open({ session_id: this.id });
    if (row === undefined) throw refused({ reason: "session_missing" }, this.id);
    return toInfo(row);
  }

  /** Accepts a customer's message: from the return on it is on disk and will be answered once, by this process or another. */
  async post(message: string | Incoming): Promise<Accepted> {
    const accepted = await this.#accept(typeof message === "string" ? { text: message } : message);
    if (accepted.turn_id !== undefined) this.#worker.drive(this.id).catch(() => {});
    return accepted;
  }

  async #accept(incoming: Incoming): Promise<Accepted> {
    const agent = (this.#agent ??= (await this.info()).agent);
    const fenced = (epoch: number): void =>
      this.#worker.interrupt(this.id, epoch, new ThroughlineError("turn.fenced", "The turn was superseded by a message."));
    return accept(this.#runtime, { session_id: this.id, agent: agentOf(this.#runtime, agent), fenced }, incoming);
  }

  /** Accepts a customer's message and waits for its outcome. The same idempotency key and text again returns the first outcome. */
  async send(text: string, options: SendOptions = {}): Promise<TurnResult> {
    const { signal, ...rest } = objectGiven(options, "send");
    const { offset, turn_id } = await this.#accept({ text, ...rest });
    return this.#outcome({ offset, turn_id, message: true }, signal);
  }

  /** The outcome of a message that was accepted, waiting for it if need be. */
  async outcome(offset: number, options: { readonly signal?: AbortSignal } = {}): Promise<TurnResult> {
    const event = Number.isSafeInteger(offset) && offset >= 0 ? await eventAt(this.#runtime, this.id, offset) : undefined;
    if (event?.kind !== "message" || event.source !== "customer") {
      throw new ThroughlineError("log.offset_invalid", `There is no customer's message at offset ${seen(offset)} of session ${this.id}.`, {
        details: { offset },
      });
    }
    return this.#outcome({ offset, turn_id: undefined, message: true }, options.signal);
  }

  async #outcome(
    sought: { readonly offset: number; readonly turn_id: TurnId | undefined; readonly message: boolean },
    signal?: AbortSignal,
  ): Promise<TurnResult> {
    const given = new AbortController();
    const { closed } = this.#worker;
    const leave = (): void => given.abort(closed.reason);
    if (closed.aborted) leave();
    closed.addEventListener("abort", leave, { once: true });
    const waiting = AbortSignal.any([given.signal, ...(signal === undefined ? [] : [signal])]);
    const drive = this.#worker.drive(this.id);
    const answered = outcomeOf(this.#runtime, this.id, { ...sought, idle: drive.catch(() => {}) }, waiting);
    // A turn that can be neither run nor ended here is reported to whoever waits for it; the message stays accepted.
    const driven = drive.then(() => answered);
    try {
      return await Promise.race([answered, driven]);
    } finally {
      closed.removeEventListener("abort", leave);
      given.abort(new ThroughlineError("aborted"));
      answered.catch(() => {});
      driven.catch(() => {});
    }
  }

  /** Posts what a person wrote who has taken over: as themselves, or in the agent's name. No turn is queued. */
  async postOperator(
    text: string,
    options: PostOptions & { readonly name?: string; readonly onBehalfOfAgent?: boolean } = {},
  ): Promise<{ readonly offset: number }> {
    const { name, metadata, onBehalfOfAgent = false } = objectGiven(options, "postOperator");
    checkText(text);
    checkShownName("name", name);
    checkMetadata(metadata);
    const participant: MessageData["participant"] = name === undefined ? undefined : { display_name: name };
    return this.#append({
      type: "post_message",
      source: onBehalfOfAgent ? "human_agent_on_behalf_of_ai_agent" : "human_agent",
      parts: [{ type: "text", text }],
      trace_id: this.#runtime.ids.trace(),
      ...(participant === undefined ? {} : { participant }),
      ...(metadata === undefined ? {} : { metadata }),
    });
  }

  /** Posts any JSON, of at most 1,048,576 characters, for the agent to see in its next turn. No turn is queued. */
  async postCustom(value: Json, options: PostOptions & { readonly source?: EventSource } = {}): Promise<{ readonly offset: number }> {
    const { source = "system", metadata } = objectGiven(options, "postCustom");
    checkMetadata(metadata);
    return this.#append({
      type: "post_custom",
      source,
      value: checkValue("value", value),
      trace_id: this.#runtime.ids.trace(),
      ...(metadata === undefined ? {} : { metadata }),
    });
  }

  async #append(command: Parameters<typeof execute>[2]): Promise<{ readonly offset: number }> {
    const result = await execute(this.#runtime, this.id, command);
    return { offset: result?.committed?.session?.head ?? (await this.info()).head };
  }

  /** Lets the agent speak: it answers what waits, and sees what people and systems posted. `session.manual` while a person has the session. */
  async resume(options: { readonly signal?: AbortSignal; readonly cause?: "resume" | "greeting" } = {}): Promise<TurnResult> {
    const { cause = "resume", signal } = objectGiven(options, "resume");
    const result = await execute(this.#runtime, this.id, { type: "queue_turn", cause, trace_id: this.#runtime.ids.trace() });
    const queued = result?.committed?.session;
    if (queued?.queued_turn === undefined) throw new ThroughlineError("session.manual");
    return this.#outcome({ offset: queued.first_offset, turn_id: turnIdOf(this.id, queued.queued_turn), message: false }, signal);
  }

  /** Hands the session to a person (`manual`: a running turn is cancelled before its reply) or back to the agent (`auto`: it stays silent until it is sent a message or resumed). */
  async setMode(mode: SessionMode): Promise<void> {
    const result = await executeEnding(this.#runtime, this.id, ({ variables }) => ({
      type: "set_mode",
      mode,
      trace_id: this.#runtime.ids.trace(),
      variables: variables.version,
    }));
    if (result?.committed !== undefined && mode === "manual") this.#worker.interrupt(this.id, result.epoch, new ThroughlineError("session.manual"));
  }

  /** Stops the running turn, or the queued one. False if there is none. */
  async stop(message?: string): Promise<boolean> {
    if (message !== undefined) checkText(message);
    const result = await executeEnding(this.#runtime, this.id, (loaded) => ({
      type: "stop_turn",
      variables: loaded.variables.version,
      ...(message === undefined ? {} : { message }),
    }));
    if (result?.committed === undefined) return false;
    this.#worker.interrupt(this.id, result.epoch, new ThroughlineError("turn.stopped"));
    // Nobody works in a session whose turn was parked: what waits behind it is taken up here.
    this.#worker.drive(this.id).catch(() => {});
    return true;
  }

  /** Takes back everything from `from` on, the first offset of a turn: the state becomes what it was before. An offset past the head changes nothing. */
  async withdraw(options: { readonly from: number }): Promise<void> {
    const { from } = objectGiven(options, "withdraw");
    const result = await executeEnding(this.#runtime, this.id, (loaded) => withdrawal(this.#runtime, loaded, from));
    if (result?.committed === undefined) return;
    this.#worker.interrupt(this.id, result.epoch, new ThroughlineError("turn.fenced", "The turn was withdrawn."));
    this.#worker.drive(this.id).catch(() => {});
  }

  /** Changes the state by hand, through the agent's reducers; on record as an operator's edit, at the offset that is returned. */
  async edit(delta: JsonObject, options: EditOptions = {}): Promise<{ readonly offset: number }> {
    return editState(this.#runtime, this.id, delta, objectGiven(options, "edit"));
  }

  /** State at the head, or as it was at offset `at`, raw and with its version; `upgrade` migrates the copy to the version that is registered. */
  async state(options: { readonly at?: number; readonly upgrade?: boolean } = {}): Promise<StateAt> {
    const { at, upgrade = false } = objectGiven(options, "state");
    const loaded = await this.#loadAt(at);
    const { document, definition } = foldState(loaded);
    const written = definition ?? (await definitionVersionOf(this.#runtime, loaded));
    const offset = at ?? loaded.session.head;
    const agent = upgrade ? agentOf(this.#runtime, loaded.session.agent) : undefined;
    if (agent === undefined || agent.version === written) return { offset, definition: written, document };
    return { offset, definition: agent.version, document: migrateDocument(document, written, agent.version, agent.migrations) };
  }

  async #loadAt(at: number | undefined): Promise<LoadedSession> {
    if (at === undefined) return loadSession(this.#runtime, this.id);
    const { head } = await this.info();
    if (Number.isInteger(at) && at >= 0 && at <= head) return loadSession(this.#runtime, this.id, { at });
    throw new ThroughlineError("log.offset_invalid", `There is no offset ${seen(at)} in session ${this.id}: its offsets go from 0 to ${head}.`, {
      details: { at, head },
    });
  }

  /** The ends of the last turns, newest first, 20 by default and at most 100: offsets to go back to. `before`: only those below an offset. */
  async history(options: { readonly limit?: number; readonly before?: number } = {}): Promise<readonly HistoryPoint[]> {
    return historyOfSession(this.#runtime.store, this.id, objectGiven(options, "history"));
  }

  /**
   * Another session that goes on from this one's log as it is at an offset: it shares what was said up to there, the customer and the customer's variables, and
   * nothing that comes after. A turn that was open there has ended in it; nothing waits in it.
   */
  async fork(options: ForkOptions = {}): Promise<Session> {
    return new Session(this.#runtime, this.#worker, await forkSession(this.#runtime, this.id, objectGiven(options, "fork")));
  }

  /** The last messages, oldest first; 20 by default. */
  async messages(options: { readonly last?: number; readonly at?: number } = {}): Promise<readonly Message[]> {
    const { last = 20, at } = objectGiven(options, "messages");
    const loaded = await loadSession(this.#runtime, this.id, { messages: last, ...(at === undefined ? {} : { at }) });
    const open = at === undefined ? loaded.turns.find((turn) => turn.status === "running")?.started_offset : undefined;
    return messagesOf(
      loaded.messages.map((stored) => decodeEvent(stored)),
      open === undefined ? {} : { open },
    );
  }

  /** Turns that have not ended, in order, the offsets of messages that wait for an answer, and the calls that wait for somebody's word. */
  async pending(): Promise<{ readonly turns: readonly OpenTurn[]; readonly waiting: readonly number[]; readonly calls: readonly Pending[] }> {
    const { loaded, pending } = await pendingOf(this.#runtime, this.id);
    const view = viewOf(loaded);
    const turns = [runningTurn(view), queuedTurn(view)].filter((turn) => turn !== undefined);
    return { turns, waiting: view.waiting.map((message) => message.offset), calls: pending };
  }

  /**
   * Decides a call that a paused turn waits with; once all are decided the turn goes on, and `outcome` waits for its end. Whatever is not an approval, an
   * edit or an answer is a rejection. The same decision again changes nothing. `approval.not_pending` if nothing waits for it: it was decided otherwise,
   * it is too old, or the turn has ended; `approval.stale` if the call's arguments are not those that were looked at.
   */
  async decide(options: DecideOptions): Promise<DecisionMade> {
    const made = await decideCall(this.#runtime, this.id, objectGiven(options, "decide"));
    this.#worker.drive(this.id).catch(() => {});
    return made;
  }

  /** Events from `minOffset` on, in order: those there are, then those that come, until the signal aborts; `follow: false` ends at the head. */
  events(filter: EventFilter = {}): AsyncIterable<Event> {
    return followEvents(this.#runtime, this.id, objectGiven(filter, "events"));
  }

  /**
   * Events from `minOffset` on, and between them the drafts of replies that are being written: in this process, and on PostgreSQL in any. A draft that a reader was shown any of
   * is closed by one `draft.reset`, which comes before the event that ends it, such as the final `message`; nothing of the draft comes after it. A reader that lags gets a
   * draft in fewer and longer pieces. Ends when the signal aborts.
   */
  stream(
    options: { readonly minOffset?: number; readonly kinds?: readonly EventKind[]; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<Event | Draft> {
    return streamSession(this.#runtime, this.id, objectGiven(options, "stream"));
  }

  /** Ends the episode, so that the next message begins another. */
  async endEpisode(): Promise<void> {
    await execute(this.#runtime, this.id, { type: "end_episode", trace_id: this.#runtime.ids.trace() });
  }

  /** A title of at most 200 characters; null takes it away. */
  async setTitle(title: string | null): Promise<void> {
    await execute(this.#runtime, this.id, { type: "set_title", title, trace_id: this.#runtime.ids.trace() });
  }

  /** Sets and unsets metadata, which no prompt, stage or tool can be given. */
  async setMetadata(change: NamedChange): Promise<void> {
    return this.#header((row) => ({ metadata: withNamedChange(row.metadata, change) }));
  }

  /**
   * Says who the customer of an anonymous session is: the session, with its forks, is that customer's from now on. A turn at work goes on as it began.
   * Nothing happens if it is that customer's already; `session.identified` if it is another one's.
   */
  async identify(options: IdentifyOptions): Promise<void> {
    await identify(this.#runtime, this.id, options);
  }

  /**
   * Sets and unsets variables, in force from the next turn on: those of the session's owner (the customer, or the anonymous session itself), or with
   * `scope: "session"` those of this session alone, which count before the customer's. Those of the scope, as they stand then.
   */
  async setVariables(change: NamedChange, options: SetVariablesOptions = {}): Promise<Variables> {
    return setSessionVariables(this.#runtime, this.id, change, objectGiven(options, "setVariables"));
  }

  /** The variables in force, by name: where each comes from, when it was set or last found to hold, and whether it is out of date. */
  async variables(): Promise<readonly KnownVariable[]> {
    return sessionVariables(this.#runtime.store, this.id);
  }

  /** Adds and removes labels. */
  async setLabels(change: { readonly add?: readonly string[]; readonly remove?: readonly string[] }): Promise<void> {
    const { add = [], remove = [] } = objectGiven(change, "setLabels");
    for (const [path, labels] of Object.entries({ add, remove })) checkLabels(path, labels);
    return this.#header((row) => ({ labels: [...new Set([...row.labels, ...add])].filter((label) => !remove.includes(label)) }));
  }

  /** Notes how far a named consumer has read. */
  async setConsumer(name: string, offset: number): Promise<void> {
    if (typeof name !== "string" || name === "" || name.length > 200)
      throw new ThroughlineError("session.invalid", `A consumer's name has 1 to 200 characters, got ${seen(name)}.`);
    if (!Number.isSafeInteger(offset) || offset < 0) {
      throw new ThroughlineError("session.invalid", `A consumer's offset is a whole number from 0, got ${seen(offset)}.`, {
        details: { consumer: name },
      });
    }
    return this.#header((row) => ({ consumers: { ...row.consumers, [name]: offset } }));
  }

  async #header(
    decide: (row: SessionRow) => {
      readonly metadata?: JsonObject;
      readonly labels?: readonly string[];
      readonly consumers?: Readonly<Record<string, number>>;
    },
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const row = await this.#runtime.store.open({ session_id: this.id });
      if (row === undefined) throw refused({ reason: "session_missing" }, this.id);
      const result = await commitOnce(this.#runtime, { session: { session_id: this.id, depends: { version: row.version }, header: decide(row) } });
      if (result.outcome === "committed") return;
      if (result.reason !== "stale_version" || tries === changes) throw refused(result, this.id);
    }
  }
}
