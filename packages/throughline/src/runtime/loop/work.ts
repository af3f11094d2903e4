/** A reply at work: its execution, its messages, and the entries it adds to the turn's journal. */
import { assembled, type Assembled } from "../../context/assemble.ts";
import { countedBy } from "../../context/tokens.ts";
import { inPhase, type AgentStateIn } from "../../execution/agent-state.ts";
import { exhausted, type Ledger } from "../../execution/ledger.ts";
import { continuationOf, standingSignals } from "../../execution/read.ts";
import type { StopSignal } from "../../execution/stop.ts";
import { requestStop } from "../../execution/transitions.ts";
import { eventIdOf } from "../../kernel/id.ts";
import type { Model } from "../../model/port.ts";
import type { Event, TurnData } from "../../session/event.ts";
import { messagesOf, type Message } from "../../session/session-messages.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { decodeEvent } from "../../session/upcast.ts";
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

/** A reply at work. The execution and its ledger are values, which are replaced as it goes on. */
export interface Work {
  readonly turn: Turn;
  readonly reply: ReplyTurn;
  /** Shows live readers that a call has started that is not in the log yet. */
  readonly started: LoopTurn[typeof inner]["started"];
  readonly settings: LoopSettings;
  readonly hooks: Hooks;
  readonly record: ReplyRecord;
  /** The conversation, with the steps that are closed. */
  messages: readonly Message[];
  /** The step that is at work, if a model has answered. */
  open: OpenStep | undefined;
  /** Messages and calls of the step that is open. */
  own: readonly Event[];
  /** The execution as the log shows it; of a step without calls it has the text before the log. */
  execution: AgentStateIn<"running">;
  /** The budget, and what earlier attempts and child agents have spent of it too. */
  ledger: Ledger;
  /** Milliseconds that tools ran and that are not on record yet. */
  activeMs: number;
  /** Names of the tools that the model was last offered. */
  offered: readonly string[];
}

/** Notes an event for the next commit. */
export function note(work: Work, event: NewEvent): void {
  work.turn.journal.add(event);
  if (event.kind === "message" || event.kind === "tool") work.own = [...work.own, provisional(work, event)];
}

/** Notes an entry of the turn's journal. */
export const noteTurn = (work: Work, data: TurnData): void => note(work, turnEvent(work.turn.claim.turn.number, data));

/** Raises a stop signal, also for whoever resumes the turn. */
export function raise(work: Work, signal: StopSignal): void {
  const { reason, message, source, context } = signal;
  const stopping = requestStop(work.execution, signal, { at: work.turn.runtime.clock.now() });
  work.execution = inPhase(stopping, "go on", "running");
  noteTurn(work, { type: "signal", reason, message, ...(source === undefined ? {} : { source }), ...(context === undefined ? {} : { context }) });
}

/** An event as it will stand in the log, at an offset after all that are there. */
function provisional({ turn, messages, own }: Work, event: NewEvent): Event {
  const { session_id, turn: row } = turn.claim;
  const offset = Math.max(turn.loaded.session.head, (own.at(-1) ?? messages.at(-1))?.offset ?? 0) + 1;
  const { kind, source, data, version = 1 } = event;
  return decodeEvent({
    ...{ session_id, offset, id: eventIdOf(session_id, offset), kind, source, trace_id: row.trace_id, turn_id: row.turn_id },
    ...{ created_at: turn.runtime.clock.now(), version, data },
  });
}

/** Closes the step that is open: what it added to the conversation stays as it is. */
export function settleMessages(work: Work): void {
  work.messages = [...work.messages, ...messagesOf(work.own)];
  work.own = [];
}

/** The conversation as it is now. */
const messagesNow = ({ messages, own }: Work): readonly Message[] => (own.length === 0 ? messages : [...messages, ...messagesOf(own, { open: 0 })]);

/** The state as a tool gets it: with the conversation as it is now, if it looks at that. */
export function stateFor(work: Work, tool: Tool): AnyState {
  const { journal, agent } = work.turn;
  const looks = tool.takesState || Object.hasOwn(tool.inputsFromState, messagesField);
  return looks ? withMessages(agent.state, journal.state, messagesNow(work)) : journal.state;
}

/** The request for the next step, as this model counts it. */
export function promptNow(work: Work, model: Model): Assembled {
  const { agent, journal } = work.turn;
  const counter = countedBy(model);
  const sources = { ...promptSources(work.turn), started: work.turn.attempted, messages: messagesNow(work), state: journal.state as never };
  return assembled(agent.sections, sources, { prompt: agent.prompt, ...(counter === undefined ? {} : { counter }) });
}

/**
 * What ends the execution now; undefined if another step follows. A step that ends the loop ends it whatever is left of the budget, and whatever it was
 * asked for in spite of.
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

/** What has asked the execution to stop, but for what is waived for the step at work. */
export const askedToStop = ({ execution }: Work): readonly StopSignal[] => standingSignals(execution);

/** The model's message of a step, with what it calls. */
export function noteAnswer(work: Work, { step_id, text, calls }: OpenStep): void {
  const { agent, claim } = work.turn;
  const origin = { agent_id: agent.name, step_id, is_trace: true } as const;
  const parts = text === "" ? [] : [{ type: "text", text } as const];
  const asked = calls.length === 0 ? {} : { calls: calls.map(({ call }) => call) };
  note(work, newEvent("message", "ai_agent", { role: "assistant", parts, origin, ...asked }, { turn: claim.turn.number }));
}
