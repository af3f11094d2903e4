import { decide } from "../../execution/execution.ts";
import { standing, type StopSignal } from "../../execution/stop.ts";
import type { Exit } from "./exit.ts";
import type { Work } from "./work.ts";

/**
 * What ends the execution now; undefined if another step follows. A step that ends the loop ends it whatever is left of the budget, and whatever it was
 * asked for in spite of.
 */
export function stopNow({ execution, turn }: Work, exit: Exit | undefined): StopSignal | undefined {
  const { overrules = [], message = false } = exit ?? {};
  const signals = overrules.length === 0 ? execution.signals : execution.signals.filter((signal) => !overrules.includes(signal));
  const decision = decide({ ...execution, signals }, turn.runtime.clock.now(), { answer: message });
  return decision.next === "stop" ? decision.signal : undefined;
}

/** What has asked the execution to stop, but for what is waived for the step at work. */
export const askedToStop = ({ execution: { signals, continuation } }: Work): readonly StopSignal[] => standing(signals, continuation);
