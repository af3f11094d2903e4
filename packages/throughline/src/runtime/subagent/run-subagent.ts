/** Runs a call of a child agent: opens its session, sends the task, runs the turn, and returns the result. */
import type { Budget } from "../../execution/ledger.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { eventsOf } from "../../extension/lists.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import type { Event, Outcome, PendingCall, SpentData, TurnData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { createdEvent, turnEvent } from "../../session/new-event.ts";
import { textOf } from "../../session/session-messages.ts";
import { isIncognito, subagentLabel, withIncognito } from "../../session/session-view.ts";
import { initialState } from "../../state/document.ts";
import { messagesField } from "../../state/messages-field.ts";
import { fieldsOf, project } from "../../state/views.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { viewAt } from "../reading/outcome.ts";
import type { AnyState } from "../turn/journal.ts";
import type { Turn } from "../turn/running-turn.ts";
import { spentOf } from "../turn/turn-spending.ts";
import { renewDueLeases } from "../turn/lease.ts";
import { accept, runTurn } from "../turn/turn.ts";
import { stopChild } from "./child-sessions.ts";
import { childCallOf, childKeyOf, lineageOf, parentCallId, pendingIn } from "./parent-turn.ts";
import type { Subagent, SubagentResult } from "./subagent.ts";

/** The result of a child agent's call. */
type SubagentRun =
  | { readonly type: "done"; readonly value: Json; readonly child: SessionId; readonly spent: SpentData }
  | { readonly type: "failed"; readonly error: ThroughlineError; readonly child: SessionId; readonly spent: SpentData }
  | { readonly type: "paused"; readonly child: SessionId; readonly pending: readonly PendingCall[] };

/**
 * Runs a call of a child agent, or continues it. It uses none of the worker's slots, so a parent never waits for a slot that it occupies itself.
 * Throws `subagent.too_deep`, errors of the call, and the abort reason of the parent's turn.
 */
export async function runSubagent(turn: Turn, tool: Subagent, call: SubagentCall): Promise<SubagentRun> {
  const depth = ((await lineageOf(turn))?.depth ?? 0) + 1;
  if (depth > tool.child.maxDepth) {
    throw new ThroughlineError("subagent.too_deep", `Agent "${tool.name}" may be called ${tool.child.maxDepth} deep, and this would be ${depth}.`, {
      details: { agent: tool.name, depth, max_depth: tool.child.maxDepth },
    });
  }
  const child = await openChild(turn, tool, call, depth);
  const offset = await sendTask(turn, tool, call, child);
  await forwardDecisions(turn, call.call_id, child);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(tookTooLong(tool)), Math.min(tool.timeoutMs, 2 ** 31 - 1));
  const signal = AbortSignal.any([call.signal, over.signal]);
  try {
    const pending = await seeThrough(turn, { child, offset, signal });
    if (pending.length > 0)
      return { type: "paused", child, pending: pending.map((one) => ({ ...one, call_id: parentCallId(call.call_id, one), child })) };
  } catch (error) {
    if (!signal.aborted) throw error;
    await letGo(turn, child);
    const failure = ThroughlineError.from(signal.reason, "aborted");
    return { ...(await resultOfChild(turn.runtime, tool, { child, offset })), type: "failed", error: failure };
  } finally {
    clearTimeout(timer);
  }
  return resultOfChild(turn.runtime, tool, { child, offset });
}

const tookTooLong = ({ name, timeoutMs }: Subagent): ThroughlineError =>
  new ThroughlineError("timeout", `Agent "${name}" took longer than ${timeoutMs} ms.`, { details: { agent: name, ms: timeoutMs } });

/** Ends the child's work for a call that is over. Throws if only the parent's worker is stopping: the next worker of the parent then finds the child. */
async function letGo(turn: Turn, child: SessionId): Promise<void> {
  const { runtime, signal } = turn;
  if (signal.aborted && (await isOpen(turn))) throw signal.reason;
  await stopChild(runtime, child, "Its call has ended.");
  signal.throwIfAborted();
}

