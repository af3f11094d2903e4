import type { Budget } from "../../execution/budget.ts";
import { timeLeft } from "../../execution/ledger.ts";
import type { StopReason, StopSignal } from "../../execution/stop.ts";
import type { Work } from "./work.ts";

/** A signal that aborts with the turn, or when the budget's time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** What the budget has run out of, if it has. */
  reached(): StopSignal | undefined;
  stop(): void;
}

/** Holds what is in flight to the active seconds and the deadline that are left. */
export function timeLimit(work: Work): TimeLimit {
  const { ledger, turn, reply } = work;
  const left = timeLeft({ ...ledger, limits: limitsOf(work) }, turn.runtime.clock.now());
  const over = new AbortController();
  let reached: StopSignal | undefined;
  const end = (): void => {
    reached = left?.signal;
    over.abort();
  };
  const stopped = new AbortController();
  // The sleep rejects only when the limit is stopped.
  if (left !== undefined) turn.runtime.clock.sleep(left.ms, stopped.signal).then(end, () => {});
  return { signal: AbortSignal.any([reply.signal, over.signal]), reached: () => reached, stop: () => stopped.abort() };
}

/** The limits of time that count for the step at work: somebody may have asked for it in spite of them. */
function limitsOf({ ledger, execution }: Work): Budget {
  const { seconds, deadline } = ledger.limits;
  const { continuation } = execution.execution;
  const counts = (reason: StopReason): boolean => continuation?.waives.includes(reason) !== true;
  return {
    ...(seconds !== undefined && counts("time_limit") ? { seconds } : {}),
    ...(deadline !== undefined && counts("deadline") ? { deadline } : {}),
  };
}
