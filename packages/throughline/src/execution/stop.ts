/** Why an execution stops: reasons by priority, and signals that carry them. */
import type { JsonObject } from "../kernel/json.ts";

/**
 * Why an execution may stop, by priority (0 wins). A forced stop ends the execution as `stopped`; the others let it end as `completed`.
 */
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

/** Why an execution may stop. */
export type StopReason = keyof typeof stopReasons;

/** A request to end an execution: data, never control flow. */
export interface StopSignal {
  readonly reason: StopReason;
  /** One sentence with the values seen, such as `3 of 3 steps`. */
  readonly message: string;
  /** Who asked: a stage, a hook, a limit, a person. */
  readonly source?: string;
  readonly context?: JsonObject;
}

/** Whether a signal ends the execution as `stopped`. */
export const isForced = (signal: StopSignal): boolean => stopReasons[signal.reason].forced;

/** The signal that wins: the lowest priority number, the earliest among equals; undefined if there is none. */
export function highestSignal(signals: readonly StopSignal[]): StopSignal | undefined {
  let highest: StopSignal | undefined;
  for (const signal of signals) {
    if (highest === undefined || stopReasons[signal.reason].priority < stopReasons[highest.reason].priority) highest = signal;
  }
  return highest;
}

/** The signals that still count when a continuation waives some of them. */
export const standing = (
  signals: readonly StopSignal[],
  continuation: { readonly waives: readonly StopReason[] } | undefined,
): readonly StopSignal[] => (continuation === undefined ? signals : signals.filter(({ reason }) => !continuation.waives.includes(reason)));
