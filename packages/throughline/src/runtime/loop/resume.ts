/** Opens a reply: a new one, or one that an earlier attempt or a pause interrupted. */
import { inPhase, type AgentStateIn } from "../../execution/agent-state.ts";
import { executionFromLog } from "../../execution/from-log.ts";
import { createLedger } from "../../execution/ledger.ts";
import { beginExecution, closeStep, resumeExecution } from "../../execution/transitions.ts";
import { messagesOf, type Message } from "../../session/session-messages.ts";
import { spentOf } from "../turn/spent.ts";
import { createHooks } from "../hooks/run.ts";
import { ask, turnInfo } from "../turn/stages.ts";
import type { inner, LoopTurn, ReplyTurn } from "./reply.ts";
import type { LoopSettings } from "./settings.ts";
import { openStepOf, recordOf, type OpenStep, type ReplyRecord } from "./record.ts";
import type { Known } from "./prepare.ts";
import { raise, type Work } from "./work.ts";

/** A reply that is ready to continue from its record. */
export interface Opened {
  readonly work: Work;
  readonly known: Known;
  /** The last recorded step, if it made calls. They may be unfinished. */
  readonly resumed: OpenStep | undefined;
  /** Whether nothing is recorded, so that the execution starts now. */
  readonly fresh: boolean;
}

/** Opens a reply: a new or an interrupted one. */
export async function openWork(
  settings: LoopSettings,
  reply: ReplyTurn,
  { turn, started }: Pick<LoopTurn[typeof inner], "turn" | "started">,
): Promise<Opened> {
  const record = await recordOf(turn);
  for (const { kind, data } of record.events) if (kind === "tool" && data.type === "returned" && data.control !== undefined) ask(turn, data.control);
  const resumed = lastOpen(record);
  // The messages and calls of the open step stay together with its later ones.
  const openFrom = resumed === undefined ? record.events.length : record.events.findLastIndex(({ kind }) => kind === "message");
  const mine = new Set(record.events.map(({ offset }) => offset));
  // A reply that replaced the answer of an earlier attempt does not count as the turn's work. Its calls do.
  const isFiller = ({ offset, source, is_trace, calls, role }: Message): boolean =>
    offset > turn.attempted && offset <= turn.started && source === "ai_agent" && role === "assistant" && is_trace && calls === undefined;
  const before = turn.messages.filter((message) => !mine.has(message.offset) && !isFiller(message));
  const work: Work = {
    ...{ turn, reply, started, settings, record, activeMs: 0 },
    offered: settings.tools.map(({ name }) => name),
    messages: [...before, ...messagesOf(record.events.slice(0, openFrom), { open: turn.started })],
    own: record.events.slice(openFrom),
    open: resumed,
    execution: executionOf(record, reply, resumed),
    ledger: createLedger(reply.budget, spentOf(record.events)),
    hooks: createHooks(settings.hooks, {
      state: () => turn.journal.state,
      budget: () => work.ledger,
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

/** Returns the last recorded step, if it made calls. */
function lastOpen({ steps }: ReplyRecord): OpenStep | undefined {
  const last = steps.at(-1);
  return last === undefined || last.calls.length === 0 ? undefined : openStepOf(last, steps.length);
}

/** Restores the execution as it was interrupted. `resumed`: the last step, whose calls may be unfinished. */
function executionOf({ events }: ReplyRecord, reply: ReplyTurn, resumed: OpenStep | undefined): AgentStateIn<"running"> {
  const now = { at: reply.clock.now() };
  if (events.length === 0) return beginExecution(reply.state, { execution_id: reply.execution_id, at: reply.began_at });
  const left = executionFromLog(reply.state, reply.execution_id, events);
  const running = left.execution.phase === "paused" ? resumeExecution(left, now) : inPhase(left, "go on", "running");
  // A step without calls is complete, whatever happened to its text.
  return resumed === undefined ? closeStep(running, now) : running;
}

/** Returns the recorded decisions on pending calls. */
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
