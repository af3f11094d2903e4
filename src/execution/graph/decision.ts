import { highestSignal, isForced, standing, type StopSignal } from "../stop.ts";
import { agentStepType } from "./agent-step.ts";
import type { AgentState } from "./agent-state.ts";
import { currentStepOrLast } from "./read.ts";

/** Whether another step follows, and what decided it. */
export type ContinuationDecision =
  | { readonly next: "step"; readonly because: "first_step" | "continuation" | "tool_calls" }
  | { readonly next: "stop"; readonly because: "no_execution" | "paused" | "done" | "answered" }
  | { readonly next: "stop"; readonly because: "signal"; readonly signal: StopSignal; readonly forced: boolean };

/** The signals that no continuation waives. */
export function standingSignals({ execution }: AgentState): readonly StopSignal[] {
  if (execution.phase === "idle") return [];
  return standing(execution.signals, execution.continuation);
}

/** The one decision, the same for the same state: a signal that stands stops; a continuation, calls and the very first step go on; text ends it. */
export function continuationOf(state: AgentState): ContinuationDecision {
  const { execution } = state;
  if (execution.phase === "idle") return { next: "stop", because: "no_execution" };
  if (execution.phase !== "running") return { next: "stop", because: execution.phase };
  const signal = highestSignal(standingSignals(state));
  if (signal !== undefined) return { next: "stop", because: "signal", signal, forced: isForced(signal) };
  if (execution.continuation?.pending === true) return { next: "step", because: "continuation" };
  const step = currentStepOrLast(state);
  if (step === undefined) return { next: "step", because: "first_step" };
  if (agentStepType(step) === "tool_execution" || (step.response?.calls.length ?? 0) > 0) return { next: "step", because: "tool_calls" };
  return { next: "stop", because: "answered" };
}

/** Whether no other step follows. */
export const shouldStop = (state: AgentState): boolean => continuationOf(state).next === "stop";

/** The signals and the continuation as text. */
export function explain({ execution }: AgentState): string {
  if (execution.phase === "idle") return "No stop signals; no continuation requested.";
  const { signals, continuation } = execution;
  const raised =
    signals.length === 0 ? "No stop signals" : signals.map(({ reason, message }) => (message === "" ? reason : `${reason}: ${message}`)).join(" | ");
  if (continuation === undefined) return `${raised}; no continuation requested.`;
  const waived = continuation.waives.length === 0 ? "" : ` in spite of ${continuation.waives.join(", ")}`;
  return `${raised}; continuation ${continuation.pending ? "requested" : "granted"}${waived}.`;
}
