/** Whether the loop goes on. */
import { exhausted } from "../../execution/ledger.ts";
import { continuationOf, standingSignals } from "../../execution/read.ts";
import type { StopSignal } from "../../execution/stop.ts";
import type { Exit } from "./exit.ts";
import type { Work } from "./work.ts";

/**
 * What ends the execution now; undefined if another step follows. A step that ends the loop ends it whatever is left of the budget, and whatever it was
 * asked for in spite of.
 */
export function stopNow({ execution: state, ledger, turn }: Work, exit: Exit | undefined): StopSignal | undefined {
  const { overrules = [], message } = exit ?? {};
  const signals = state.execution.signals.filter((signal) => !overrules.includes(signal));
  const decision = continuationOf(
    { ...state, execution: { ...state.execution, signals } },
    { answered: message !== undefined, limits: exhausted(ledger, turn.runtime.clock.now()) },
  );
  if (decision.next === "step") return undefined;
  return decision.because === "signal" ? decision.signal : { reason: "completed", message: message ?? "" };
}

/** What has asked the execution to stop, but for what is waived for the step at work. */
export const askedToStop = ({ execution }: Work): readonly StopSignal[] => standingSignals(execution);
