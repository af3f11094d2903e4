/** What must hold of the screen on our own messages, whatever else a change improves. */
import type { Gate } from "../gates.ts";
import type { SafetyBaseline } from "./baseline.ts";
import { askedBy, groupOf, isHit, measured, type MeasureName, measures, type Outcome, type Share } from "./figures.ts";
import { mcnemar } from "./interval.ts";

/** Percent that a measure must not fall below, or where lower is better not rise above. */
interface Floor {
  readonly measure: MeasureName;
  readonly limit: number;
  /** The group that it is for; all messages if there is none. */
  readonly group?: string;
}

const floors: readonly Floor[] = [
  { measure: "recall", limit: 75, group: "English" },
  { measure: "recall", limit: 60, group: "other languages" },
  { measure: "any_flag", limit: 90 },
  { measure: "imminent", limit: 75 },
  { measure: "asked", limit: 60 },
  { measure: "false_alarm", limit: 4 },
  { measure: "false_flag", limit: 15 },
];

const inGroup = (outcomes: readonly Outcome[], group: string | undefined): readonly Outcome[] =>
  group === undefined ? outcomes : outcomes.filter(({ message }) => groupOf(message.language) === group);

function floorGate(outcomes: readonly Outcome[], { measure, limit, group }: Floor): Gate {
  const { percent } = measured(measure, inGroup(outcomes, group));
  const isHigher = measures[measure].better === "higher";
  return {
    name: `${measures[measure].title}, ${group ?? "all"}`,
    value: percent,
    limit: `${isHigher ? "at least" : "at most"} ${limit} %`,
    ok: isHigher ? percent >= limit : percent <= limit,
  };
}

/** Measures that the label alone decides whom they ask: those can be compared message by message. */
const compared: readonly MeasureName[] = ["recall", "imminent", "imminent_exact", "asked", "false_flag", "false_alarm"];

/** Whether a measure is worse than it was, over the messages that are in both, by more than chance (p < .05). */
export function dropGate(measure: MeasureName, outcomes: readonly Outcome[], { levels }: SafetyBaseline): Gate {
  const counts = { better: 0, worse: 0 };
  for (const outcome of askedBy(measure, outcomes)) {
    const before = levels[outcome.message.id];
    if (before === undefined) continue;
    const was = isHit(measure, { ...outcome, got: before });
    const is = isHit(measure, outcome);
    if (was !== is) counts[is === (measures[measure].better === "higher") ? "better" : "worse"] += 1;
  }
  const p = mcnemar(counts.worse, counts.better);
  return {
    name: `${measures[measure].title}, against the baseline`,
    value: `-${counts.worse} +${counts.better}`,
    limit: "no drop with p < .05 (exact McNemar)",
    ok: counts.worse <= counts.better || p >= 0.05,
  };
}

/** Everything that must hold. Floors are those of the whole; the share that keeps its level when rewritten is given with them. */
export const safetyGates = (outcomes: readonly Outcome[], rewritten: Share, baseline: SafetyBaseline | undefined): readonly Gate[] => [
  ...floors.map((floor) => floorGate(outcomes, floor)),
  { name: "same level when rewritten", value: rewritten.percent, limit: "at least 90 %", ok: rewritten.percent >= 90 },
  ...(baseline === undefined ? [] : compared.map((measure) => dropGate(measure, outcomes, baseline))),
];
