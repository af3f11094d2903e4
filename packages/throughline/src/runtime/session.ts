import { invalidAt } from "../extension/failure.ts";
import type { AgentState } from "../execution/agent-state.ts";
import type { Ledger } from "../execution/ledger.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { SessionId, TurnId } from "../kernel/id.ts";
import { objectGiven, type Json, type JsonObject, present } from "../kernel/json.ts";
import type { Event, StatusData } from "../session/event.ts";
import type { KnownVariable, NamedChange, Variables } from "../session/session-variables.ts";
import { messagesOf, openSince, type Message } from "../session/session-messages.ts";
import { decodeEvent } from "../session/fold.ts";
import { runningTurn, queuedTurn, viewOf, type OpenTurn } from "../session/session-view.ts";
import type { StateDefinition } from "../state/define.ts";
import type { EventKind, Page, SessionMode } from "../store/port.ts";
import { headerOf, loadSession } from "../extension/commit.ts";
import { addedBy, type Extension, type Screened } from "../extension/port.ts";
import { decideCall, type DecideOptions, type DecisionMade, type ReviewedCall } from "./approval/decide-call.ts";
import { pendingOf, type Pending } from "./approval/pending-approvals.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import type { Draft } from "./turn/drafts.ts";
import { type EditPreview, editState, type EditOptions, previewEdit } from "./commands/edit.ts";
import { type EventFilter, followEvents, readEvent, streamSession } from "./reading/follow.ts";
import { forkSession, type ForkOptions } from "./commands/create-fork.ts";
import { append, awaitOutcome, drive, hearing, type Done, type Handle } from "./commands/handle.ts";
import * as handover from "./commands/handover-commands.ts";
import { historyOfSession, type HistoryPoint } from "./reading/history.ts";
import { idempotencyOf, type IdempotencyOptions, type PatchOptions } from "./commands/idempotency.ts";
import { identify, type IdentifyOptions } from "./commands/identify-session.ts";
import { type OutcomeTarget, targetOf, type TurnResult } from "./reading/outcome.ts";
import type { PartsView } from "./reading/live-parts.ts";
import { openTurnStream, type TurnStream, type TurnStreamOptions } from "./reading/turn-stream.ts";
import { patchSession, setConsumer, setLabels, setMetadata, type LabelChange, type SessionPatch } from "./commands/session-header.ts";
import {
  type ConsentOptions,
  type CustomOptions,
  giveConsent,
  type OperatorOptions,
  postCustom,
  postOperator,
  postStatus,
  type StatusOptions,
} from "./commands/post.ts";
import type { DocumentOf, EditOf, InputJson, NeedsInput, OutputJson, PublicJson, StartJson } from "../state/edge-types.ts";
import type { Agent } from "./agent/agent.ts";
import type { Incoming } from "./turn/receive.ts";
import { toInfo, type SessionInfo } from "./reading/session-info.ts";
import { retryTurn, startTurn, stopTurn, type StartedTurn, type StartTurnOptions, type StopOptions } from "./turn/start-turn.ts";
import { postSafely, sendSafely } from "./turn/unsaved.ts";
import { keptPrompt, type PromptQuery, type SessionPrompt } from "../extension/kept-requests.ts";
import { effectsAfter, type EffectsPage, type EffectsQuery } from "./reading/effects.ts";
import { stateWriters, type StateWriters } from "./reading/state-writers.ts";
import { stateAt, type StateAt, type StateOptions } from "./reading/state-at.ts";
import { accept, type Accepted } from "./turn/turn.ts";
import { budgetOfTurn, executionOfTurn, listTurns, type SessionTurn, type TurnFilter, turnOf } from "./reading/turns.ts";
import { usageOfSession, type UsageReport } from "./reading/usage.ts";
import { sessionVariables, setSessionVariables, type SetVariablesOptions } from "./variables/stored-variables.ts";
import { withdrawFrom, type WithdrawOptions } from "./commands/withdraw.ts";
import type { Worker } from "./turn/turn-worker.ts";

/** Optional parts of a sent message. */
export interface SendOptions<Input = JsonObject, Start = JsonObject> extends Omit<Incoming, "text" | "input" | "start"> {
  /** Values of the agent's `input` fields other than `message`; at most 1,048,576 characters as JSON, like `start`. */
  readonly input?: Input;
  /** Updates of the agent's `start` fields. */
  readonly start?: Start;
  /** Stops waiting for the answer. The message stays accepted. */
  readonly signal?: AbortSignal;
}

