/** Merges results of calls into the state, in the order of the calls. Includes recorded results that a turn did not merge. */
import { ThroughlineError, type ErrorInfo } from "../../kernel/error.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { ToolCall } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { turnEvent } from "../../session/new-event.ts";
import { applyDelta } from "../../state/apply.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { LoadedSession, TurnRow } from "../../store/port.ts";
import { deltaOf } from "../../tools/results.ts";
import { readsFrom, useOf } from "../../tools/schedule.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import { Journal, type Contents } from "../turn/journal.ts";
import { causesAt, openState, transientOf } from "../turn/open-turn.ts";
import { type FailedAt, fieldsOf } from "../turn/thrown.ts";
import { noteReturned } from "./call.ts";
import { loopSettings } from "./loop-settings.ts";
import { openStepOf, recordOf, type OpenCall, type OpenStep, type RecordedTurn } from "./record.ts";
import { noteTurn, type Work } from "./work.ts";

/** Returns the deltas that a result writes to the state. Throws if it does not fit. */
export function deltasOf(
  definition: StateDefinition,
  { tool, result, written }: Pick<OpenCall, "tool" | "result" | "written">,
): readonly JsonObject[] {
  if (tool === undefined || result?.type !== "ok" || result.not_stored !== undefined) return [];
  const made = deltaOf(tool, result.value, definition);
  return [...written, ...(Object.keys(made).length === 0 ? [] : [made])];
}

/**
 * Records the result of a call. First tests its writes on the state with the other results that will be merged. A rejected result is kept in full and
 * marked, so that the model learns that the call was made.
 */
export function noteResult(work: Work, open: OpenStep, call: OpenCall): void {
  const { result } = call;
  if (result === undefined) return;
  const refused = result.type === "ok" && result.not_stored === undefined ? refusal(work, open, call) : undefined;
  const not_stored = result.type === "ok" ? (result.not_stored ?? refused?.toJSON()) : undefined;
  const kept = result.type === "ok" && not_stored !== undefined ? { ...result, not_stored } : result;
  call.result = kept;
  if (not_stored !== undefined) {
    call.written = [];
    logNotStored(work.turn, call.call, not_stored, refused);
  }
  noteReturned(work, call, kept);
  if (call.tool?.takesState === true) merge(work, open, [call]);
}

/** Returns the reason why the state rejects a result, or undefined if it accepts it. */
function refusal(work: Work, open: OpenStep, call: OpenCall): ThroughlineError | undefined {
  const definition = work.turn.agent.state;
  let state = work.turn.journal.state;
  const enter = (one: OpenCall): void => {
    for (const delta of deltasOf(definition, one)) state = applyDelta(definition, state, delta).state;
  };
  for (const other of open.calls) {
    if (other === call || other.merged || !other.recorded) continue;
    try {
      enter(other);
    } catch {
      // Its own merge reports this error.
    }
  }
  try {
    enter(call);
    return undefined;
  } catch (error) {
    return refusedBy(call, error);
  }
}

/** Logs that a result is not stored, without the output of the call. The cause is a defect of the tool, the schema or a reducer. */
function logNotStored(
  turn: FailedAt & { readonly runtime: RuntimeContext },
  { call_id, name }: Pick<ToolCall, "call_id" | "name">,
  { code, details }: Pick<ErrorInfo, "code" | "details">,
  thrown: unknown,
): void {
  const path = details?.["path"];
  turn.runtime.logger.error("result not stored", { ...fieldsOf(turn), tool: name, call_id, code, ...present({ path }) }, thrown);
}

function refusedBy({ call }: OpenCall, error: unknown): ThroughlineError {
  if (ThroughlineError.is(error, "tool.output_invalid")) return error;
  const why = ThroughlineError.is(error) ? error.message : "a function of the state threw.";
  return new ThroughlineError("tool.output_invalid", `The result of "${call.name}" does not fit the state: ${why}`, { cause: error });
}

/**
 * Merges results into the state in the order of their calls. A result waits for an earlier unfinished call that writes the same field, so that the
 * last in order wins. It does not wait if one of the calls in `next` reads it.
 */
