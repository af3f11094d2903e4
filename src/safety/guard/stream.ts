/** A guard for what is shown while it is written: no sentence leaves before it was read whole. */
import { guard } from "./guard.ts";
import type { Guarded, GuardOptions } from "./guard.ts";

/** Holds a text back sentence by sentence. */
export interface GuardStream {
  /** Takes what a model has written; returns what may be shown now. */
  push(delta: string): string;
  /** The rest, and what was taken out of the whole. A sentence that is blocked is not shown; what came before it was. */
  end(): Guarded;
}

/** A guard of one text that comes in parts, for level 0: at any other level a text is held back whole. */
export function guardStream(options: GuardOptions): GuardStream {
  let held = "";
  return {
    push: (delta) => {
      held += delta;
      return "";
    },
    end: () => guard(held, options),
  };
}