/** Where to continue a stream of a turn. */
export interface FollowTurnOptions {
  /** Offset of the last part that the reader has. Defaults to the beginning of the turn. */
  readonly after?: number;
  /** Ends the reading and the wait for the result. */
  readonly signal?: AbortSignal;
}

/** The options of a sent message. They are required if the state has required input fields. */
type SendArguments<D extends StateDefinition> =
  NeedsInput<D> extends true
    ? [options: SendOptions<InputJson<D>, StartJson<D>> & { readonly input: InputJson<D> }]
    : [options?: SendOptions<InputJson<D>, StartJson<D>>];

/** The types of a session's data at its edges. */
export interface SessionTypes {
  readonly send: [options?: SendOptions];
  readonly output: JsonObject;
  readonly document: JsonObject;
  readonly public: JsonObject;
  readonly edit: object;
}

/** The types of the sessions of an agent. */
export interface SessionTypesOf<A extends Agent> {
  readonly send: SendArguments<A["state"]>;
  readonly output: OutputJson<A["state"]>;
  readonly document: DocumentOf<A["state"]>;
  readonly public: PublicJson<A["state"]>;
  readonly edit: EditOf<A["state"]>;
}

/** Result of a command. `offset` is the offset of its last event, or of the head if the command changed nothing. */
export interface CommittedChange {
  readonly offset: number;
}

/** Offset of the handback, and the queued turn if one was requested. */
export interface HandedBack extends CommittedChange {
  readonly turn_id: TurnId | undefined;
}

/** Constructor of session handles. */
export type SessionClass<Of extends CoreSession> = new (runtime: RuntimeContext, worker: Worker, id: SessionId, agent?: string) => Of;

const placeOf = ({ offset }: Done): CommittedChange => ({ offset });

/** One conversation, without the additions of extensions. A handle caches no mutable data: every call reads the data that it needs. */
export class CoreSession<Types extends SessionTypes = SessionTypesOf<Agent>> {
  readonly id: SessionId;
  readonly #handle: Handle;
  /** Name of the session's agent. It never changes. */
  #agent: string | undefined;

  constructor(runtime: RuntimeContext, worker: Worker, id: SessionId, agent?: string) {
    this.#handle = { runtime, worker, id };
    this.#agent = agent;
    this.id = id;
  }

