/** One call of a tool: its tries, its questions, and its entries in the log. */
import { withResult } from "../../execution/from-log.ts";
import type { TraceHeaders } from "../../extension/port.ts";
import { abortable } from "../../kernel/deadline.ts";
import { type ErrorInfo, seen, ThroughlineError } from "../../kernel/error.ts";
import { executionIdOf } from "../../kernel/id.ts";
import { type Json, type JsonObject, notJson, present } from "../../kernel/json.ts";
import { type Control, controlOf } from "../../session/control.ts";
import type { PendingCall, ToolResult } from "../../session/event.ts";
import { newEvent } from "../../session/new-event.ts";
import { applyDelta } from "../../state/apply.ts";
import type { StateDefinition } from "../../state/define.ts";
import { keptOf, resultOf } from "../../tools/results.ts";
import type { SharedState, Tool, ToolContext } from "../../tools/tool.ts";
import type { AnyState } from "../turn/journal.ts";
import { ask, handedTo } from "../turn/stages.ts";
import { fieldsOf } from "../turn/thrown.ts";
import { changed, expiryOf, hashStored, type Known, plain, rejection } from "./prepare.ts";
import type { OpenCall } from "./record.ts";
import { note, raise, stateFor, type TimeLimit, type Work } from "./work.ts";

/** Maximum length of a thrown error's text for the model and the log. */
const textLimit = 2_000;

/** Returns the idempotency key of a call for external services. It is the same however often the call is repeated. */
export const keyOf = ({ turn }: Work, { call }: OpenCall): string => `${executionIdOf(turn.claim.turn.turn_id)}.${call.call_id}`;

/** Records the start of a call, with the effects that the tool declares at that time. */
export function noteCalled(work: Work, call: OpenCall, tool: Tool): void {
  const { call_id, name } = call.call;
  call.called = tool.effects;
  const data = { type: "called", call_id, name, arguments: call.arguments, key: keyOf(work, call), effects: tool.effects } as const;
  note(work, newEvent("tool", "ai_agent", data, { turn: work.turn.claim.turn.number }));
}

/** Records the result of a call, once. If its start is not recorded, records that too. */
export function noteReturned(work: Work, call: OpenCall, result: ToolResult): void {
  if (call.started && call.called === undefined && call.tool !== undefined) noteCalled(work, call, call.tool);
  call.recorded = true;
  const { call_id } = call.call;
  const { ms, child, spent, control, reused_from } = call;
  const also = { ...(child && { child }), ...(spent && { spent }), ...(control && { control }), ...present({ reused_from }) };
  const data = { type: "returned", call_id, result, ...(ms === 0 ? {} : { ms }), ...also } as const;
  const ran = call.called === undefined ? undefined : call.arguments;
  work.execution = withResult(work.execution, data, { at: work.turn.runtime.clock.now(), ran });
  if (control !== undefined) ask(work.turn, control);
  note(work, newEvent("tool", "ai_agent", data, { turn: work.turn.claim.turn.number }));
}

/** Inputs of a running call. */
export interface Going {
  readonly known: Known;
  readonly limit: TimeLimit;
  /** Headers of the trace for requests of the tool. */
  readonly headers?: TraceHeaders;
}

/** How a call ended: with a result, and the reason if the result cannot be stored unchanged, or with questions that it waits for. */
export type Ran =
  | { readonly result: ToolResult; readonly not_stored?: ErrorInfo; readonly control?: Control }
  | { readonly pending: readonly PendingCall[] };

