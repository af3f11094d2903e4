import { beginExecution, withAttempt, withContinuation, withSignal, withStep, type Running } from "../../execution/execution.ts";
import { createStep, type Step } from "../../execution/step.ts";
import { stopReasons, type StopReason } from "../../execution/stop.ts";
import type { TurnData } from "../../session/event.ts";
import { messagesOf, type Message } from "../../session/messages.ts";
import { spentOf } from "../turn/spent.ts";
import { createHooks } from "../hooks/run.ts";
import { ask, turnInfo } from "../turn/stages.ts";
import type { inner, LoopTurn } from "./loop-turn.ts";
import type { LoopSettings } from "./settings.ts";
import { errorsOf, openStepOf, type OpenStep } from "./open-step.ts";
import type { Known } from "./prepare.ts";
import { recordOf, type ReplyRecord } from "./record.ts";
import type { ReplyTurn } from "./reply.ts";
import { raise, type Work } from "./work.ts";

/** A reply, ready to go on from what is on record. */
export interface Opened {
  readonly work: Work;
  readonly known: Known;
  /** The last step on record, if it called something: its calls may not be over. */
  readonly resumed: OpenStep | undefined;
  /** Nothing is on record: the execution begins. */
  readonly fresh: boolean;
}

/** Opens a reply: a new one, or one that was left in the middle. */
export async function openWork(
  settings: LoopSettings,
  reply: ReplyTurn,
  { turn, started }: Pick<LoopTurn[typeof inner], "turn" | "started">,
): Promise<Opened> {
  const record = await recordOf(turn);
  for (const { kind, data } of record.events) if (kind === "tool" && data.type === "returned" && data.control !== undefined) ask(turn, data.control);
  const resumed = lastOpen(record);
  // What the open step has said and called stays together with what is still to come of it.
  const openFrom = resumed === undefined ? record.events.length : record.events.findLastIndex(({ kind }) => kind === "message");
  const mine = new Set(record.events.map(({ offset }) => offset));
  // What an earlier attempt at the turn said in place of an answer is no work of its own; what it called is.
  const isFiller = ({ offset, source, is_trace, calls, role }: Message): boolean =>
    offset > turn.attempted && offset <= turn.started && source === "ai_agent" && role === "assistant" && is_trace && calls === undefined;
  const before = turn.messages.filter((message) => !mine.has(message.offset) && !isFiller(message));
  const work: Work = {
    ...{ turn, reply, started, settings, record, activeMs: 0 },
    offered: settings.tools.map(({ name }) => name),
    messages: [...before, ...messagesOf(record.events.slice(0, openFrom), { open: turn.started })],
    own: record.events.slice(openFrom),
    open: resumed,
    execution: executionOf(record, reply, resumed === undefined ? record.steps.length : record.steps.length - 1),
    hooks: createHooks(settings.hooks, {
      state: () => turn.journal.state,
      info: () => turnInfo(turn),
      resources: turn.runtime.resources,
      signal: turn.signal,
      clock: turn.runtime.clock,
      logger: turn.runtime.logger,
      tracer: turn.runtime.tracer,
      apply: (name, writes, delta) => turn.journal.apply({ type: "hook", name }, delta, { writes }),
      raise: (signal) => raise(work, signal),
    }),
  };
  return { work, known: knownOf(work), resumed, fresh: record.events.length === 0 };
}

/** The last step on record, if it called something. */
function lastOpen({ steps }: ReplyRecord): OpenStep | undefined {
  const last = steps.at(-1);
  return last === undefined || last.calls.length === 0 ? undefined : openStepOf(last, steps.length);
}

/** The execution as it was when it was left: its closed steps, what asked it to stop or to go on, and what it has spent. */
function executionOf(record: ReplyRecord, reply: ReplyTurn, closed: number): Running {
  const { events, steps } = record;
  const at = events[0]?.created_at ?? reply.clock.now();
  let execution = beginExecution({ execution_id: reply.execution_id, budget: reply.budget, at, spent: spentOf(events) });
  let index = 0;
  for (const event of events) {
    if (event.kind !== "turn") continue;
    const { data } = event;
    if (data.type === "step" && index < closed) {
      const step = steps[index];
      index += 1;
      if (step !== undefined) execution = withStep(execution, stepOf(step, index), { spent: {} });
    } else execution = withEntry(execution, data);
  }
  return execution;
}

function withEntry(execution: Running, data: TurnData): Running {
  switch (data.type) {
    case "signal": {
      const { reason, message, source, context } = data;
      const told = { message, ...(source === undefined ? {} : { source }), ...(context === undefined ? {} : { context }) };
      return withSignal(execution, { reason: reasonOf(reason), ...told });
    }
    case "continue":
      return withContinuation(execution, { source: data.source, waives: (data.waives ?? []).map(reasonOf) });
    case "attempt":
      return withAttempt(execution, data.error, { spent: { attempts: 0 } });
    default:
      return execution;
  }
}

const reasonOf = (reason: string): StopReason => (Object.hasOwn(stopReasons, reason) ? (reason as StopReason) : "unknown");

function stepOf(record: ReplyRecord["steps"][number], index: number): Step {
  const open = openStepOf(record, index);
  const { ended_at, calls, text, usage, finish_reason, started_at } = open;
  return createStep({ index, text, calls: calls.map(({ call }) => call), errors: errorsOf(open), usage, finish_reason, started_at, ended_at });
}

/** The words on pending calls that are on record. */
function knownOf(work: Work): Known {
  const decided = new Map(
    work.record.events.flatMap((event) => {
      if (event.kind !== "turn" || event.data.type !== "decided") return [];
      const { call_id, index, decision, arguments_hash } = event.data;
      return [[`${call_id}/${index}`, { decision, arguments_hash }] as const];
    }),
  );
  return { decisionOn: (call_id, index) => decided.get(`${call_id}/${index}`) };
}