export function mergeReady(work: Work, open: OpenStep, next: readonly OpenCall[]): void {
  const ready: OpenCall[] = [];
  const readers = next.map(useOf);
  const behind: string[] = [];
  for (const call of open.calls) {
    if (call.merged) continue;
    const use = useOf(call);
    const waits = use.writes.some((field) => behind.includes(field)) && !readers.some((reader) => readsFrom(reader, use));
    if (call.result === undefined || waits) behind.push(...use.writes);
    else ready.push(call);
  }
  if (ready.length > 0) merge(work, open, ready);
}

/** Merges all remaining results into the state, because no other call of the step will return. */
export function mergeLeft(work: Work, open: OpenStep): void {
  for (const call of open.calls) call.tool ??= work.settings.tools.find(({ name }) => name === call.call.name);
  const left = open.calls.filter(({ merged, result }) => !merged && result !== undefined);
  if (left.length > 0) merge(work, open, left);
}

function merge(work: Work, open: OpenStep, calls: readonly OpenCall[]): void {
  const { journal } = work.turn;
  for (const call of calls) {
    if (!call.recorded && call.result !== undefined) noteReturned(work, call, call.result);
    const deltas = deltasOf(work.turn.agent.state, call);
    const { name, call_id } = call.call;
    try {
      if (deltas.length > 0) journal.applyAll({ type: "tool", name, call_id }, deltas);
    } catch (error) {
      // The result was valid when it was returned, but the state has changed since. Nothing is written, and the value stays in the log.
      logNotStored(work.turn, call.call, ThroughlineError.from(error, "tool.output_invalid"), error);
    }
    call.merged = true;
  }
  noteTurn(work, { type: "merged", step_id: open.step_id, calls: calls.map(({ call }) => call.call_id), ms: Math.round(work.activeMs) });
  work.activeMs = 0;
}

/** Merges the recorded results of a turn into its state, in the order of the calls. A result that does not fit is logged and left out. */
export async function mergeRecorded(
  turn: RecordedTurn & { readonly runtime: RuntimeContext; readonly agent: Agent; readonly journal: Journal },
): Promise<void> {
  const { agent, journal, claim } = turn;
  const tools = loopSettings(agent.reply)?.tools ?? [];
  const { steps } = await recordOf(turn);
  const last = steps.at(-1);
  if (last === undefined) return;
  const { step_id, calls } = openStepOf(last, steps.length);
  const left = calls.filter(({ result, merged }) => result !== undefined && !merged);
  for (const call of left) {
    const { name, call_id } = call.call;
    try {
      const deltas = deltasOf(agent.state, { ...call, tool: tools.find((tool) => tool.name === name) });
      if (deltas.length > 0) journal.applyAll({ type: "tool", name, call_id }, deltas);
    } catch (error) {
      logNotStored(turn, call.call, ThroughlineError.from(error, "tool.output_invalid"), error);
    }
  }
  if (left.length > 0) journal.add(turnEvent(claim.turn.number, { type: "merged", step_id, calls: left.map(({ call }) => call.call_id), ms: 0 }));
}

/** Returns the recorded results that the commit must write when it ends a running turn from outside. Undefined if there are none. */
export async function leftOver(runtime: RuntimeContext, loaded: LoadedSession, row: TurnRow): Promise<Contents | undefined> {
  const agent = runtime.agents.get(loaded.session.agent);
  const { session_id, epoch, agent_version } = loaded.session;
  // Another version of the agent cannot know the writes of these results.
  if (agent?.version !== agent_version || loopSettings(agent.reply) === undefined) return undefined;
  const entries = loaded.journal.map((stored) => decodeEvent(stored)).filter((event) => event.kind === "turn");
  const { document, weight } = foldState(loaded);
  const answers = entries.flatMap(({ data }) => (data.type === "started" ? data.answers : []));
  const state = openState(agent, document, { causes: await causesAt(runtime, loaded, answers), patches: transientOf(entries) });
  const claim = { session_id, epoch, turn: row };
  const journal = new Journal({ runtime, claim, agent, loaded, state, weight });
  await mergeRecorded({ runtime, claim, loaded, agent, journal });
  const contents = journal.contents();
  return contents.events.length === 0 ? undefined : contents;
}
