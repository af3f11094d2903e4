/** A running reply: its execution, its messages, and its entries in the turn's journal. */
import { assembled, type Assembled } from "../../context/assemble.ts";
import { countedBy } from "../../context/tokens.ts";
import { inPhase, type AgentStateIn } from "../../execution/agent-state.ts";
import { exhausted, type Ledger } from "../../execution/ledger.ts";
import { continuationOf, standingSignals } from "../../execution/read.ts";
import type { StopSignal } from "../../execution/step.ts";
import { requestStop } from "../../execution/transitions.ts";
import { eventIdOf } from "../../kernel/id.ts";
import type { Model } from "../../model/model-port.ts";
import type { Event, TurnData } from "../../session/event.ts";
import { messagesOf, type Message } from "../../session/session-messages.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { messagesField } from "../../state/messages-field.ts";
import { withMessages } from "../../state/state-turn.ts";
import type { NewEvent } from "../../store/port.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Hooks } from "../hooks/run.ts";
import type { Turn } from "../turn/begin.ts";
import type { AnyState } from "../turn/journal.ts";
import { promptSources } from "../turn/prompt.ts";
import type { OpenStep, ReplyRecord } from "./record.ts";
import type { inner, LoopTurn, ReplyTurn } from "./reply.ts";
import type { Exit, LoopSettings } from "./settings.ts";

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
  noteTurn(work, { type: "signal", reason, message, ...(source === undefined ? {} : { source }), ...(context === undefined ? {} : { context }) });
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
  return assembled(agent.sections, sources, { prompt: agent.prompt, ...(counter === undefined ? {} : { counter }) });
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
export const askedToStop = ({ execution }: Work): readonly StopSignal[] => standingSignals(execution);

/** Adds the model's message of a step, including its calls. */
export function noteAnswer(work: Work, { step_id, text, calls }: OpenStep): void {
  const { agent, claim } = work.turn;
  const origin = { agent_id: agent.name, step_id, is_trace: true } as const;
  const parts = text === "" ? [] : [{ type: "text", text } as const];
  const asked = calls.length === 0 ? {} : { calls: calls.map(({ call }) => call) };
  note(work, newEvent("message", "ai_agent", { role: "assistant", parts, origin, ...asked }, { turn: claim.turn.number }));
}