/** Whether the turn is still open. If the database cannot tell, nothing is ended. */
async function isOpen({ runtime, claim }: Turn): Promise<boolean> {
  try {
    const loaded = await runtime.store.load({ session_id: claim.session_id, messages: 0 });
    return loaded === undefined || loaded.turns.some(({ turn_id }) => turn_id === claim.turn.turn_id);
  } catch {
    return true;
  }
}

/** The child's message, and the signal of its caller. */
interface Awaited {
  readonly child: SessionId;
  readonly offset: number;
  readonly signal: AbortSignal;
}

/**
 * Runs the child's turn here, or waits while another process does, until the message is answered or withdrawn. Then nothing is pending. Returns the
 * calls that the child waits for.
 */
async function seeThrough(turn: Turn, { child, offset, signal }: Awaited): Promise<readonly PendingCall[]> {
  const { runtime } = turn;
  for (;;) {
    signal.throwIfAborted();
    const ran = await takeUp(turn, child, signal);
    signal.throwIfAborted();
    const loaded = await loadSession(runtime, child);
    if (!loaded.waiting.some((message) => message.offset === offset)) return [];
    const pending = pendingIn(runtime, loaded);
    if (pending.length > 0) return pending;
    if (!ran) await untilMoved(runtime, { child, head: loaded.session.head, signal });
  }
}

/** Runs the session's turn if no other worker does. Returns whether it ran. The log has its result. */
async function takeUp(turn: Turn, session_id: SessionId, signal: AbortSignal): Promise<boolean> {
  const { runtime } = turn;
  const agents = Object.fromEntries([...runtime.agents.values()].map(({ name, version }) => [name, version]));
  const { store, worker, lease, logger } = runtime;
  await renewDueLeases(runtime, session_id);
  const claim = await store.claim({ kind: "session", session_id, worker, lease_ms: lease.leaseMs, agents });
  if (claim === undefined) return false;
  const stop = new AbortController();
  // The turn is released whatever the reason. A process that ends it does so in the log.
  const leave = (): void => stop.abort(new ThroughlineError("aborted", "The call of the child agent, or its worker, has ended."));
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const { turn_id } = claim.turn;
  try {
    await runTurn(runtime, claim, stop.signal, { awaitedBy: turn });
    return true;
  } catch (error) {
    if (!signal.aborted) logger.warn("child turn not run", { turn_id, code: ThroughlineError.from(error).code }, error);
    return false;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Waits for the session's log to grow, at most for the duration of a lease. */
async function untilMoved(
  { store, clock, lease }: RuntimeContext,
  { child, head, signal }: { readonly child: SessionId; readonly head: number; readonly signal: AbortSignal },
): Promise<void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const watching = store.watch(child, head, either);
  const sleeping = clock.sleep(lease.leaseMs / 2, either);
  try {
    await Promise.race([watching, sleeping]);
  } finally {
    left.abort(new ThroughlineError("aborted"));
    watching.catch(() => {});
    sleeping.catch(() => {});
  }
}

/** A call of a child agent from its parent's loop. */
interface SubagentCall {
  readonly call_id: string;
  /** Idempotency key, the same whenever the call is repeated. */
  readonly key: string;
  /** The bound and validated arguments. */
  readonly args: unknown;
  /** The parent's state. */
  readonly state: AnyState;
  /** Aborts with the parent's turn, or when the budget's time has run out. */
  readonly signal: AbortSignal;
  /** The part of the parent's budget that is reserved for it. */
  readonly budget: Budget;
}

/** Maximum number of changes of the session's owner during the creation. */
const ownerTries = 5;

/** Returns the session of the call. Creates it under the same owner if necessary. */
async function openChild(turn: Turn, { child }: Subagent, call: SubagentCall, depth: number): Promise<SessionId> {
  const { runtime, claim } = turn;
  const agent = agentOf(runtime, child.agent.name);
  const { session_id, turn: row } = claim;
  const { call_id, budget } = call;
  const open_key = childKeyOf(call.key);
  const parent = { session_id, turn_id: row.turn_id, call_id, depth, budget: budget as JsonObject };
  const created = createdEvent({ agent: agent.name, definition: agent.version, state: initialState(agent.state), parent }, row.trace_id);
  // An incognito session has incognito child sessions.
  const header = withIncognito({ labels: [subagentLabel] }, isIncognito(turn.loaded.session));
  let { owner_id } = turn.loaded.session;
  for (let attempt = 1; ; attempt++) {
    const there = await runtime.store.open({ open_key });
    if (there !== undefined) return there.session_id;
    const id = runtime.ids.next("session");
    const create = { owner_id, agent: agent.name, agent_version: agent.version, open_key };
    const result = await commitOnce(runtime, { session: { session_id: id, create, events: [created], header } });
    if (result.outcome === "committed") return id;
    if (result.reason === "session_exists") return result.session_id;
    if (result.reason !== "owner_missing" || attempt === ownerTries) throw refused(result, id);
    // The parent's session was identified in between, and belongs to another owner now.
    ({ owner_id } = (await loadSession(runtime, session_id)).session);
  }
}

/** Sends the child its task, once. Returns the offset of the message. */
async function sendTask(turn: Turn, tool: Subagent, call: SubagentCall, session_id: SessionId): Promise<number> {
  const { runtime } = turn;
  const agent = agentOf(runtime, tool.child.agent.name);
  const incoming = { ...messageOf(turn, tool, call), idempotencyKey: "call", traceId: turn.claim.turn.trace_id };
  try {
    const { offset } = await accept(runtime, { session_id, agent, fenced: () => {}, hurried: () => {} }, incoming);
    return offset;
  } catch (error) {
    // The parent's state has changed since the first message. The child works on that first message.
    const first = ThroughlineError.is(error, "session.idempotency_mismatch") ? error.details["offset"] : undefined;
    if (typeof first !== "number") throw error;
    return first;
  }
}

function messageOf({ agent }: Turn, { name, child, inputsFromState }: Subagent, { args, state }: SubagentCall) {
  const given = args as JsonObject;
  const text = child.prompt(given);
  if (typeof text !== "string" || text.trim() === "")
    throw new ThroughlineError("tool.arguments_invalid", `Agent "${name}" needs a prompt that is not blank.`);
  const asked = child.input?.(given) ?? {};
  if (!isPlainObject(asked)) throw new ThroughlineError("tool.failed", `The \`input\` of child agent "${name}" made no object.`);
  const values = Object.keys(inputsFromState).length === 0 ? {} : project(agent.state, state, "internal");
  const input: Record<string, unknown> = { ...asked };
  const start: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(inputsFromState)) {
    const value = values[from];
    if (value === undefined) continue;
    if (child.agent.state.fields[to]?.lifecycle === "input") input[to] = value;
    else start[to] = value;
  }
  return {
    text,
    ...(Object.keys(input).length === 0 ? {} : { input: input as JsonObject }),
    ...(Object.keys(start).length === 0 ? {} : { start: start as JsonObject }),
  };
}

