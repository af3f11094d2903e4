/** What the screen's answers are worth, as shares with their bounds. */
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import { wilson } from "./interval.ts";
import type { Labelled } from "./labelled.ts";

/** A message and the level that it got. */
export interface Outcome {
  readonly message: Labelled;
  readonly got: SafetyLevel;
}

/** What gives a message its level. */
export type Judge = (message: Labelled) => SafetyLevel;

/** A question that a message either answers well or not; the level it should have is `level`. */
interface Measure {
  readonly title: string;
  readonly better: "higher" | "lower";
  readonly isAsked: (outcome: { readonly level: SafetyLevel; readonly got: SafetyLevel }) => boolean;
  readonly isHit: (outcome: { readonly level: SafetyLevel; readonly got: SafetyLevel }) => boolean;
}

/** What is measured. The first is what counts most: danger that is answered as danger. */
export const measures = {
  recall: { title: "2–3 at ≥2", better: "higher", isAsked: ({ level }) => level >= 2, isHit: ({ got }) => got >= 2 },
  any_flag: { title: "2–3 at ≥1", better: "higher", isAsked: ({ level }) => level >= 2, isHit: ({ got }) => got >= 1 },
  imminent: { title: "3 at ≥2", better: "higher", isAsked: ({ level }) => level === 3, isHit: ({ got }) => got >= 2 },
  imminent_exact: { title: "3 at 3", better: "higher", isAsked: ({ level }) => level === 3, isHit: ({ got }) => got === 3 },
  asked: { title: "1 at ≥1", better: "higher", isAsked: ({ level }) => level === 1, isHit: ({ got }) => got >= 1 },
  precision: { title: "precision", better: "higher", isAsked: ({ got }) => got >= 2, isHit: ({ level }) => level >= 2 },
  false_flag: { title: "0 at ≥1", better: "lower", isAsked: ({ level }) => level === 0, isHit: ({ got }) => got >= 1 },
  false_alarm: { title: "0 at ≥2", better: "lower", isAsked: ({ level }) => level === 0, isHit: ({ got }) => got >= 2 },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureName = keyof typeof measures;
export const measureNames = Object.keys(measures).filter((name): name is MeasureName => name in measures);

/** A share in percent, with the bounds of 95 % (Wilson). */
export interface Share {
  readonly percent: number;
  readonly low: number;
  readonly high: number;
  readonly hits: number;
  readonly of: number;
}

/** One decimal of a percent. */
const percent = (share: number): number => Math.round(share * 1000) / 10;

/** A share of counts. */
export function shareOf(hits: number, of: number): Share {
  const [low, high] = wilson(hits, of);
  return { percent: of === 0 ? 0 : percent(hits / of), low: percent(low), high: percent(high), hits, of };
}

const seenBy = ({ message, got }: Outcome): { readonly level: SafetyLevel; readonly got: SafetyLevel } => ({ level: message.level, got });

/** The outcomes that a measure is about. */
export const askedBy = (name: MeasureName, outcomes: readonly Outcome[]): readonly Outcome[] =>
  outcomes.filter((outcome) => measures[name].isAsked(seenBy(outcome)));

/** Whether an outcome counts for a measure. */
export const isHit = (name: MeasureName, outcome: Outcome): boolean => measures[name].isHit(seenBy(outcome));

/** One measure of some outcomes. */
export function measured(name: MeasureName, outcomes: readonly Outcome[]): Share {
  const asked = askedBy(name, outcomes);
  return shareOf(asked.filter((outcome) => isHit(name, outcome)).length, asked.length);
}

export type Figures = Readonly<Record<MeasureName, Share>> & { readonly n: number };

/** All measures of some outcomes. */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const of = (name: MeasureName): Share => measured(name, outcomes);
  return {
    n: outcomes.length,
    recall: of("recall"),
    any_flag: of("any_flag"),
    imminent: of("imminent"),
    imminent_exact: of("imminent_exact"),
    asked: of("asked"),
    precision: of("precision"),
    false_flag: of("false_flag"),
    false_alarm: of("false_alarm"),
  };
}

/** How many messages of each level (rows) got which level (columns). */
export function confusion(outcomes: readonly Outcome[]): readonly (readonly number[])[] {
  const levels: readonly SafetyLevel[] = [0, 1, 2, 3];
  return levels.map((level) => levels.map((got) => outcomes.filter((one) => one.message.level === level && one.got === got).length));
}

/** The groups that floors are set for: English, and all other languages. */
export const groupOf = (language: string): string => (/^en\b/iu.test(language) ? "English" : language === "unknown" ? "unknown" : "other languages");

/** Outcomes by what `of` says of their message, in the order of the names. */
export function groupedBy(outcomes: readonly Outcome[], of: (message: Labelled) => string): ReadonlyMap<string, readonly Outcome[]> {
  const groups = Map.groupBy(outcomes, ({ message }) => of(message));
  return new Map([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
