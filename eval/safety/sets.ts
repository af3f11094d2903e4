/** The sets beside our own messages: everyday talk, hard messages that the weights were not fitted on, and sealed ones. */
import type { Gate } from "../gates.ts";
import {
  type Figures,
  figuresOf,
  groupedBy,
  groupOf,
  measured,
  type MeasureName,
  measureNames,
  measures,
  type Outcome,
  type Share,
} from "./figures.ts";
import { bound } from "./interval.ts";
import { everydayMessages, fittingMessages, sealedMessages } from "./labelled.ts";
import { cross, kindOf, placed } from "./recipe.ts";
import { outcomesOf, product } from "./report.ts";

/** A set: what the screen makes of it, and what must hold. */
interface MessageSet {
  readonly title: string;
  readonly outcomes: () => readonly Outcome[];
  readonly limits: readonly (readonly [measure: MeasureName, limit: number])[];
}

/** All messages for fitting, each read with weights that were fitted without it and its neighbors. */
const crossed = (): readonly Outcome[] => {
  const dev = everydayMessages().filter(({ split }) => split === "dev");
  return cross(placed([...fittingMessages(), ...dev]), []).read;
};

/** Limits are a little below what was reached, and only ever move the other way. */
export const messageSets = {
  everyday: {
    title: "everyday talk, the half that nothing was fitted on",
    outcomes: () =>
      outcomesOf(
        product,
        everydayMessages().filter(({ split }) => split === "test"),
      ),
    limits: [
      ["false_flag", 4.5],
      ["false_alarm", 1.8],
    ],
  },
  hard: {
    title: "hard messages, by cross-validation",
    outcomes: () => crossed().filter(({ message }) => kindOf(message) === "varied"),
    limits: [
      ["recall", 57],
      ["any_flag", 70],
      ["imminent", 51],
      ["false_flag", 14],
      ["false_alarm", 6.5],
    ],
  },
  sealed: { title: "sealed messages", outcomes: () => outcomesOf(product, sealedMessages()), limits: [] },
} as const satisfies Readonly<Record<string, MessageSet>>;

export type SetName = keyof typeof messageSets;
export const isSetName = (name: string): name is SetName => Object.hasOwn(messageSets, name);

/** What must hold of a set. */
export const setGates = (name: SetName, outcomes: readonly Outcome[]): readonly Gate[] =>
  messageSets[name].limits.map(([measure, limit]) => {
    const { percent } = measured(measure, outcomes);
    const isHigher = measures[measure].better === "higher";
    return {
      name: `${measures[measure].title}, ${name}`,
      value: percent,
      limit: `${isHigher ? "at least" : "at most"} ${limit} %`,
      ok: isHigher ? percent >= limit : percent <= limit,
    };
  });

/** The share, its bounds of 95 % to both sides, and the bound of 95 % to the side that matters. */
function line(measure: MeasureName, { percent, low, high, hits, of }: Share): string {
  const { title, better } = measures[measure];
  const side = better === "higher" ? "at least" : "at most";
  const one = (Math.round(bound(hits, of, better === "higher" ? "low" : "high") * 1000) / 10).toFixed(1);
  return `  ${title.padEnd(12)} ${percent.toFixed(1).padStart(5)}  [${low.toFixed(1)}, ${high.toFixed(1)}]  ${side} ${one}  ${hits} of ${of}`;
}

/** Of harmless messages alone, a precision says nothing. */
const linesOf = (figures: Figures): readonly string[] =>
  measureNames.flatMap((name) => (figures[name].of === 0 || (name === "precision" && figures.recall.of === 0) ? [] : [line(name, figures[name])]));

/** A set as lines that a person reads: the whole, English and the others, and each language. */
export function setTable(name: SetName, outcomes: readonly Outcome[]): string {
  const some = (title: string, these: readonly Outcome[]): readonly string[] => [
    `${title}, ${these.length} messages`,
    ...linesOf(figuresOf(these)),
    ...(these.some(({ message, got }) => message.level === 0 && got === 3)
      ? [`  0 at 3       ${these.filter(({ message, got }) => message.level === 0 && got === 3).length}`]
      : []),
    "",
  ];
  return [
    `${messageSets[name].title}: percent, 95 % bounds by Wilson, and one-sided`,
    "",
    ...some("all", outcomes),
    ...[...groupedBy(outcomes, ({ language }) => groupOf(language))].flatMap(([group, these]) => some(group, these)),
    ...[...groupedBy(outcomes, ({ language }) => language)].flatMap(([language, these]) => some(language, these)),
  ].join("\n");
}