type Decided = Extract<TurnData, { type: "decided" }>;

/**
 * Forwards the parent's decisions on calls of the child. The parent's log contains them, so a crash in between loses none. A decision that the child
 * already has, or no longer waits for, changes nothing.
 */
async function forwardDecisions({ runtime, loaded }: Turn, call_id: string, child: SessionId): Promise<void> {
  for (const { kind, data } of loaded.journal.map((stored) => decodeEvent(stored))) {
    if (kind !== "turn" || data.type !== "decided") continue;
    const its = childCallOf(call_id, data.call_id);
    if (its !== undefined) await decideOn(runtime, child, { ...data, call_id: its });
  }
}

/** Records a decision in the waiting session, and continues its turn. */
async function decideOn(runtime: RuntimeContext, session_id: SessionId, decided: Decided): Promise<void> {
  for (let tries = 1; ; tries++) {
    const loaded = await loadSession(runtime, session_id);
    const running = loaded.turns.find(({ status }) => status === "running");
    const waits = pendingIn(runtime, loaded).some(
      ({ call_id, index, arguments_hash }) => call_id === decided.call_id && index === decided.index && arguments_hash === decided.arguments_hash,
    );
    if (running === undefined || !waits) return;
    const { epoch, head } = loaded.session;
    const events = [turnEvent(running.number, decided)];
    const result = await commitOnce(runtime, { session: { session_id, depends: { epoch, head }, events, wake: true } });
    if (result.outcome === "committed") return;
    if (tries === changes || (result.reason !== "stale_head" && result.reason !== "fenced")) throw refused(result, session_id);
  }
}

