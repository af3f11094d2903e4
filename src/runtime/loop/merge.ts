import { ThroughlineError } from "../../kernel/error.ts";
import { applyDelta } from "../../state/apply.ts";
import { deltaOf } from "../../tools/results.ts";
import { readsFrom, useOf } from "../../tools/schedule.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { noteReturned } from "./call.ts";
import type { OpenCall, OpenStep } from "./open-step.ts";
import { plain } from "./prepare.ts";
import { noteTurn, type Work } from "./work.ts";

/** What a result writes to the state; throws when it does not fit. */
function deltasOf(work: Work, call: OpenCall): readonly JsonObject[] {
  const { tool, result } = call;
  if (tool === undefined || result?.type !== "ok") return [];
  const made = deltaOf(tool, result.value, work.turn.agent.state);
  return [...call.written, ...(Object.keys(made).length === 0 ? [] : [made])];
}

/**
 * Records the result of a call. What a result would write is tried first: a result that the state does not take is an error that the model is told of.
 */
export function noteResult(work: Work, open: OpenStep, call: OpenCall): void {
  if (call.result === undefined) return;
  try {
    let state = work.turn.journal.state;
    for (const delta of deltasOf(work, call)) state = applyDelta(work.turn.agent.state, state, delta).state;
  } catch (error) {
    call.written = [];
    call.result = { type: "error", error: plain(refusedBy(call, error)) };
  }
  noteReturned(work, call, call.result);
  if (call.tool?.takesState === true) merge(work, open, [call]);
}

function refusedBy({ call }: OpenCall, error: unknown): ThroughlineError {
  if (ThroughlineError.is(error, "tool.output_invalid")) return error;
  const why = ThroughlineError.is(error) ? error.message : String(error);
  return new ThroughlineError("tool.output_invalid", `What "${call.name}" returned does not fit the state: ${why}`, { cause: error });
}

/**
 * Puts results into the state in the order of their calls. A result waits for an earlier call that writes the same field and has not run yet, so that
 * the last in order wins, unless one of the calls that are `next` reads it.
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

function merge(work: Work, open: OpenStep, calls: readonly OpenCall[]): void {
  const { journal } = work.turn;
  for (const call of calls) {
    if (!call.recorded && call.result !== undefined) noteReturned(work, call, call.result);
    const deltas = deltasOf(work, call);
    const { name, call_id } = call.call;
    try {
      if (deltas.length > 0) journal.applyAll({ type: "tool", name, call_id }, deltas);
    } catch (error) {
      // It fitted when it was returned; the state has moved on since. Nothing of it is written, and the log says so by what is not there.
      work.turn.runtime.logger.warn("result not merged", { call_id, code: ThroughlineError.from(error).code });
    }
    call.merged = true;
  }
  noteTurn(work, { type: "merged", step_id: open.step_id, calls: calls.map(({ call }) => call.call_id), ms: Math.round(work.activeMs) });
  work.activeMs = 0;
}
