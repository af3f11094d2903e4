import type { AgentState } from "../execution/agent-state.ts";
import type { Ledger } from "../execution/ledger.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { SessionId, TurnId } from "../kernel/id.ts";
import { objectGiven, type Json, type JsonObject } from "../kernel/json.ts";
import type { Event, StatusData } from "../session/event.ts";
import type { KnownVariable, NamedChange, Variables } from "../session/session-variables.ts";
import { messagesOf, type Message } from "../session/session-messages.ts";
import { decodeEvent } from "../session/upcast.ts";
import { runningTurn, queuedTurn, viewOf, type OpenTurn } from "../session/session-view.ts";
import type { EventKind, Page, SessionMode } from "../store/port.ts";
import { headerOf, loadSession } from "../extension/commit.ts";
import { addedBy, type Extension } from "../extension/port.ts";
import { decideCall, type DecideOptions, type DecisionMade } from "./approval/decide.ts";
import { pendingOf, type Pending } from "./approval/pending.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import type { Draft } from "./turn/drafts.ts";
import { editState, type EditOptions } from "./commands/edit.ts";
import { followEvents, streamSession, type EventFilter } from "./reading/follow.ts";
import { forkSession, type ForkOptions } from "./commands/fork.ts";
import { append, awaitOutcome, drive, hearing, type Done, type Handle } from "./commands/handle.ts";
import * as handover from "./commands/handover.ts";
import { historyOfSession, type HistoryPoint } from "./reading/history.ts";
import { idempotencyOf, type IdempotencyOptions } from "./commands/idempotency.ts";
import { identify, type IdentifyOptions } from "./commands/identify.ts";
import type { TurnResult } from "./reading/outcome.ts";
import { soughtBy } from "./reading/outcomes.ts";
import { patchSession, setConsumer, setLabels, setMetadata, type LabelChange, type PatchOptions, type SessionPatch } from "./commands/patch.ts";
import { postCustom, postOperator, postStatus, type CustomOptions, type OperatorOptions, type StatusOptions } from "./commands/post.ts";
import { readEvent } from "./reading/read-event.ts";
import type { Incoming } from "./turn/receive.ts";
import { toInfo, type SessionInfo } from "./reading/session-info.ts";
import { retryTurn, startTurn, stopTurn, type StartedTurn, type StartTurnOptions, type StopOptions } from "./turn/start-turn.ts";
import { giveConsent, type ConsentOptions } from "./commands/consent.ts";
import { postSafely, sendSafely } from "./turn/unsaved.ts";
import { keptPrompt, type PromptQuery, type SessionPrompt } from "../extension/kept-requests.ts";
import { stateAt, type StateAt, type StateOptions } from "./reading/state-at.ts";
import { accept, type Accepted } from "./turn/turn.ts";
import { listTurns, turnOf, type SessionTurn, type TurnFilter } from "./reading/turns.ts";
import { budgetOfTurn, executionOfTurn } from "./reading/turn-execution.ts";
import { usageOfSession, type UsageReport } from "./reading/usage.ts";
import { sessionVariables } from "./variables/scopes.ts";
import { setSessionVariables, type SetVariablesOptions } from "./variables/set.ts";
import { withdrawFrom, type WithdrawOptions } from "./commands/withdraw.ts";
import type { Worker } from "./turn/worker.ts";

/** What may come with a message that is sent, and how long to wait for its outcome. */
export interface SendOptions extends Omit<Incoming, "text"> {
  /** Stops waiting for the answer; the message stays accepted. */
  readonly signal?: AbortSignal;
}

/** Where a command stands in the log: the offset of its last event, or of the head if it had nothing to do. */
export interface CommittedChange {
  readonly offset: number;
}

/** The offset of handing a session back, and the queued turn, if requested. */
export interface HandedBack extends CommittedChange {
  readonly turn_id: TurnId | undefined;
}

/** What makes handles of sessions. */
export type SessionClass<Of extends CoreSession> = new (runtime: RuntimeContext, worker: Worker, id: SessionId, agent?: string) => Of;

const placeOf = ({ offset }: Done): CommittedChange => ({ offset });

/** One conversation, without what extensions add. A handle holds nothing that changes: every call reads what it needs. */
export class CoreSession {
  readonly id: SessionId;
  readonly #handle: Handle;
  /** Name of its agent, which never changes. */
  #agent: string | undefined;

  constructor(runtime: RuntimeContext, worker: Worker, id: SessionId, agent?: string) {
    this.#handle = { runtime, worker, id };
    this.#agent = agent;
    this.id = id;
  }

