/** Stop reasons with priorities, and the signals that carry them. */
import type { JsonObject } from "../kernel/json.ts";

/** Stop reasons by priority (0 wins). A forced stop ends the execution as `stopped`; others let it end as `completed`. */
export const stopReasons = {
  error_forbade: { priority: 0, forced: true },
  stop_requested: { priority: 1, forced: true },
  steps_limit: { priority: 2, forced: true },
  token_limit: { priority: 3, forced: true },
  time_limit: { priority: 4, forced: true },
  cost_limit: { priority: 5, forced: true },
  deadline: { priority: 6, forced: true },
  attempts_limit: { priority: 7, forced: true },
  retry_limit: { priority: 8, forced: true },
  finish_reason: { priority: 9, forced: false },
  user_requested: { priority: 10, forced: true },
  completed: { priority: 11, forced: false },
  unknown: { priority: 12, forced: true },
} as const;

/** A stop reason. */
export type StopReason = keyof typeof stopReasons;

/** A request to end an execution. It is data, not control flow. */
export interface StopSignal {
  readonly reason: StopReason;
  /** One sentence with the values seen, such as `3 of 3 steps`. */
  readonly message: string;
  /** The requester: a stage, a hook, a limit, or a human. */
  readonly source?: string;
  readonly context?: JsonObject;
}

/** Tells whether a signal ends the execution as `stopped`. */
export const isForced = (signal: StopSignal): boolean => stopReasons[signal.reason].forced;

/** Returns the winning signal: the lowest priority number, and on a tie the earliest. Returns undefined without signals. */
export function highestSignal(signals: readonly StopSignal[]): StopSignal | undefined {
  let highest: StopSignal | undefined;
  for (const signal of signals) {
    if (highest === undefined || stopReasons[signal.reason].priority < stopReasons[highest.reason].priority) highest = signal;
  }
  return highest;
}

/** Returns the signals that a continuation does not waive. */
export const standing = (
  signals: readonly StopSignal[],
  continuation: { readonly waives: readonly StopReason[] } | undefined,
): readonly StopSignal[] => (continuation === undefined ? signals : signals.filter(({ reason }) => !continuation.waives.includes(reason)));
