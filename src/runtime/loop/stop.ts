import { decide } from "../../execution/execution.ts";
import type { StopSignal } from "../../execution/stop.ts";
import type { Exit } from "./exit.ts";
import type { Work } from "./work.ts";

/** What ends the execution now; undefined if another step follows. A step that ends the loop ends it whatever is left of the budget. */
export function stopNow({ execution, turn }: Work, exit: Exit | undefined): StopSignal | undefined {
  const decision = decide(execution, turn.runtime.clock.now(), { answer: exit?.message ?? false });
  return decision.next === "stop" ? decision.signal : undefined;
}
