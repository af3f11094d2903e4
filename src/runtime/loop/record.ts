import { decodeEvent } from "../../session/upcast.ts";
import type { Event, EventOf, PendingCall, ToolCall, ToolData, TurnData } from "../../session/event.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";

type Called = Extract<ToolData, { type: "called" }>;
export type Returned = Extract<ToolData, { type: "returned" }>;

/** A call as the log has it. */
export interface CallRecord {
  readonly call: ToolCall;
  called?: Called;
  returned?: Returned;
  /** Its result has entered the state. */
  merged: boolean;
  /** It asked somebody something, and was left there: it may be run again. */
  suspended: boolean;
}

/** A step as the log has it. */
export interface StepRecord {
  readonly data: Extract<TurnData, { type: "step" }>;
  readonly ended_at: number;
  text: string;
  readonly calls: CallRecord[];
}

/** What earlier attempts, or the time before a pause, have put on record. */
export interface ReplyRecord {
  readonly steps: readonly StepRecord[];
  /** All of the turn's own events, in order. */
  readonly events: readonly Event[];
  readonly pending: readonly PendingCall[];
}

const nothing: ReplyRecord = { steps: [], events: [], pending: [] };

/** A turn as far as its record goes: the worker's, or that of a process that ends it. */
export interface RecordedTurn {
  readonly runtime: Pick<RuntimeContext, "store">;
  readonly claim: Pick<Claim, "session_id" | "turn">;
  readonly loaded: Pick<LoadedSession, "journal">;
}

/** Reads what a turn has on record; nothing, and without a read, for a turn that has asked no model yet. */
export async function recordOf({ claim, loaded, runtime }: RecordedTurn): Promise<ReplyRecord> {
  const [first] = loaded.journal;
  if (first === undefined || !loaded.journal.some(({ data }) => data["type"] !== "started" && data["type"] !== "stage")) return nothing;
  const { session_id, turn: row } = claim;
  const events: Event[] = [];
  for await (const stored of eventsOf(runtime.store, {
    session_id,
    min_offset: first.offset,
    kinds: ["message", "tool", "turn"],
    trace_id: row.trace_id,
  }))
    if (stored.turn_id === row.turn_id) events.push(decodeEvent(stored));
  return readRecord(events);
}

/** Puts a turn's events together. */
export function readRecord(events: readonly Event[]): ReplyRecord {
  const steps: StepRecord[] = [];
  const calls = new Map<string, CallRecord>();
  let pending: readonly PendingCall[] = [];
  for (const event of events) {
    if (event.kind === "turn" && event.data.type === "step") steps.push({ data: event.data, ended_at: event.created_at, text: "", calls: [] });
    else if (event.kind === "turn" && event.data.type === "merged") for (const id of event.data.calls) note(calls, id, { merged: true });
    else if (event.kind === "turn" && event.data.type === "paused") {
      pending = event.data.pending;
      // A call that waits for an approval has not begun: it is asked about again, and only what was decided lets it run.
      const begun = pending.filter(({ kind, child }) => kind === "question" || child !== undefined);
      // A question of a child agent is named by the call that it works for, and its own.
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
