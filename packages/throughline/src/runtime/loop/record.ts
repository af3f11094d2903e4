/** The logged steps, calls and questions of a turn's reply, as another process finds them when it takes over the turn. */
import { eventsOf } from "../../extension/lists.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { stepIdOf, type SessionId, type StepId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { FinishReason, Usage } from "../../model/model-port.ts";
import type { Control } from "../../session/control.ts";
import { isOfStages } from "../../session/pending-calls.ts";
import type { Event, EventOf, PendingCall, SpentData, ToolCall, ToolData, ToolEffects, ToolResult, TurnData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import type { Tool } from "../../tools/tool.ts";
import type { RuntimeContext } from "../context.ts";

type Called = Extract<ToolData, { type: "called" }>;
export type Returned = Extract<ToolData, { type: "returned" }>;

/** A call in the log. */
export interface CallRecord {
  readonly call: ToolCall;
  called?: Called;
  returned?: Returned;
  /** Whether its result has been merged into the state. */
  merged: boolean;
  /** Whether it stopped at a question. It may then run again. */
  suspended: boolean;
}

/** A step in the log. */
export interface StepRecord {
  readonly data: Extract<TurnData, { type: "step" }>;
  readonly ended_at: number;
  text: string;
  readonly calls: CallRecord[];
}

/** The record of earlier attempts, or of the time before a pause. */
export interface ReplyRecord {
  readonly steps: readonly StepRecord[];
  /** All events of the turn, in order. */
  readonly events: readonly Event[];
  readonly pending: readonly PendingCall[];
}

const nothing: ReplyRecord = { steps: [], events: [], pending: [] };

/** A turn with a record: the worker's turn, or the turn of a process that ends it. */
export interface RecordedTurn {
  readonly runtime: Pick<RuntimeContext, "store">;
  readonly claim: Pick<Claim, "session_id" | "turn">;
  readonly loaded: Pick<LoadedSession, "journal">;
}

/** Reads the record of a turn. If the turn has not called a model yet, returns an empty record without a read. */
export async function recordOf({ claim, loaded, runtime }: RecordedTurn): Promise<ReplyRecord> {
  const [first] = loaded.journal;
  if (first === undefined || loaded.journal.every((stored) => isBeforeReply(decodeEvent(stored)))) return nothing;
  const { session_id, turn: row } = claim;
  const events: Event[] = [];
  for await (const stored of eventsOf(runtime.store, {
    session_id,
    min_offset: first.offset,
    kinds: ["message", "tool", "turn"],
    trace_id: row.trace_id,
  }))
    if (stored.turn_id === row.turn_id) events.push(decodeEvent(stored));
  return readRecord(events.filter((event) => event.kind !== "turn" || !isOfStages(event.data)));
}

/** Whether an event of a turn's journal comes before its reply. */
const isBeforeReply = ({ kind, data }: Event): boolean => kind === "turn" && (data.type === "started" || data.type === "stage" || isOfStages(data));

/** Builds the record from a turn's events. */
export function readRecord(events: readonly Event[]): ReplyRecord {
  const steps: StepRecord[] = [];
  const calls = new Map<string, CallRecord>();
  let pending: readonly PendingCall[] = [];
  for (const event of events) {
    if (event.kind === "turn" && event.data.type === "step") steps.push({ data: event.data, ended_at: event.created_at, text: "", calls: [] });
    else if (event.kind === "turn" && event.data.type === "merged") for (const id of event.data.calls) note(calls, id, { merged: true });
    else if (event.kind === "turn" && event.data.type === "paused") {
      pending = event.data.pending;
      // A call that waits for an approval has not started. It is checked again, and only a recorded decision lets it run.
      const begun = pending.filter(({ kind, child }) => kind === "question" || child !== undefined);
      // The id of a child agent's question consists of the parent's call id and its own.
      for (const { call_id } of begun) note(calls, call_id.split("/")[0] ?? call_id, { suspended: true });
    } else if (event.kind === "tool") {
      if (event.data.type === "called") note(calls, event.data.call_id, { called: event.data, suspended: false });
      else note(calls, event.data.call_id, { returned: event.data });
    } else if (event.kind === "message" && event.data.origin?.is_trace === true) answered(steps, calls, event);
  }
  return { steps, events, pending };
}

function answered(steps: readonly StepRecord[], calls: Map<string, CallRecord>, { data }: EventOf<"message">): void {
  const step = steps.findLast(({ data: { step_id } }) => step_id === data.origin?.step_id);
  if (step === undefined) return;
  step.text = data.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  for (const call of data.calls ?? []) {
    const record: CallRecord = { call, merged: false, suspended: false };
    step.calls.push(record);
    calls.set(call.call_id, record);
  }
}

function note(calls: ReadonlyMap<string, CallRecord>, call_id: string, change: Partial<CallRecord>): void {
  const record = calls.get(call_id);
  if (record !== undefined) Object.assign(record, change);
}

/** A call of the current step, and its progress. */
export interface OpenCall {
  readonly call: ToolCall;
  /** Arguments for the tool: the model's, possibly changed by hooks or an operator. */
  arguments: JsonObject;
  tool: Tool | undefined;
  /** The bound and validated arguments. */
  live: unknown;
  /** The effects recorded with its start. Undefined if no start is recorded, or if it has stopped at a question since. */
  called: ToolEffects | undefined;
  /** Whether an earlier attempt started it with effects and recorded no result. */
  readonly mayHaveRun: boolean;
  /** Whether this attempt has started it. */
  started: boolean;
  /** Whether it stopped at a question. */
  suspended: boolean;
  result: ToolResult | undefined;
  /** Milliseconds that it ran. */
  ms: number;
  /** For a child agent: the number of calls that have yet to receive their share of the budget, including this one. */
  sharing?: number;
  child?: SessionId;
  spent?: SpentData;
  /** Control requests of the call for the turn. */
  control?: Control;
  /** Offset of the result in the session that a fork continues, if the call did not run. */
  reused_from?: number;
  /** Whether its result has been recorded. */
  recorded: boolean;
  merged: boolean;
  /** State writes of a tool that takes the state. */
  written: readonly JsonObject[];
}

/** A step whose model call has ended and whose calls have not. */
export interface OpenStep {
  readonly step_id: StepId;
  readonly index: number;
  readonly text: string;
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
  /** Name of the model that responded. */
  readonly model?: string | undefined;
  readonly started_at: number;
  readonly ended_at: number;
  readonly calls: readonly OpenCall[];
}

/** Returns the result for a model whose arguments could not be parsed. */
function unread(name: string, sent: string): ToolResult {
  const message = `The arguments of ${seen(name)} must be one JSON object, got ${seen(sent)}.`;
  return { type: "error", error: new ThroughlineError("tool.arguments_invalid", message).toJSON() };
}

/** Creates a call from the model's request. If its arguments could not be parsed, it already has its result. */
export const openCall = (call: ToolCall): OpenCall => ({
  call,
  arguments: call.arguments,
  tool: undefined,
  live: undefined,
  called: undefined,
  mayHaveRun: false,
  started: false,
  suspended: false,
  result: call.malformed === undefined ? undefined : unread(call.name, call.malformed),
  ms: 0,
  recorded: false,
  merged: false,
  written: [],
});

/** Restores a step from the log. */
export function openStepOf({ data, ended_at, text, calls }: StepRecord, index: number): OpenStep {
  const { input = 0, output = 0, cache_write = 0, cache_read = 0, reasoning = 0 } = data.usage;
  return {
    step_id: stepIdOf(index),
    index,
    text,
    usage: { input, output, cache_write, cache_read, reasoning },
    finish_reason: data.finish_reason as FinishReason,
    model: data.model,
    started_at: ended_at - data.ms,
    ended_at,
    calls: calls.map(({ call, called, returned, merged, suspended }) => ({
      ...openCall(call),
      arguments: called?.arguments ?? call.arguments,
      called: suspended ? undefined : called?.effects,
      mayHaveRun: called !== undefined && called.effects !== "none" && !suspended && returned === undefined,
      suspended,
      ...(returned === undefined ? {} : { result: returned.result }),
      ms: returned?.ms ?? 0,
      recorded: returned !== undefined,
      merged,
      ...(returned?.child === undefined ? {} : { child: returned.child }),
      ...(returned?.spent === undefined ? {} : { spent: returned.spent }),
      ...(returned?.control === undefined ? {} : { control: returned.control }),
    })),
  };
}
