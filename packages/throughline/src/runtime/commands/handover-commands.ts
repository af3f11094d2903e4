/** Hands a session to operators and back to its agent. */
import { invalidAt } from "../../extension/failure.ts";
import { historyPart } from "../../context/section.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";
import { checkMembers } from "../../kernel/preconditions.ts";
import { checkPerson, checkedHandover, type HandoverGiven } from "../../session/control.ts";
import { type Command, decide } from "../../session/decide-command.ts";
import { foldState } from "../../session/fold.ts";
import { summaryIn } from "../../session/session-history.ts";
import { viewOf } from "../../session/session-view.ts";
import type { LoadedSession } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { checkText } from "../turn/receive.ts";
import { editOf } from "./edit.ts";
import { append, appendEnding, type Done, drive, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";

/** The acting operator, for the log. */
interface Doing extends IdempotencyOptions {
  /** The integration's id of an operator: 1 to 200 characters. */
  readonly by?: string;
}

/** Options of a handover. */
export interface HandOverOptions extends Doing, HandoverGiven {}

/** Options of an assignment. */
export interface AssignOptions extends Doing {
  readonly operator: string;
  /** The operator who has the session now, if there is one. The session is taken from them. */
  readonly from?: string;
}

/** Options for returning a session to the queue. */
export interface UnassignOptions extends Doing {
  /** Only if this operator has the session. Defaults to any operator. */
  readonly from?: string;
}

/** Data for the agent when a session is handed back. */
export interface HandBackOptions extends Doing {
  /** Summary of the events in between. It extends the agent's summary of the conversation. Without such a summary the model reads it as an event. */
  readonly summary?: string;
  /** A delta for the state, as `edit` takes it. */
  readonly state?: JsonObject;
  /** Runs a turn immediately. Otherwise the agent stays silent until the next message. */
  readonly resume?: boolean;
}

/** Returns the command that hands over the current session. */
const handingOver =
  ({ runtime }: Handle, given: HandoverGiven, by?: string) =>
  (): Command => ({
    type: "hand_over",
    given,
    at: runtime.clock.now(),
    trace_id: runtime.ids.trace(),
    ...present({ by }),
  });

/** Hands a session to operators. A running turn is cancelled before its reply. If the session is already handed over, the new information is added. */
export async function handOver(handle: Handle, options: HandOverOptions): Promise<Done> {
  checkMembers(options, ["operator", "reason", "alert", "by", "idempotencyKey"], "handOver");
  const given = checkedHandover(options);
  checkPerson("by", options.by);
  const idempotency = idempotencyOf(options, "hand_over", { ...given, by: options.by });
  return appendEnding(handle, handingOver(handle, given, options.by), { idempotency, reason: new ThroughlineError("session.manual") });
}

/** Hands a session to operators or back. Changes nothing if the mode is already set. */
export async function setMode(handle: Handle, mode: "auto" | "manual", options: IdempotencyOptions): Promise<Done> {
  const { runtime } = handle;
  const command = (): Command => ({ type: "set_mode", mode, at: runtime.clock.now(), trace_id: runtime.ids.trace() });
  const idempotency = idempotencyOf(options, "set_mode", { mode });
  return appendEnding(handle, command, { idempotency, reason: new ThroughlineError("session.manual") });
}

/** Assigns a handed-over session to an operator. */
export async function assign(handle: Handle, options: AssignOptions): Promise<Done> {
  checkMembers(options, ["operator", "from", "by", "idempotencyKey"], "assign");
  const { operator, from, by } = options;
  if (operator === undefined) throw invalidAt("handover.invalid", "operator", "Assigning a session needs an operator, got none.");
  for (const [path, person] of Object.entries({ operator, from, by })) checkPerson(path, person);
  const { clock, ids } = handle.runtime;
  const idempotency = idempotencyOf(options, "assign", { operator, from, by });
  return append(handle, { type: "assign", operator, from, by, at: clock.now(), trace_id: ids.trace() }, idempotency);
}

/** Returns an assigned session to the queue. */
export async function unassign(handle: Handle, options: UnassignOptions): Promise<Done> {
  checkMembers(options, ["from", "by", "idempotencyKey"], "unassign");
  const { from, by } = options;
  for (const [path, person] of Object.entries({ from, by })) checkPerson(path, person);
  return append(handle, { type: "unassign", from, by, trace_id: handle.runtime.ids.trace() }, idempotencyOf(options, "unassign", { from, by }));
}

/** Hands a session back. Mode, state, summary and the next turn are one commit. */
export async function handBack(handle: Handle, options: HandBackOptions): Promise<Done> {
  checkMembers(options, ["summary", "state", "resume", "by", "idempotencyKey"], "handBack");
  const { summary, state, resume = false, by } = options;
  if (summary !== undefined) checkText(summary);
  checkPerson("by", by);
  if (typeof resume !== "boolean") throw invalidAt("handover.invalid", "resume", `resume is true or false, got ${seen(resume)}.`);
  if (state !== undefined && !isPlainObject(state))
    throw invalidAt("handover.invalid", "state", `A change of the state is an object, got ${seen(state)}.`);
  const { runtime } = handle;
  const command = (loaded: LoadedSession): Command => {
    const briefing = summary === undefined ? {} : briefingOf(runtime, loaded, { summary, state });
    const delta = { ...state, ...briefing.delta };
    const trace_id = runtime.ids.trace();
    const writer = { type: "operator", ...present({ name: by }) } as const;
    const edited = Object.keys(delta).length === 0 ? {} : decide(viewOf(loaded), { ...editOf(runtime, loaded, delta), writer });
    return { type: "hand_back", trace_id, by, edited, resume, ...present({ note: briefing.note }) };
  };
  const idempotency = idempotencyOf(options, "hand_back", { summary, state, resume, by });
  const done = await append(handle, command, idempotency);
  if (resume) drive(handle);
  return done;
}

/**
 * Returns how the agent learns of the events during the handover. The part that its summary covers stays unchanged, because the conversation after it
 * contains the operators' messages.
 */
function briefingOf(
  runtime: RuntimeContext,
  loaded: LoadedSession,
  { summary, state }: { readonly summary: string; readonly state: JsonObject | undefined },
): { readonly delta?: JsonObject; readonly note?: JsonObject } {
  const { summary: field } = historyPart(agentOf(runtime, loaded.session.agent).sections);
  if (field === undefined || (state !== undefined && Object.hasOwn(state, field))) return { note: { handover_summary: summary } };
  const before = summaryIn(foldState(loaded).document, field);
  return { delta: { [field]: { upto: before?.upto ?? 0, text: before === undefined ? summary : `${before.text}\n\n${summary}` } } };
}
