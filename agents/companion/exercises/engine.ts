/** Where a person stands in an exercise, and what a result makes of it: pure transitions, no words and no model. */
import type { ReplyResult } from "./classify.ts";
import type { ExerciseDefinition, ExerciseStep } from "./definition.ts";
import type { ExerciseRegistry } from "./registry.ts";
import { noExercise, type ExerciseState } from "../state.ts";

type Approach = ExerciseState["exercise_therapeutic_approach"];

/** An exercise that is under way. */
export interface ActiveExercise {
  readonly exercise: ExerciseDefinition;
  readonly step: ExerciseStep;
  readonly index: number;
  readonly approach: Approach;
  /** Things named on this step before. */
  readonly items: number;
}

/** What was done, for whoever says it. */
export type ExerciseMove = "start" | "resume" | "restart" | "exit" | "stuck" | "hold" | "next" | "finish";

export interface Transition {
  readonly state: ExerciseState;
  readonly move: ExerciseMove;
}

/** Where a person stands at step `index` of an exercise; undefined if it has no such step. */
export function atStep(
  exercise: ExerciseDefinition,
  index: number,
  { approach, items = 0 }: { readonly approach: Approach; readonly items?: number },
): ExerciseState | undefined {
  const step = exercise.steps[index];
  if (step === undefined) return undefined;
  return {
    exercise_type: exercise.id,
    exercise_step: index,
    exercise_step_id: step.id,
    exercise_version: exercise.version,
    exercise_therapeutic_approach: approach,
    exercise_items: items === 0 ? null : items,
  };
}

/** The beginning of an exercise, which keeps the approach of the conversation; `none` is no approach. */
export const begin = (exercise: ExerciseDefinition, approach: Approach): ExerciseState =>
  atStep(exercise, 0, { approach: approach === "none" ? null : approach }) ?? noExercise;

/** What is stored, read: an exercise under way, none, or one whose step is not there any more, which begins again if there is such an exercise. */
export type StoredExercise =
  | { readonly is: "none" }
  | { readonly is: "active"; readonly active: ActiveExercise }
  | { readonly is: "invalid"; readonly exercise: ExerciseDefinition | undefined };

/** Reads what is stored against the exercises that there are now: type, version, step and its id must all fit. */
export function readStored(state: ExerciseState, registry: ExerciseRegistry): StoredExercise {
  const { exercise_type, exercise_step, exercise_step_id, exercise_version, exercise_therapeutic_approach, exercise_items } = state;
  if (exercise_type === null) return { is: "none" };
  const exercise = registry.get(exercise_type);
  const step = exercise?.steps[exercise_step ?? -1];
  const fits = step !== undefined && step.id === exercise_step_id && exercise?.version === exercise_version;
  if (!fits || exercise === undefined || exercise_step === null) return { is: "invalid", exercise };
  return { is: "active", active: { exercise, step, index: exercise_step, approach: exercise_therapeutic_approach, items: exercise_items ?? 0 } };
}

/**
 * What a result makes of an exercise: exit and the end clear all of it, stuck and hold keep the step and what was
 * named on it, complete goes on with version and approach kept.
 */
export function advance({ exercise, index, approach }: ActiveExercise, result: ReplyResult, items = 0): Transition {
  const here = atStep(exercise, index, { approach, items }) ?? noExercise;
  switch (result) {
    case "exit":
      return { state: noExercise, move: "exit" };
    case "stuck":
    case "hold":
      return { state: here, move: result };
    case "complete": {
      const next = atStep(exercise, index + 1, { approach });
      return next === undefined ? { state: noExercise, move: "finish" } : { state: next, move: "next" };
    }
  }
}
