import { exhausted } from "../../execution/exhausted.ts";
import { highestSignal, type StopSignal } from "../../execution/stop.ts";
import type { Exit } from "./exit.ts";
import type { Work } from "./work.ts";

/**
 * What ends the execution now; undefined if another step follows. A step that ends the loop ends it whatever is left of the budget; what somebody has
 * asked to go on in spite of does not count for the next step.
 */
export function stopNow({ execution, turn }: Work, exit: Exit | undefined): StopSignal | undefined {
  const waives: readonly string[] = execution.continuation?.waives ?? [];
  const natural: readonly StopSignal[] =
    exit === undefined ? exhausted(execution.ledger, turn.runtime.clock.now()) : [{ reason: "completed", message: exit.message }];
  return highestSignal([...execution.signals, ...natural].filter(({ reason }) => !waives.includes(reason)));
}