/** Tries a call as often as its tool allows. */
export async function tryCall(work: Work, call: OpenCall, { known, limit, headers = {} }: Going): Promise<Ran> {
  const { tool } = call;
  if (tool === undefined) throw new ThroughlineError("internal");
  const most = tool.effects === "once" ? 1 : tool.retry.tries;
  for (let attempt = 1; ; attempt++) {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(timeout(tool)), Math.min(tool.timeoutMs, 2 ** 31 - 1));
    try {
      return await tryOnce(work, call, { attempt, known, tool, headers, signal: AbortSignal.any([limit.signal, over.signal]) });
    } catch (error) {
      // An error from a tool must not look like the loss of the turn. Only the turn's own signal means that.
      work.turn.signal.throwIfAborted();
      reportTool(work, { tool, call, attempt, error, limit });
      if (attempt >= most || limit.signal.aborted || ThroughlineError.is(error, "tool.rejected", "tool.output_invalid"))
        return { result: failure(work, tool, { error, limit }) };
      // The delay also ends when the budget's time runs out.
      await work.turn.runtime.clock.sleep(tool.retry.backoffMs * 2 ** (attempt - 1), limit.signal).catch(() => {});
      if (limit.signal.aborted) return { result: failure(work, tool, { error, limit }) };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Logs what a tool threw. A rejection and the end of the budget's time are no errors of the tool. */
export function reportTool(
  { turn }: Work,
  {
    tool,
    call,
    attempt,
    error,
    limit,
  }: { readonly tool: Tool; readonly call: OpenCall; readonly attempt: number; readonly error: unknown; readonly limit: TimeLimit },
): void {
  if (limit.signal.aborted || ThroughlineError.is(error, "tool.rejected")) return;
  const { code } = ThroughlineError.from(error, "tool.failed");
  const again = attempt > 1 ? { attempt } : {};
  turn.runtime.logger.warn("tool failed", { ...fieldsOf(turn), tool: tool.name, call_id: call.call.call_id, ...again, code }, error);
}

const timeout = (tool: Tool): ThroughlineError =>
  new ThroughlineError("timeout", `Tool "${tool.name}" took longer than ${tool.timeoutMs} ms.`, { details: { tool: tool.name, ms: tool.timeoutMs } });

/** Makes one try. An unanswered question ends it, and the try does not wait for the tool's later actions. */
async function tryOnce(
  work: Work,
  call: OpenCall,
  {
    attempt,
    known,
    tool,
    headers,
    signal,
  }: { readonly attempt: number; readonly known: Known; readonly tool: Tool; readonly headers: TraceHeaders; readonly signal: AbortSignal },
): Promise<Ran> {
  const { call_id } = call.call;
  const questioned = Promise.withResolvers<Ran>();
  const left = new AbortController();
  let index = 0;
  const interrupt = async (question: Json): Promise<Json> => {
    const decided = known.decisionOn(call_id, (index += 1));
    if (decided?.decision.type === "answer") return decided.decision.answer;
    if (decided !== undefined) throw rejected(decided.decision);
    questioned.resolve({ pending: [questionOf(work, call, { question, index, tool })] });
    left.abort(new ThroughlineError("aborted", "The call waits for an answer, and runs again with it."));
    return new Promise<never>(() => {});
  };
  const { face, written } = stateFace(work.turn.agent.state, stateFor(work, tool));
  const reporting = reportProgress(work, call);
  const context = contextOf(work, call, {
    attempt,
    state: tool.takesState ? face : face.data,
    signal: left.signal,
    interrupt,
    progress: (progress) => reporting.report(progress),
    traceHeaders: headers,
  });
  // Detached afterwards: a tool that has finished must not see an abort when the turn ends later.
  const follow = (): void => left.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener("abort", follow, { once: true });
  const running = Promise.resolve().then(() => tool.execute(call.live, context as ToolContext<never>));
  const ran = running.finally(() => signal.removeEventListener("abort", follow)).then((value): Ran => ranWith(work, tool, value));
  const settled = await Promise.race([questioned.promise, abortable(ran, signal)]).finally(() => reporting.end());
  if ("result" in settled && tool.takesState) call.written = [...written];
  if ("pending" in settled) running.catch(() => {});
  return settled;
}

/** Returns the tool's result and its control requests for the turn. */
function ranWith({ turn }: Work, tool: Tool, returned: unknown): Ran {
  const {
    result,
    control: { reply, ...control },
  } = controlOf(returned);
  const also = Object.keys(control).length === 0 ? {} : { control };
  const definition = turn.agent.state;
  try {
    if (reply !== undefined)
      throw new ThroughlineError("tool.output_invalid", `Tool "${tool.name}" returned a reply, which only a stage can.`, {
        details: { tool: tool.name },
      });
    return { result: resultOf(tool, result, definition), ...also };
  } catch (error) {
    if (tool.effects === "none") throw error;
    // The call was made even if its output is invalid. A model that reads an error would repeat it.
    const { not_stored, ...kept } = keptOf(tool, result, { error, definition });
    return { result: kept, ...present({ not_stored }), ...also };
  }
}

function rejected(decision: Parameters<typeof rejection>[0]): ThroughlineError {
  const result = rejection(decision);
  return new ThroughlineError("tool.rejected", result.type === "blocked" ? result.reason : undefined);
}

function questionOf(
  work: Work,
  open: OpenCall,
  { question, index, tool }: { readonly question: Json; readonly index: number; readonly tool: Tool },
): PendingCall {
  const wrong = notJson(question);
  if (wrong !== undefined) throw new ThroughlineError("json.invalid", `The question of tool "${tool.name}" is not JSON.`);
  const { call_id, name } = open.call;
  const arguments_hash = hashStored(work, open.arguments);
  const expires_at = expiryOf(tool, work.turn.runtime.clock);
  return { call_id, name, kind: "question", question, index, arguments_hash, by: tool.name, expires_at, ...changed(open) };
}

/** Milliseconds between two reports of a call. */
const progressMs = 100;
/** Maximum length of a report as JSON. */
const progressLimit = 65_536;

/** Shows a call's progress to readers: the first report at once, later ones as the newest of each interval. */
function reportProgress(work: Work, { call: { call_id, name } }: OpenCall): { readonly report: (progress: Json) => void; readonly end: () => void } {
  const ended = new AbortController();
  let isQuiet = true;
  let isRefused = false;
  let newest: Json | undefined;
  const show = async (): Promise<void> => {
    isQuiet = false;
    while (newest !== undefined && !ended.signal.aborted) {
      work.started({ call_id, name, progress: newest });
      newest = undefined;
      await work.turn.runtime.clock.sleep(progressMs, ended.signal).catch(() => {});
    }
    isQuiet = true;
  };
  return {
    report: (progress) => {
      if (ended.signal.aborted) return;
      const text = textOfProgress(progress);
      if (text !== undefined && text.length <= progressLimit) {
        // A copy: the tool may go on changing its object.
        newest = JSON.parse(text) as Json;
        if (isQuiet) void show();
      } else if (!isRefused) {
        // Once per try. It never throws: the call may have taken effect, and its result counts.
        isRefused = true;
        const why = text === undefined ? "It is not JSON." : `It has ${text.length} characters, ${progressLimit} at most.`;
        work.turn.runtime.logger.warn("progress not shown", { ...fieldsOf(work.turn), tool: name, call_id, why });
      }
    },
    end: () => ended.abort(),
  };
}

/** Returns a report as text, or undefined if it is not JSON. A getter of it may throw. */
function textOfProgress(progress: unknown): string | undefined {
  try {
    return notJson(progress) === undefined ? JSON.stringify(progress) : undefined;
  } catch {
    return undefined;
  }
}

function contextOf(
  work: Work,
  call: OpenCall,
  given: Pick<ToolContext<unknown>, "attempt" | "state" | "signal" | "interrupt" | "progress" | "traceHeaders">,
): ToolContext<unknown> {
  const { session_id, turn } = work.turn.claim;
  const { resources } = work.turn.runtime;
  const { values: variables } = work.turn.variables;
  const handed = handedTo(work.turn, { step_id: work.open?.step_id });
  return { ...handed, call_id: call.call.call_id, key: keyOf(work, call), resources, session_id, turn_id: turn.turn_id, variables, ...given };
}

/** Returns the result of a call that threw, timed out or was aborted. */
export function failure(work: Work, tool: Tool, { error, limit }: { readonly error: unknown; readonly limit: TimeLimit }): ToolResult {
  work.turn.signal.throwIfAborted();
  const cut = limit.signal.aborted;
  const reached = limit.reached();
  if (reached !== undefined && !work.execution.execution.signals.includes(reached)) raise(work, reached);
  // The call started, and its outcome cannot be determined.
  if (tool.effects === "once" && (cut || ThroughlineError.is(error, "timeout", "tool.lost", "tool.output_invalid"))) {
    // An unreadable response is a defect of the service or the tool. The result does not describe it.
    if (ThroughlineError.is(error, "tool.output_invalid"))
      work.turn.runtime.logger.error("tool result not read", { tool: tool.name, code: error.code, why: error.message });
    return { type: "unknown" };
  }
  if (cut) return { type: "skipped", reason: "The time of the budget ended while this call was running; its result is not used." };
  return { type: "error", error: thrown(tool, error) };
}

/** What the model reads with an error of a call that must happen at most once: a lost answer looks like any other error. */
const doubt = "The call may have taken effect before this error. Do not repeat it without asking.";

/** Returns the error for the model and the log: its message, without the stack. A `ThroughlineError` is the tool's statement that it knows what happened. */
function thrown(tool: Tool, error: unknown): ErrorInfo {
  if (ThroughlineError.is(error)) return plain(error);
  const details = { tool: tool.name, ...(tool.effects === "once" ? { doubt } : {}) };
  return plain(new ThroughlineError("tool.failed", textOf(error).slice(0, textLimit) || `Tool "${tool.name}" failed.`, { details }));
}

/** Returns a thrown value as text. Any value can be thrown, including one without a text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return seen(thrown);
  }
}

/** Returns the state for a tool that takes it, and the list of the tool's writes. Other code sees the writes only after the call. */
export function stateFace(definition: StateDefinition, state: AnyState): { readonly face: SharedState; readonly written: readonly JsonObject[] } {
  let current = state;
  const written: JsonObject[] = [];
  const valueOf = (name: string): unknown => (current as Readonly<Record<string, unknown>>)[name];
  const face = {
    get data(): AnyState {
      return current;
    },
    get: (name: string, fallback?: unknown): unknown => (Object.hasOwn(current, name) ? valueOf(name) : fallback),
    has: (name: string): boolean => Object.hasOwn(current, name),
    set(name: string, update: unknown): void {
      // A delta may hold values that are not JSON, such as an override. It is applied and never stored.
      const delta = { [name]: update } as JsonObject;
      current = applyDelta(definition, current, delta).state;
      written.push(delta);
    },
  };
  // Its types come from the definition, which the caller knows and this function does not.
  return { face: face as unknown as SharedState, written };
}