/** The child's session, and its message. */
interface ChildMessage {
  readonly child: SessionId;
  readonly offset: number;
}

/** Returns the child's answer and its cost, or the reason why there is none. For a running child, returns its cost so far. */
async function resultOfChild(
  runtime: RuntimeContext,
  tool: Subagent,
  { child, offset }: ChildMessage,
): Promise<Exclude<SubagentRun, { type: "paused" }>> {
  const stored = eventsOf(runtime.store, { session_id: child, kinds: ["message", "tool", "turn"] });
  const events = await Array.fromAsync(stored, (event) => decodeEvent(event));
  const spent = spentOf(events);
  const ended = endOf(events, offset);
  const failed = (why: string, details: JsonObject = {}): SubagentRun & { readonly type: "failed" } => {
    const all = { agent: tool.name, session_id: child, ...details };
    return { type: "failed", error: new ThroughlineError("subagent.failed", `Agent "${tool.name}" ${why}`, { details: all }), child, spent };
  };
  if (ended === undefined) return failed("has not answered: its message was withdrawn.");
  const { outcome, own } = ended;
  const blank = isBlank(outcome);
  if (outcome.status === "failed" && !blank) return failed(`failed: ${outcome.error.message}`, { code: outcome.error.code });
  const view = await stateOfChild(runtime, child, ended);
  const names = new Set([...fieldsOf(tool.child.agent.state, "output"), ...tool.child.sources].filter((name) => name !== messagesField));
  const value: SubagentResult = {
    reply: replyOf(own, outcome),
    status: outcome.status === "stopped" ? "stopped" : "completed",
    ...(outcome.status === "stopped" ? { reason: outcome.reason } : {}),
    output: Object.fromEntries(Object.entries(view).filter(([name]) => names.has(name))),
  };
  return { type: "done", value: value as unknown as JsonObject, child, spent };
}

/** The end of the turn that answered a message. */
interface Ended {
  readonly at: number;
  readonly outcome: Outcome;
  readonly answers: readonly number[];
  /** The turn's events. */
  readonly own: readonly Event[];
}

function endOf(events: readonly Event[], offset: number): Ended | undefined {
  for (const event of events.toReversed()) {
    if (event.kind !== "turn" || event.data.type !== "ended" || isSuperseded(event.data.outcome)) continue;
    const own = events.filter(({ turn_id }) => turn_id === event.turn_id);
    const answers = own.flatMap(({ kind, data }) => (kind === "turn" && data.type === "started" ? data.answers : []));
    if (answers.includes(offset)) return { at: event.offset, outcome: event.data.outcome, answers, own };
  }
  return undefined;
}

/** An empty answer fails a turn that a customer waits for. A parent learns that there is no answer. */
const isBlank = (outcome: Outcome): boolean =>
  outcome.status === "failed" && outcome.error.code === "model.invalid_response" && outcome.error.details?.["finish_reason"] !== undefined;

/** Returns the answer. For a stopped turn, returns its last intermediate text. */
function replyOf(own: readonly Event[], outcome: Outcome): string | null {
  const replies = own.flatMap(({ kind, data }) => (kind === "message" && data.role === "assistant" ? [data] : []));
  const wanted =
    outcome.status === "completed"
      ? replies.findLast(({ origin }) => origin?.is_trace !== true)
      : replies.findLast(({ calls, parts }) => calls !== undefined && textOf(parts).trim() !== "");
  return outcome.status === "failed" || wanted === undefined ? null : textOf(wanted.parts);
}

/** Returns the child's state at the end of its turn, including turn fields. */
function stateOfChild(runtime: RuntimeContext, child: SessionId, { at, answers, own }: Ended): Promise<JsonObject> {
  const patches = own.flatMap(({ kind, data }) => (kind === "turn" && (data.type === "stage" || data.type === "fields") ? (data.patch ?? []) : []));
  return viewAt(runtime, child, { at, answers, patches, view: "internal" });
}
