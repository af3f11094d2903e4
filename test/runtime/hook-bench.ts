import { z } from "zod";
import { createAgentState, inPhase, type AgentStateIn } from "../../packages/throughline/src/execution/agent-state.ts";
import { createLedger } from "../../packages/throughline/src/execution/ledger.ts";
import { stepsOf } from "../../packages/throughline/src/execution/read.ts";
import type { ClosedStep, StopSignal } from "../../packages/throughline/src/execution/step.ts";
import {
  beginExecution,
  closeStep,
  finishExecution,
  openStep,
  recordResponse,
  requestStop,
} from "../../packages/throughline/src/execution/transitions.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { ExecutionId } from "../../packages/throughline/src/kernel/id.ts";
import type { FinishReason, ModelRequest } from "../../packages/throughline/src/model/model-port.ts";
import type { TurnInfo } from "../../packages/throughline/src/extension/stage.ts";
import { hook, type Hook } from "../../packages/throughline/src/runtime/hooks/hook.ts";
import { createHooks, type Hooks } from "../../packages/throughline/src/runtime/hooks/run-hooks.ts";
import { applyDelta } from "../../packages/throughline/src/state/apply.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { decodeState, initialState } from "../../packages/throughline/src/state/document.ts";
import { input, reduced } from "../../packages/throughline/src/state/field.ts";
import { beginTurn } from "../../packages/throughline/src/state/state-turn.ts";

export const state = defineState({ message: input(z.string()), count: reduced(z.number(), { initial: 0 }), seen: reduced(z.array(z.string())) });
export const request: ModelRequest = {
  sections: [],
  messages: [{ role: "user", text: "hi" }],
  tools: [{ name: "add", description: "Adds.", parameters: {} }],
};
export const call = { call_id: "c1", name: "add", arguments: { a: 1 } };
export const answer = {
  text: "Hello",
  calls: [call],
  usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 },
  finish_reason: "stop",
} as const;
export const ok = { type: "ok", value: 3 } as const;
const at = { at: 0 };
export const running: AgentStateIn<"running"> = beginExecution(createAgentState({ agent_id: "desk", ...at }), {
  execution_id: "exe_1" as ExecutionId,
  ...at,
});
export const done: AgentStateIn<"done"> = finishExecution(running, at);
/** A step that ended for a reason. */
export function endedFor(finish_reason: FinishReason): ClosedStep {
  const { text, usage } = answer;
  const [closed] = stepsOf(closeStep(recordResponse(openStep(running, at), { text, calls: [], usage, finish_reason }, at), at));
  if (closed === undefined) throw new Error("no step");
  return closed;
}
export const step = endedFor("length");
export const withSignals = (...signals: readonly StopSignal[]): AgentStateIn<"running"> =>
  signals.reduce((state, signal) => inPhase(requestStop(state, signal, at), "go on", "running"), running);

/** Hooks over a state of their own, and what they did to it. */
export function bench(hooks: readonly Hook[], options: { readonly signal?: AbortSignal } = {}) {
  let current = beginTurn(state, decodeState(state, initialState(state)), { input: { message: "hi" } }).state as never;
  const raised: StopSignal[] = [];
  const warned: { readonly message: string; readonly fields: unknown }[] = [];
  const spans: string[] = [];
  const ignored = (): void => {};
  const runner: Hooks = createHooks(hooks, {
    state: () => current,
    budget: () => createLedger({ steps: 3 }),
    info: () => ({ session_id: "ses_1" }) as unknown as TurnInfo,
    place: {},
    resources: { key: "secret" },
    signal: options.signal ?? new AbortController().signal,
    clock: systemClock,
    logger: { debug: ignored, info: ignored, error: ignored, warn: (message, fields) => void warned.push({ message, fields }) },
    observed: (name, point, run) => (spans.push(`hook ${name} at ${point}`), run()),
    apply(_name, writes, delta) {
      current = applyDelta(state, current, delta, { writes }).state as never;
    },
    raise: (signal) => void raised.push(signal),
  });
  return { runner, raised, warned, spans, state: () => current as { readonly count?: number; readonly seen?: readonly string[] } };
}

export const thrown = (work: () => unknown): ThroughlineError => {
  try {
    work();
  } catch (error) {
    if (ThroughlineError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};
export const rejected = (work: Promise<unknown>): Promise<ThroughlineError> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error: unknown) => (ThroughlineError.is(error) ? error : Promise.reject(error)),
  );
/** A hook that the compiler would refuse. */
export const loose = (name: unknown, options: unknown): Hook => hook(name as string, options as never);