  get #runtime(): RuntimeContext {
    return this.#handle.runtime;
  }

  /** Returns the API that an extension adds to a session, such as `session.extension(tickets).open()`. */
  extension<Of extends object>(extension: Extension<{ session(session_id: SessionId): Of }>): Of {
    return addedBy(this.#runtime, extension).session(this.id);
  }

  /** Returns the current properties of the session. */
  async info(): Promise<SessionInfo> {
    return toInfo(await headerOf(this.#runtime, this.id));
  }

  /**
   * Accepts a customer's message. Once this resolves, the message is durable and this process or another will answer it exactly once.
   *
   * If the agent has a gate, two errors carry a reply: a failure of the store, and the rejection of an at-risk sender's message that is too long or
   * has invalid values. Their details have `reply`, the text for the customer, and `saved`: `false` or `"unknown"`. Once `signal` has aborted, the
   * error comes without these details, because the caller has already answered the customer.
   */
  post(text: string, ...options: Types["send"]): Promise<Accepted>;
  async post(text: string, options: SendOptions = {}): Promise<Accepted> {
    const { signal, ...rest } = objectGiven(options, "post");
    const accept = (screened?: Screened): Promise<Accepted> => this.#accept({ ...rest, text }, screened);
    const accepted = await postSafely(this.#runtime, { agent: this.#agent, session_id: this.id, text }, { accept, signal });
    if (accepted.turn_id !== undefined) drive(this.#handle);
    return accepted;
  }

  async #accept(incoming: Incoming, screened: Screened | undefined): Promise<Accepted> {
    const agent = (this.#agent ??= (await this.info()).agent);
    return accept(this.#runtime, { session_id: this.id, agent: agentOf(this.#runtime, agent), ...hearing(this.#handle), screened }, incoming);
  }

  /**
   * Accepts a customer's message and waits for its outcome. The same idempotency key and text return the first outcome. If the agent has a gate, a
   * reply also comes when the store fails. `saved` is then `false` or `"unknown"`.
   */
  send(text: string, ...options: Types["send"]): Promise<TurnResult<Types["output"]>>;
  async send(text: string, options: SendOptions = {}): Promise<TurnResult> {
    const { signal, ...rest } = objectGiven(options, "send");
    const accept = (screened?: Screened): Promise<Accepted> => this.#accept({ ...rest, text }, screened);
    const outcome = ({ offset, turn_id }: Accepted): Promise<TurnResult> => awaitOutcome(this.#handle, { offset, turn_id, message: true }, signal);
    return sendSafely(this.#runtime, { agent: this.#agent, session_id: this.id, text }, { accept, outcome, signal });
  }

  /**
   * Accepts a customer's message, as `send` does, and streams the turn that answers it: text while it is written, calls, approvals, changes of public
   * state, and last the outcome. The message is accepted also if nobody reads. Leaving the loop ends the reading, not the turn; `stop()` ends the turn.
   */
  stream(text: string, ...options: Types["send"]): TurnStream<Types["output"], Types["public"]>;
  stream(text: string, options: SendOptions = {}): TurnStream {
    const { signal, ...rest } = objectGiven(options, "stream");
    const target = Promise.withResolvers<OutcomeTarget>();
    const accept = async (screened?: Screened): Promise<Accepted> => {
      const accepted = await this.#accept({ ...rest, text }, screened);
      target.resolve({ ...accepted, message: true });
      return accepted;
    };
    const outcome = ({ offset, turn_id }: Accepted): Promise<TurnResult> => awaitOutcome(this.#handle, { offset, turn_id, message: true }, signal);
    const result = sendSafely(this.#runtime, { agent: this.#agent, session_id: this.id, text }, { accept, outcome, signal });
    // Without effect if the message was accepted.
    result.then(
      ({ error }) => target.reject(new ThroughlineError(error?.code ?? "store.unreachable", error?.message)),
      (error: unknown) => target.reject(error),
    );
    return openTurnStream(this.#handle, { target: target.promise, result, signal, state: () => this.#state() });
  }

  /**
   * Streams the turn of an accepted message, by its offset, or a turn, by its id or the `offset` of its result, as `stream` does. `after` is the offset of the last part that the
   * reader has: after a crash, or in another process. A draft that is still open comes from its beginning.
   */
  follow(of: number | string, options?: FollowTurnOptions): TurnStream<Types["output"], Types["public"]>;
  follow(of: number | string, options: FollowTurnOptions = {}): TurnStream {
    const { after, signal } = objectGiven(options, "follow");
    return this.#follow(of, { after, signal });
  }

  /** Streams a turn as `follow` does, or the turn of a message that is being accepted, with the parts that a view shows. The service uses it. */
  static followAs(
    session: CoreSession,
    of: number | string | Promise<Accepted>,
    options: FollowTurnOptions & { readonly view: PartsView },
  ): TurnStream {
    return session.#follow(of, options);
  }

  #follow(of: number | string | Promise<Accepted>, options: Pick<TurnStreamOptions, "after" | "signal" | "view">): TurnStream {
    const target = of instanceof Promise ? of.then((accepted) => ({ ...accepted, message: true })) : targetOf(this.#runtime, this.id, of);
    const result = target.then((found) => awaitOutcome(this.#handle, found, options.signal));
    return openTurnStream(this.#handle, { ...options, target, result, state: () => this.#state() });
  }

  /** The declaration of the state, if the agent is registered here. */
  async #state(): Promise<StateDefinition | undefined> {
    return this.#runtime.agents.get((this.#agent ??= (await this.info()).agent))?.state;
  }

  /** Returns the outcome of an accepted message, by its offset, or of a turn, by its id. Waits until it has ended. */
  outcome(of: number | string, options?: { readonly signal?: AbortSignal }): Promise<TurnResult<Types["output"]>>;
  async outcome(of: number | string, options: { readonly signal?: AbortSignal } = {}): Promise<TurnResult> {
    return awaitOutcome(this.#handle, await targetOf(this.#runtime, this.id, of), options.signal);
  }

  /** Posts a message of the operator who has taken over, under the operator's name or the agent's. It queues no turn. */
  async postOperator(text: string, options: OperatorOptions = {}): Promise<CommittedChange> {
    return placeOf(await postOperator(this.#handle, text, objectGiven(options, "postOperator")));
  }

  /**
   * Posts JSON of at most 1,048,576 characters for the agent to read in its next turn. Only the source `system`, the default, is presented as the
   * operator's text. Use `customer_ui` for text and actions of a customer. It queues no turn, with one exception: if an agent's gate finds danger in
   * a customer's event, a turn answers it, and `turn_id` names that turn.
   */
  async postCustom(value: Json, options: CustomOptions = {}): Promise<Accepted> {
    const agent = async (): Promise<string> => (this.#agent ??= (await this.info()).agent);
    const { offset, turn_id } = await postCustom(this.#handle, value, objectGiven(options, "postCustom"), agent);
    return { offset, turn_id };
  }

  /** Posts the activity of a participant other than the agent, such as typing. Readers see it, models do not. */
  async postStatus(status: StatusData["status"], options: StatusOptions = {}): Promise<CommittedChange> {
    return placeOf(await postStatus(this.#handle, status, objectGiven(options, "postStatus")));
  }

  /**
   * Runs a turn without a new message. The agent answers the waiting messages and reads the posts of operators and systems. Throws `session.manual`
   * while operators handle the session.
   */
  resume(options?: StartTurnOptions & { readonly signal?: AbortSignal }): Promise<TurnResult<Types["output"]>>;
  async resume(options: StartTurnOptions & { readonly signal?: AbortSignal } = {}): Promise<TurnResult> {
    const { signal, ...rest } = objectGiven(options, "resume");
    const { offset, turn_id } = await startTurn(this.#handle, rest);
    return awaitOutcome(this.#handle, { offset, turn_id, message: false }, signal);
  }

  /** Starts a turn as `resume` does, without waiting for its outcome. */
  async startTurn(options: StartTurnOptions = {}): Promise<StartedTurn> {
    return startTurn(this.#handle, objectGiven(options, "startTurn"));
  }

  /**
   * Retries the last turn if it failed or was stopped: a new turn answers its messages. The effects and state changes of the first turn stay. Does
   * not wait for the outcome; `outcome(turn_id)` does. Throws `turn.not_retryable` if `turn` is not the last turn, if it completed, or while another
   * turn is open.
   */
  async retry(turn?: string, options: IdempotencyOptions = {}): Promise<StartedTurn> {
    return retryTurn(this.#handle, turn, objectGiven(options, "retry"));
  }

  /** Stops the running turn, the queued turn, or only the named turn. Returns false if there is none. */
  async stop(message?: string, options: StopOptions = {}): Promise<boolean> {
    return stopTurn(this.#handle, message, objectGiven(options, "stop"));
  }

  /** Lists turns, newest first, with status, answered messages, outcome and cost. */
  async turns(filter: TurnFilter = {}): Promise<Page<SessionTurn>> {
    return listTurns(this.#runtime.store, this.id, objectGiven(filter, "turns"));
  }

  /** Returns one turn. Throws `turn.not_found` if the session has no turn with that id. */
  async turn(turn_id: string): Promise<SessionTurn> {
    return turnOf(this.#runtime.store, this.id, turn_id);
  }

  /**
   * Returns the agent's state in a turn, from the log: the answered messages, steps with results, signals and outcome. For an open turn it is the
   * current state. The functions of `throughline/execution` read it. Throws `turn.not_found` if the session has no turn with that id, and
   * `log.retained_from` if retention has deleted its events.
   */
  async execution(turn_id: string): Promise<AgentState> {
    return executionOfTurn(this.#runtime, this.id, turn_id);
  }

  /**
   * Returns the limits and the spending of a turn, child agents included. `remaining` of `throughline/execution` computes the rest. The limits are
   * those of the registered agent. Throws the errors of `execution`, and `agent.not_found`.
   */
  async budget(turn_id: string): Promise<Ledger> {
    return budgetOfTurn(this.#runtime, this.id, turn_id);
  }

  /** Returns the cost of the session so far, by model, including its child agents. It reads the whole log. */
  async usage(): Promise<UsageReport> {
    await this.info();
    return usageOfSession(this.#runtime.store, this.id);
  }

  /**
   * Hands the session to operators (`manual`, as `handOver` does) or back to the agent (`auto`, as `handBack` does). Changes nothing if the mode is
   * already set.
   */
  async setMode(mode: SessionMode, options: IdempotencyOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.setMode(this.#handle, mode, objectGiven(options, "setMode")));
  }

  /**
   * Hands the session to operators. A running turn is cancelled before its reply, in this process or another. The handover waits in the queue, or is
   * assigned to `operator`. If the session is already handed over, the new information is added, and an alert is never lowered. Throws
   * `handover.taken` if another operator has it.
   */
  async handOver(options: handover.HandOverOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.handOver(this.#handle, objectGiven(options, "handOver")));
  }

  /**
   * Assigns the session to an operator. Of several concurrent calls one wins. Throws `handover.taken` if an operator other than `from` has it, and
   * `handover.none` if it is not handed over.
   */
  async assign(options: handover.AssignOptions): Promise<CommittedChange> {
    return placeOf(await handover.assign(this.#handle, objectGiven(options, "assign")));
  }

  /** Returns the session to the queue. It keeps its waiting time since the handover. */
  async unassign(options: handover.UnassignOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.unassign(this.#handle, objectGiven(options, "unassign")));
  }

  /**
   * Hands the session back to the agent in one commit: a summary of the events in between, a state change, and with `resume` a queued turn. Without
   * `resume` the agent stays silent until the next message or a call of `resume`. Throws `handover.none` if the session is not handed over.
   */
  async handBack(options: handover.HandBackOptions = {}): Promise<HandedBack> {
    const { offset, turn_id } = await handover.handBack(this.#handle, objectGiven(options, "handBack"));
    return { offset, turn_id };
  }

  /** Withdraws everything from `from` on, the first offset of a turn. The state returns to its earlier value. An offset past the head changes nothing. */
  async withdraw(options: WithdrawOptions): Promise<CommittedChange> {
    return placeOf(await withdrawFrom(this.#handle, objectGiven(options, "withdraw")));
  }

  /** Changes the state through the agent's reducers. The log records it as an operator's edit, at the returned offset. */
  edit(delta: Types["edit"], options?: EditOptions): Promise<CommittedChange>;
  async edit(delta: JsonObject, options: EditOptions = {}): Promise<CommittedChange> {
    return placeOf(await editState(this.#handle, delta, objectGiven(options, "edit")));
  }

  /**
   * Returns what `edit` would do with a delta: the patch, and the problem of each field that it would be refused for. Commits nothing. Throws as
   * `edit` does for what concerns the whole state, such as a newer definition.
   */
  previewEdit(delta: Types["edit"]): Promise<EditPreview>;
  async previewEdit(delta: JsonObject): Promise<EditPreview> {
    return previewEdit(this.#handle, delta);
  }

  /** Returns the last writer of each stored field, at the head or at offset `at`. Reads the log backwards until every field is found. */
  async stateWriters(options: { readonly at?: number } = {}): Promise<StateWriters> {
    return stateWriters(this.#handle, objectGiven(options, "stateWriters"));
  }

  /** Lists the calls of tools with side effects after an offset, in order, with their results. A fork from that offset does not undo them. */
  async effects(query: EffectsQuery = {}): Promise<EffectsPage> {
    return effectsAfter(this.#handle, objectGiven(query, "effects"));
  }

  /**
   * Returns the state at the head or at offset `at`, raw and with its version. `upgrade` migrates the copy to the registered version, and `view`
   * selects a part.
   */
  state(options?: StateOptions & { readonly view?: never }): Promise<StateAt<Types["document"]>>;
  state(options: StateOptions & { readonly view: "public" }): Promise<StateAt<Types["public"]>>;
  state(options: StateOptions & { readonly view: "output" }): Promise<StateAt<Types["output"]>>;
  state(options: StateOptions): Promise<StateAt>;
  async state(options: StateOptions = {}): Promise<StateAt> {
    return stateAt(this.#handle, objectGiven(options, "state"));
  }

  /**
   * Returns the exact request to a model and the sections that it was assembled from. Selects the last step, the last step of a turn, or a numbered
   * step of a turn, counted from 1. Undefined if it was not kept; the agent's `keepRequests` option keeps requests. Throws `turn.not_found` if the
   * session has no turn with that id.
   */
  async prompt(which: PromptQuery = {}): Promise<SessionPrompt | undefined> {
    return keptPrompt(this.#runtime.store, await headerOf(this.#runtime, this.id), objectGiven(which, "prompt"));
  }

  /**
   * Lists the ends of the last turns, newest first, as offsets to return to. `limit` is 20 by default and at most 100. `before` lists only those
   * below an offset.
   */
  async history(options: { readonly limit?: number; readonly before?: number } = {}): Promise<readonly HistoryPoint[]> {
    return historyOfSession(this.#runtime.store, this.id, objectGiven(options, "history"));
  }

  /**
   * Creates a session that continues from this session's log at an offset. The fork shares the log up to that offset, the customer and the customer's
   * variables, and no later events. A turn that was open at that offset is ended in the fork, and no message waits there.
   */
  async fork(options: ForkOptions = {}): Promise<this> {
    const { runtime, worker } = this.#handle;
    // A subclass that adds methods has the same constructor, as SessionClass requires.
    const Own = this.constructor as SessionClass<this>;
    return new Own(runtime, worker, await forkSession(runtime, this.id, objectGiven(options, "fork")));
  }

  /** Returns the last messages, oldest first. `last` is 0 to 1,000, and 20 by default. */
  async messages(options: { readonly last?: number; readonly at?: number } = {}): Promise<readonly Message[]> {
    const { last = 20, at } = objectGiven(options, "messages");
    if (!Number.isInteger(last) || last < 0 || last > 1_000)
      throw invalidAt("input.invalid", "last", `last is a whole number from 0 to 1,000, got ${seen(last)}.`);
    const loaded = await loadSession(this.#runtime, this.id, { messages: last, ...present({ at }) });
    const open = at === undefined ? openSince(loaded) : undefined;
    return messagesOf(
      loaded.messages.map((stored) => decodeEvent(stored)),
      present({ open }),
    );
  }

  /** Returns the open turns in order, the offsets of messages that wait for an answer, and the calls that wait for a decision. */
  async pending(): Promise<{ readonly turns: readonly OpenTurn[]; readonly waiting: readonly number[]; readonly calls: readonly Pending[] }> {
    const { loaded, pending } = await pendingOf(this.#runtime, this.id);
    const view = viewOf(loaded);
    const turns = [runningTurn(view), queuedTurn(view)].filter((turn) => turn !== undefined);
    return { turns, waiting: view.waiting.map((message) => message.offset), calls: pending };
  }

  /**
   * Decides a call that a paused turn waits for. Once all calls are decided, the turn continues, and `outcome` waits for its end. A decision other
   * than approval, edit or answer is a rejection. Repeating a decision changes nothing. Throws `approval.not_pending` if no call waits for it: it was
   * decided differently, it expired, or the turn has ended. Throws `approval.stale` if the call's arguments differ from the reviewed ones.
   */
  async decide(options: DecideOptions): Promise<DecisionMade> {
    const made = await decideCall(this.#runtime, this.id, objectGiven(options, "decide"));
    drive(this.#handle);
    return made;
  }

  /** Approves a call from `pending()`, unchanged. It is short for `decide`. */
  async approve(call: ReviewedCall, options: Pick<DecideOptions, "by"> = {}): Promise<DecisionMade> {
    const { call_id, arguments_hash, index } = objectGiven(call, "approve");
    return this.decide({ ...objectGiven(options, "approve"), ...present({ call_id, arguments_hash, index }), decision: "approve" });
  }

  /** Rejects a call or a question from `pending()`. The model reads the reason. It is short for `decide`. */
  async reject(call: ReviewedCall, reason?: string, options: Pick<DecideOptions, "by"> = {}): Promise<DecisionMade> {
    const { call_id, arguments_hash, index } = objectGiven(call, "reject");
    const named = present({ call_id, arguments_hash, index, feedback: reason });
    return this.decide({ ...objectGiven(options, "reject"), ...named, decision: "reject" });
  }

  /**
   * Returns the event at an offset or with an id. Throws `event.not_found` if this session has no such event, or if it was withdrawn and `withdrawn`
   * is not set.
   */
  async event(at: number | string, options: { readonly withdrawn?: boolean } = {}): Promise<Event> {
    return readEvent(this.#runtime.store, this.id, at, objectGiven(options, "event"));
  }

  /** Yields events from `minOffset` on, in order, and waits for new ones until the signal aborts. With `follow: false` it ends at the head. */
  events(filter: EventFilter = {}): AsyncIterable<Event> {
    return followEvents(this.#runtime, this.id, objectGiven(filter, "events"));
  }

  /**
   * Yields events from `minOffset` on, and between them the drafts of replies: drafts of this process, and on PostgreSQL of every process. If a
   * reader received a part of a draft, one `draft.reset` closes the draft. The reset precedes the event that ends the draft, such as the final
   * `message`. No part of the draft follows it. A slow reader gets a draft in fewer and longer pieces. Ends when the signal aborts.
   */
  live(
    options: { readonly minOffset?: number; readonly kinds?: readonly EventKind[]; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<Event | Draft> {
    return streamSession(this.#runtime, this.id, objectGiven(options, "live"));
  }

  /** Ends the episode. The next message starts a new one. */
  async endEpisode(options: IdempotencyOptions = {}): Promise<CommittedChange> {
    const idempotency = idempotencyOf(objectGiven(options, "endEpisode"), "end_episode");
    return placeOf(await append(this.#handle, { type: "end_episode", trace_id: this.#runtime.ids.trace() }, idempotency));
  }

  /**
   * Records that the customer consents, or no longer consents, to a text of yours. The record is an event of the log and is exported and erased with
   * it. The last record of a purpose counts. It blocks nothing by itself.
   */
  async consent(options: ConsentOptions): Promise<CommittedChange> {
    return placeOf(await giveConsent(this.#handle, objectGiven(options, "consent")));
  }

  /** Sets the title, at most 200 characters. `null` removes it. */
  async setTitle(title: string | null, options: IdempotencyOptions = {}): Promise<CommittedChange> {
    const idempotency = idempotencyOf(objectGiven(options, "setTitle"), "set_title", { title });
    return placeOf(await append(this.#handle, { type: "set_title", title, trace_id: this.#runtime.ids.trace() }, idempotency));
  }

  /**
   * Changes title, mode, metadata, labels and consumers in one commit. Returns the session after the change. With `ifVersion` it applies only to that
   * version, and throws `request.precondition_failed` with the actual version otherwise.
   */
  async patch(change: SessionPatch, options: PatchOptions = {}): Promise<SessionInfo> {
    return patchSession(this.#handle, objectGiven(change, "patch"), objectGiven(options, "patch"));
  }

  /** Sets and unsets metadata. Prompts, stages and tools never receive metadata. */
  async setMetadata(change: NamedChange): Promise<void> {
    await setMetadata(this.#handle, change);
  }

  /**
   * Assigns an anonymous session and its forks to a customer. A running turn continues as it started. Changes nothing if the session already belongs
   * to that customer. Throws `session.identified` if it belongs to another customer.
   */
  async identify(options: IdentifyOptions): Promise<void> {
    await identify(this.#runtime, this.id, options);
  }

  /**
   * Sets and unsets variables, from the next turn on. They belong to the session's owner: the customer, or the anonymous session itself. With `scope:
   * "session"` they belong to this session alone and take precedence over the customer's. Returns the variables of the scope after the change.
   */
  async setVariables(change: NamedChange, options: SetVariablesOptions = {}): Promise<Variables> {
    return setSessionVariables(this.#runtime, this.id, change, objectGiven(options, "setVariables"));
  }

  /** Lists the variables in force, by name, with origin, time of the last set or confirmation, and whether they are stale. */
  async variables(): Promise<readonly KnownVariable[]> {
    return sessionVariables(this.#runtime.store, this.id);
  }

  /** Adds and removes labels. */
  async setLabels(change: LabelChange): Promise<void> {
    await setLabels(this.#handle, objectGiven(change, "setLabels"));
  }

  /** Records the offset up to which a named consumer has read. */
  async setConsumer(name: string, offset: number): Promise<void> {
    await setConsumer(this.#handle, name, offset);
  }
}
