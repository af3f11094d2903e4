/** A running reply: its execution, its messages, its budget, and its entries in the turn's journal. */
import { type StepPlan } from "../../extension/port.ts";
import { present } from "../../kernel/json.ts";
import { assembled, type Assembled } from "../../context/assemble.ts";
import { countedBy } from "../../context/tokens.ts";
import { type AgentStateIn, inPhase } from "../../execution/agent-state.ts";
import { type Amount, type Budget, charge, exhausted, type Ledger, reserveCall, settle, timeLeft } from "../../execution/ledger.ts";
import { costOf, estimate, type Price, priceOf } from "../../execution/prices.ts";
import { continuationOf, standingSignals } from "../../execution/read.ts";
import type { StopReason, StopSignal } from "../../execution/step.ts";
import { requestStop } from "../../execution/transitions.ts";
import { finished } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { eventIdOf } from "../../kernel/id.ts";
import type { Model, ModelRequest, Usage } from "../../model/model-port.ts";
import type { Event, TurnData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { type Message, messagesOf } from "../../session/session-messages.ts";
import { messagesField } from "../../state/messages-field.ts";
import { withMessages } from "../../state/state-turn.ts";
import type { NewEvent } from "../../store/port.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Hooks } from "../hooks/run-hooks.ts";
import type { AnyState } from "../turn/journal.ts";
import { type inner, type LoopTurn, promptSources, type Turn } from "../turn/running-turn.ts";
import type { Exit, LoopSettings } from "./loop-settings.ts";
import type { OpenStep, ReplyRecord } from "./record.ts";
import type { RecordedResults } from "./recorded-results.ts";
import type { ReplyTurn } from "./reply-port.ts";

/** A running reply. The execution and its ledger are immutable values that are replaced with each change. */
export interface Work {
  readonly turn: Turn;
  readonly reply: ReplyTurn;
  /** Shows live readers a started call that is not in the log yet. */
  readonly started: LoopTurn[typeof inner]["started"];
  readonly settings: LoopSettings;
  readonly hooks: Hooks;
  readonly record: ReplyRecord;
  /** The conversation, including the closed steps. */
  messages: readonly Message[];
  /** The current step, once the model has responded. */
  open: OpenStep | undefined;
  /** Messages and calls of the open step. */
  own: readonly Event[];
  /** The execution as in the log. The text of a step without calls appears here before it is in the log. */
  execution: AgentStateIn<"running">;
  /** The budget, including the spending of earlier attempts and child agents. */
  ledger: Ledger;
  /** Milliseconds of tool time that are not recorded yet. */
  activeMs: number;
  /** Names of the tools in the last request. */
  offered: readonly string[];
  /** Results that this session reuses instead of running calls. Read once, with the first call. */
  readonly recorded: () => Promise<RecordedResults | undefined>;
  /** What an extension has planned for the current step. */
  plan: StepPlan | undefined;
}

/** Adds an event to the next commit. */
export function note(work: Work, event: NewEvent): void {
  work.turn.journal.add(event);
  if (event.kind === "message" || event.kind === "tool") work.own = [...work.own, provisional(work, event)];
}

/** Adds an entry to the turn's journal. */
export const noteTurn = (work: Work, data: TurnData): void => note(work, turnEvent(work.turn.claim.turn.number, data));

/** Raises a stop signal. It is recorded, so that a resumed turn sees it. */
export function raise(work: Work, signal: StopSignal): void {
  const { reason, message, source, context } = signal;
  const stopping = requestStop(work.execution, signal, { at: work.turn.runtime.clock.now() });
  work.execution = inPhase(stopping, "go on", "running");
  noteTurn(work, { type: "signal", reason, message, ...present({ source, context }) });
}

/** Returns an event as it will be in the log, with an offset after all existing ones. */
function provisional({ turn, messages, own }: Work, event: NewEvent): Event {
  const { session_id, turn: row } = turn.claim;
  const offset = Math.max(turn.loaded.session.head, (own.at(-1) ?? messages.at(-1))?.offset ?? 0) + 1;
  const { kind, source, data, version = 1 } = event;
  return decodeEvent({
    ...{ session_id, offset, id: eventIdOf(session_id, offset), kind, source, trace_id: row.trace_id, turn_id: row.turn_id },
    ...{ created_at: turn.runtime.clock.now(), version, data },
  });
}

/** Closes the open step and makes its additions to the conversation final. */
export function settleMessages(work: Work): void {
  work.messages = [...work.messages, ...messagesOf(work.own)];
  work.own = [];
}

/** Returns the current conversation. */
const messagesNow = ({ messages, own }: Work): readonly Message[] => (own.length === 0 ? messages : [...messages, ...messagesOf(own, { open: 0 })]);

/** Returns the state for a tool, with the current conversation if the tool reads it. */
export function stateFor(work: Work, tool: Tool): AnyState {
  const { journal, agent } = work.turn;
  const looks = tool.takesState || Object.hasOwn(tool.inputsFromState, messagesField);
  return looks ? withMessages(agent.state, journal.state, messagesNow(work)) : journal.state;
}

/** Returns the request for the next step, with tokens counted for this model. */
export function promptNow(work: Work, model: Model): Assembled {
  const { agent, journal } = work.turn;
  const counter = countedBy(model);
  const sources = { ...promptSources(work.turn), started: work.turn.attempted, messages: messagesNow(work), state: journal.state as never };
  return assembled(agent.sections, sources, { prompt: agent.prompt, ...present({ counter }) });
}

/**
 * Returns the signal that ends the execution now, or undefined if another step follows. A step that ends the loop ends it regardless of the remaining
 * budget and of waived signals.
 */
export function stopNow({ execution: state, ledger, turn }: Work, exit: Exit | undefined): StopSignal | undefined {
  const { overrules = [], message } = exit ?? {};
  const signals = state.execution.signals.filter((signal) => !overrules.includes(signal));
  const decision = continuationOf(
    { ...state, execution: { ...state.execution, signals } },
    { answered: message !== undefined, limits: exhausted(ledger, turn.runtime.clock.now()) },
  );
  if (decision.next === "step") return undefined;
  return decision.because === "signal" ? decision.signal : { reason: "completed", message: message ?? "" };
}

/** Returns the stop requests, without those that are waived for the current step. */
export const stopRequests = ({ execution }: Work): readonly StopSignal[] => standingSignals(execution);

/** Adds the model's message of a step, including its calls. */
export function noteAnswer(work: Work, { step_id, text, calls }: OpenStep): void {
  const { agent, claim } = work.turn;
  const origin = { agent_id: agent.name, step_id, is_trace: true } as const;
  const parts = text === "" ? [] : [{ type: "text", text } as const];
  const requestedCalls = calls.length === 0 ? {} : { calls: calls.map(({ call }) => call) };
  note(work, newEvent("message", "ai_agent", { role: "assistant", parts, origin, ...requestedCalls }, { turn: claim.turn.number }));
}

/** Reserves the possible cost of a model call. If the budget has no room for it, raises the stop signals and returns undefined. */
export function reserveFor(work: Work, model: Model, request: ModelRequest): Amount | undefined {
  const { ledger, execution } = work;
  const { continuation } = execution.execution;
  const { tokens, cost } = ledger.limits;
  // The size of a request is estimated only if a limit depends on it.
  const wanted = tokens === undefined && cost === undefined ? {} : estimate(model, request, cost === undefined ? undefined : priceFor(work, model));
  const reserved = reserveCall(ledger, wanted, { waives: continuation?.waives ?? [] });
  if (reserved.type === "refused") {
    for (const signal of reserved.signals) raise(work, signal);
    return undefined;
  }
  work.ledger = reserved.ledger;
  return reserved.amount;
}

/** Returns the price that a cost limit needs. Throws if there is none, because the limit would have no effect. */
function priceFor({ settings }: Work, model: Model): Price {
  const price = priceOf(settings.prices, model.name);
  if (price !== undefined) return price;
  throw new ThroughlineError("budget.invalid", `The budget limits the cost, and the model "${model.name}" has no price.`, {
    hint: "Give its price per million tokens in the loop's prices; 0 if it costs nothing.",
    details: { model: model.name },
  });
}

/**
 * Charges a model call for its actual cost and releases the rest of the reservation. A call without usage counts as failed. Returns the cost if there
 * is a price.
 */
export function settleFor(
  work: Work,
  model: Model,
  { reserved, ms, usage }: { readonly reserved: Amount; readonly ms: number; readonly usage?: Usage },
): number | undefined {
  const price = priceOf(work.settings.prices, model.name);
  const cost = usage === undefined || price === undefined ? undefined : costOf(usage, price);
  const spent = { active_ms: ms, ...(usage === undefined ? {} : { steps: 1, tokens: usage }), ...present({ cost }) };
  const settled = settle(work.ledger, reserved, spent);
  if (settled.overrun !== undefined)
    work.turn.runtime.logger.info("a model call cost more than estimated", { model: model.name, ...settled.overrun });
  work.ledger = settled.ledger;
  return cost;
}

/** Charges a step without a model response. */
export function spendStep(work: Work): void {
  work.ledger = charge(work.ledger, { steps: 1 });
}

/** Charges the time in which tools ran. */
export function spendTime(work: Work, ms: number): void {
  work.activeMs += ms;
  work.ledger = charge(work.ledger, { active_ms: ms });
}

/** A signal that aborts with the turn, or when the budget's time has run out. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns the stop signal of the exhausted limit, if there is one. */
  reached(): StopSignal | undefined;
  stop(): void;
}

/** Limits work in progress to the remaining active seconds and to the deadline. */
export function timeLimit(work: Work): TimeLimit {
  const { ledger, turn, reply } = work;
  const left = timeLeft({ ...ledger, limits: limitsOf(work) }, turn.runtime.clock.now());
  const over = new AbortController();
  let reached: StopSignal | undefined;
  const end = (): void => {
    reached = left?.signal;
    over.abort();
  };
  const stopped = new AbortController();
  // The sleep rejects only when the limit is stopped.
  if (left !== undefined) turn.runtime.clock.sleep(left.ms, stopped.signal).then(end, () => {});
  return { signal: AbortSignal.any([reply.signal, over.signal]), reached: () => reached, stop: () => stopped.abort(finished) };
}

/** Returns the time limits of the current step. A request for the step may have waived some. */
function limitsOf({ ledger, execution }: Work): Budget {
  const { seconds, deadline } = ledger.limits;
  const { continuation } = execution.execution;
  const counts = (reason: StopReason): boolean => continuation?.waives.includes(reason) !== true;
  return {
    ...(seconds !== undefined && counts("time_limit") ? { seconds } : {}),
    ...(deadline !== undefined && counts("deadline") ? { deadline } : {}),
  };
}
