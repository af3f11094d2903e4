/** What goes wrong in a turn. */
import type { Chooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import { storeCalls, type StoreFault } from "./faulty-store.ts";

/** How a model, or a classifier, behaves. */
export const modelFaults = [
  "dead",
  "never",
  "late",
  "garbage",
  "partial",
  "error_500",
  "empty",
  "numbers",
  "links",
  "human",
  "questions",
  "placeholders",
] as const;
export const classifierFaults = ["dead", "never", "late", "garbage", "level_9", "zero", "other_schema", "throws_at_once", "lowers"] as const;
export const partFaults = ["throws", "rejects", "never"] as const;

export interface Faults {
  readonly store?: StoreFault;
  readonly model?: (typeof modelFaults)[number];
  readonly classifier?: (typeof classifierFaults)[number];
  readonly hedge?: (typeof classifierFaults)[number];
  readonly sink?: (typeof partFaults)[number];
  readonly spool?: (typeof partFaults)[number];
  /** The screen throws. */
  readonly screen?: true;
  /** The machine's time of day is wrong by so many milliseconds. */
  readonly jump?: number;
  /** A stage that runs in every turn fails. */
  readonly stage?: true;
}

const hourMs = 60 * 60 * 1_000;
const jumps = [-400 * 24, -25, -1, 1, 25, 24 * 30, 24 * 400].map((hours) => hours * hourMs);

const storeFault = (dice: Chooser): StoreFault => ({
  ...dice.maybe(0.6, () => ({ calls: [dice.one(storeCalls)] })),
  at: dice.one(["before", "after"] as const),
  chance: dice.one([0.1, 0.5, 1, 1]),
  error: dice.one(["unreachable", "busy", "plain"] as const),
});

/** Some turns have no fault, most have several. */
export function faultsOf(dice: Chooser): Faults {
  if (dice.chance(0.1)) return {};
  return {
    ...dice.maybe(0.3, () => ({ store: storeFault(dice) })),
    ...dice.maybe(0.6, () => ({ model: dice.one(modelFaults) })),
    ...dice.maybe(0.5, () => ({ classifier: dice.one(classifierFaults) })),
    ...dice.maybe(0.3, () => ({ hedge: dice.one(classifierFaults) })),
    ...dice.maybe(0.2, () => ({ sink: dice.one(partFaults) })),
    ...dice.maybe(0.2, () => ({ spool: dice.one(partFaults) })),
    ...dice.maybe(0.1, () => ({ screen: true as const })),
    ...dice.maybe(0.15, () => ({ jump: dice.one(jumps) })),
    ...dice.maybe(0.1, () => ({ stage: true as const })),
  };
}