  get #runtime(): RuntimeContext {
    return this.#handle.runtime;
  }

  /** What an extension adds to a session, such as `session.extension(tickets).open()`. */
  extension<Of extends object>(extension: Extension<{ session(session_id: SessionId): Of }>): Of {
    return addedBy(this.#runtime, extension).session(this.id);
  }

  /** The session as it stands. */
  async info(): Promise<SessionInfo> {
    return toInfo(await headerOf(this.#runtime, this.id));
  }

  /**
   * Accepts a customer's message: from the return on it is on disk and will be answered once, by this process or another. With a gate the error of a store that fails,
   * and that of a message of somebody in danger that is too long or has wrong values, has in its details what to say to the person, `reply`, and whether the message is kept, `saved`: `false` or `"unknown"`.
   * Once `signal` has aborted, an error comes without them, for a caller that has answered the person meanwhile.
   */
  async post(message: string | Incoming, options: { readonly signal?: AbortSignal } = {}): Promise<Accepted> {
    const { signal } = objectGiven(options, "post");
    const incoming = typeof message === "string" ? { text: message } : message;
    const accepted = await postSafely(
      this.#runtime,
      { agent: this.#agent, session_id: this.id, text: incoming.text },
      { accept: () => this.#accept(incoming), signal },
    );
    if (accepted.turn_id !== undefined) drive(this.#handle);
    return accepted;
  }

  async #accept(incoming: Incoming): Promise<Accepted> {
    const agent = (this.#agent ??= (await this.info()).agent);
    return accept(this.#runtime, { session_id: this.id, agent: agentOf(this.#runtime, agent), ...hearing(this.#handle) }, incoming);
  }

  /** Accepts a customer's message and waits for its outcome. The same idempotency key and text again returns the first outcome. With a gate a reply comes also when the store fails: `saved` is then `false` or `"unknown"`. */
  async send(text: string, options: SendOptions = {}): Promise<TurnResult> {
    const { signal, ...rest } = objectGiven(options, "send");
    const accept = (): Promise<Accepted> => this.#accept({ text, ...rest });
    const outcome = ({ offset, turn_id }: Accepted): Promise<TurnResult> => awaitOutcome(this.#handle, { offset, turn_id, message: true }, signal);
    return sendSafely(this.#runtime, { agent: this.#agent, session_id: this.id, text }, { accept, outcome, signal });
  }

  /** The outcome of a message that was accepted, by its offset, or of a turn, by its id; waits for it if need be. */
  async outcome(of: number | string, options: { readonly signal?: AbortSignal } = {}): Promise<TurnResult> {
    return awaitOutcome(this.#handle, await soughtBy(this.#handle, of), options.signal);
  }

  /** Posts what a person wrote who has taken over: as themselves, or in the agent's name. No turn is queued. */
  async postOperator(text: string, options: OperatorOptions = {}): Promise<CommittedChange> {
    return placeOf(await postOperator(this.#handle, text, objectGiven(options, "postOperator")));
  }

  /**
   * Posts any JSON, of at most 1,048,576 characters, for the agent to see in its next turn. Only what has the source `system`, the default, reads as the operator's
   * own words; what a customer wrote or did belongs under `customer_ui`. No turn is queued, unless an agent with a gate finds danger in a customer's event: that is
   * answered as a message is, and `turn_id` names the turn.
   */
  async postCustom(value: Json, options: CustomOptions = {}): Promise<Accepted> {
    const agent = async (): Promise<string> => (this.#agent ??= (await this.info()).agent);
    const { offset, turn_id } = await postCustom(this.#handle, value, objectGiven(options, "postCustom"), agent);
    return { offset, turn_id };
  }

  /** Posts what somebody other than the agent is doing, such as typing: it is shown to readers, and to no model. */
  async postStatus(status: StatusData["status"], options: StatusOptions = {}): Promise<CommittedChange> {
    return placeOf(await postStatus(this.#handle, status, objectGiven(options, "postStatus")));
  }

  /** Lets the agent speak: it answers what waits, and sees what people and systems posted. `session.manual` while a person has the session. */
  async resume(options: StartTurnOptions & { readonly signal?: AbortSignal } = {}): Promise<TurnResult> {
    const { signal, ...rest } = objectGiven(options, "resume");
    const { offset, turn_id } = await startTurn(this.#handle, rest);
    return awaitOutcome(this.#handle, { offset, turn_id, message: false }, signal);
  }

  /** Lets the agent speak as `resume` does, without waiting for what comes of it. */
  async startTurn(options: StartTurnOptions = {}): Promise<StartedTurn> {
    return startTurn(this.#handle, objectGiven(options, "startTurn"));
  }

  /**
   * Has the last turn done again, if it failed or was stopped: a new turn answers its messages. What the first one did and wrote to the state stays. Does not wait
   * for what comes of it: `outcome(turn_id)` does. `turn.not_retryable` for another turn, one that ended well, or while one is under way.
   */
  async retry(turn?: string, options: IdempotencyOptions = {}): Promise<StartedTurn> {
    return retryTurn(this.#handle, turn, objectGiven(options, "retry"));
  }

  /** Stops the running turn, or the queued one, or the one that is named and no other. False if there is none. */
  async stop(message?: string, options: StopOptions = {}): Promise<boolean> {
    return stopTurn(this.#handle, message, objectGiven(options, "stop"));
  }

  /** Turns, newest first: where each is, what it answers, how it ended and what it cost. */
  async turns(filter: TurnFilter = {}): Promise<Page<SessionTurn>> {
    return listTurns(this.#runtime.store, this.id, objectGiven(filter, "turns"));
  }

  /** One turn; `turn.not_found` if the session has none of that id. */
  async turn(turn_id: string): Promise<SessionTurn> {
    return turnOf(this.#runtime.store, this.id, turn_id);
  }

  /**
   * The agent's state in a turn, as the log has it: the messages that it answers, steps with results, signals, how it ended. Of an open turn as it stands now. The
   * functions of `throughline/execution` read it. `turn.not_found` if the session has none of that id, `log.retained_from` if retention has removed its events.
   */
  async execution(turn_id: string): Promise<AgentState> {
    return executionOfTurn(this.#runtime, this.id, turn_id);
  }

  /**
   * What a turn may spend and has spent, with its child agents; `remaining` of `throughline/execution` says what is left. The limits are those of the agent that is
   * registered. Throws what `execution` throws, and `agent.not_found`.
   */
  async budget(turn_id: string): Promise<Ledger> {
    return budgetOfTurn(this.#runtime, this.id, turn_id);
  }

  /** What the session has cost so far, by model, with the child agents that worked for it; its log is read from end to end. */
  async usage(): Promise<UsageReport> {
    await this.info();
    return usageOfSession(this.#runtime.store, this.id);
  }

  /** Hands the session to people (`manual`, as `handOver` does) or back to the agent (`auto`, as `handBack` does). Nothing if it is so already. */
  async setMode(mode: SessionMode, options: IdempotencyOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.setMode(this.#handle, mode, objectGiven(options, "setMode")));
  }

  /**
   * Hands the session to people: a running turn is cancelled before its reply, here or in another process. It waits in the queue, or is the `operator`'s who is named.
   * With people already, what is said is added: an alert is never lowered, and `handover.taken` says who has it if that is somebody else.
   */
  async handOver(options: handover.HandOverOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.handOver(this.#handle, objectGiven(options, "handOver")));
  }

  /** Gives the session to a person; of several at once one wins. `handover.taken` if another has it whom `from` does not name, `handover.none` if nobody was handed it. */
  async assign(options: handover.AssignOptions): Promise<CommittedChange> {
    return placeOf(await handover.assign(this.#handle, objectGiven(options, "assign")));
  }

  /** Puts the session back into the queue, where it waits since it was handed over. */
  async unassign(options: handover.UnassignOptions = {}): Promise<CommittedChange> {
    return placeOf(await handover.unassign(this.#handle, objectGiven(options, "unassign")));
  }

  /**
   * Hands the session back to the agent, in one commit: what happened meanwhile as a summary, a change of the state, and with `resume` the turn that goes on. The
   * agent stays silent otherwise until it is sent a message or resumed. `handover.none` if people do not have it.
   */
  async handBack(options: handover.HandBackOptions = {}): Promise<HandedBack> {
    const { offset, turn_id } = await handover.handBack(this.#handle, objectGiven(options, "handBack"));
    return { offset, turn_id };
  }

  /** Takes back everything from `from` on, the first offset of a turn: the state becomes what it was before. An offset past the head changes nothing. */
  async withdraw(options: WithdrawOptions): Promise<CommittedChange> {
    return placeOf(await withdrawFrom(this.#handle, objectGiven(options, "withdraw")));
  }

  /** Changes the state by hand, through the agent's reducers; on record as an operator's edit, at the offset that is returned. */
  async edit(delta: JsonObject, options: EditOptions = {}): Promise<CommittedChange> {
    return placeOf(await editState(this.#handle, delta, objectGiven(options, "edit")));
  }

  /** State at the head, or as it was at offset `at`, raw and with its version; `upgrade` migrates the copy to the version that is registered, and `view` cuts it down. */
  async state(options: StateOptions = {}): Promise<StateAt> {
    return stateAt(this.#handle, objectGiven(options, "state"));
  }

  /**
   * What a model was asked, byte for byte, and what that was made of: in the last step, in the last one of a turn, or in a step of it, from 1. Undefined if it is not
   * kept: the agent's `keepRequests` does that. `turn.not_found` for an id that is no turn of the session.
   */
  async prompt(which: PromptQuery = {}): Promise<SessionPrompt | undefined> {
    return keptPrompt(this.#runtime.store, await headerOf(this.#runtime, this.id), objectGiven(which, "prompt"));
  }

  /** The ends of the last turns, newest first, 20 by default and at most 100: offsets to go back to. `before`: only those below an offset. */
  async history(options: { readonly limit?: number; readonly before?: number } = {}): Promise<readonly HistoryPoint[]> {
    return historyOfSession(this.#runtime.store, this.id, objectGiven(options, "history"));
  }

  /**
   * Another session that goes on from this one's log as it is at an offset: it shares what was said up to there, the customer and the customer's variables, and
   * nothing that comes after. A turn that was open there has ended in it; nothing waits in it.
   */
  async fork(options: ForkOptions = {}): Promise<this> {
    const { runtime, worker } = this.#handle;
    // A subclass that adds methods has the same constructor, as SessionClass says.
    const Own = this.constructor as SessionClass<this>;
    return new Own(runtime, worker, await forkSession(runtime, this.id, objectGiven(options, "fork")));
  }

  /** The last messages, oldest first: 0 to 1,000, 20 by default. */
  async messages(options: { readonly last?: number; readonly at?: number } = {}): Promise<readonly Message[]> {
    const { last = 20, at } = objectGiven(options, "messages");
    if (!Number.isInteger(last) || last < 0 || last > 1_000)
      throw new ThroughlineError("input.invalid", `last is a whole number from 0 to 1,000, got ${seen(last)}.`, { details: { path: "last" } });
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
    drive(this.#handle);
    return made;
  }

  /** The event at an offset, or of an id. `event.not_found` if this session has none there, or if it was withdrawn and that is not asked for. */
  async event(at: number | string, options: { readonly withdrawn?: boolean } = {}): Promise<Event> {
    return readEvent(this.#runtime.store, this.id, at, objectGiven(options, "event"));
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
  async endEpisode(options: IdempotencyOptions = {}): Promise<CommittedChange> {
    const idempotency = idempotencyOf(objectGiven(options, "endEpisode"), "end_episode");
    return placeOf(await append(this.#handle, { type: "end_episode", trace_id: this.#runtime.ids.trace() }, idempotency));
  }

  /**
   * Puts on record that the person agrees, or no longer does, to a text of yours: an event of the log, which is exported and erased with it. The last one of a purpose
   * counts; it stops nothing by itself.
   */
  async consent(options: ConsentOptions): Promise<CommittedChange> {
    return placeOf(await giveConsent(this.#handle, objectGiven(options, "consent")));
  }

  /** A title of at most 200 characters; null takes it away. */
  async setTitle(title: string | null, options: IdempotencyOptions = {}): Promise<CommittedChange> {
    const idempotency = idempotencyOf(objectGiven(options, "setTitle"), "set_title", { title });
    return placeOf(await append(this.#handle, { type: "set_title", title, trace_id: this.#runtime.ids.trace() }, idempotency));
  }

  /**
   * Changes title, mode, metadata, labels and consumers in one commit, all or none; how the session stands then. With `ifVersion`, only if it is at that version:
   * `request.precondition_failed` says which it is at.
   */
  async patch(change: SessionPatch, options: PatchOptions = {}): Promise<SessionInfo> {
    return patchSession(this.#handle, objectGiven(change, "patch"), objectGiven(options, "patch"));
  }

  /** Sets and unsets metadata, which no prompt, stage or tool can be given. */
  async setMetadata(change: NamedChange): Promise<void> {
    await setMetadata(this.#handle, change);
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
  async setLabels(change: LabelChange): Promise<void> {
    await setLabels(this.#handle, objectGiven(change, "setLabels"));
  }

  /** Notes how far a named consumer has read. */
  async setConsumer(name: string, offset: number): Promise<void> {
    await setConsumer(this.#handle, name, offset);
  }
}
