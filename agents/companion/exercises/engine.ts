/** Where a person stands in an exercise, and what a result makes of it: pure transitions, no words and no model. */
import type { ReplyResult } from "./classify.ts";
import type { ExerciseDefinition, ExerciseStep } from "./definition.ts";
import type { ExerciseRegistry } from "./registry.ts";

/** Where a person stands in an exercise, as it is stored. All null: in none. */
export interface ExerciseState {
  readonly exercise_type: string | null;
  /** Counted from 0. */
  readonly exercise_step: number | null;
  readonly exercise_step_id: string | null;
  readonly exercise_version: number | null;
  /** Approach that the exercise was begun under; kept to its end. */
  readonly exercise_therapeutic_approach: string | null;
}

/** In no exercise. */
export const noExercise: ExerciseState = Object.freeze({
  exercise_type: null,
  exercise_step: null,
  exercise_step_id: null,
  exercise_version: null,
  exercise_therapeutic_approach: null,
});

/** An exercise that is under way. */
export interface ActiveExercise {
  readonly exercise: ExerciseDefinition;
  readonly step: ExerciseStep;
  readonly index: number;
  readonly approach: string | null;
}

/** What was done, for whoever says it. */
export type ExerciseMove = "start" | "resume" | "restart" | "exit" | "stuck" | "hold" | "next" | "finish";

export interface Transition {
  readonly state: ExerciseState;
  readonly move: ExerciseMove;
}

/** Where a person stands at step `index` of an exercise; undefined if it has no such step. */
export function atStep(exercise: ExerciseDefinition, index: number, approach: string | null): ExerciseState | undefined {
  const step = exercise.steps[index];
  if (step === undefined) return undefined;
  return {
    exercise_type: exercise.id,
    exercise_step: index,
    exercise_step_id: step.id,
    exercise_version: exercise.version,
    exercise_therapeutic_approach: approach,
  };
}

/** The beginning of an exercise, which keeps the approach of the conversation; `none` is no approach. */
export function begin(exercise: ExerciseDefinition, approach: string | null): ExerciseState {
  const state = atStep(exercise, 0, approach === "none" || approach === "" ? null : approach);
  return state ?? noExercise;
}

/** What is stored, read: an exercise under way, none, or one whose step is not there any more, which begins again if there is such an exercise. */
export type StoredExercise =
  | { readonly is: "none" }
  | { readonly is: "active"; readonly active: ActiveExercise }
  | { readonly is: "invalid"; readonly exercise: ExerciseDefinition | undefined };

/** Reads what is stored against the exercises that there are now: type, version, step and its id must all fit. */
export function readStored(state: ExerciseState, registry: ExerciseRegistry): StoredExercise {
  const { exercise_type, exercise_step, exercise_step_id, exercise_version, exercise_therapeutic_approach } = state;
  if (exercise_type === null) return { is: "none" };
  const exercise = registry.get(exercise_type);
  const step = exercise?.steps[exercise_step ?? -1];
  const fits = step !== undefined && step.id === exercise_step_id && exercise?.version === exercise_version;
  if (!fits || exercise === undefined || exercise_step === null) return { is: "invalid", exercise };
  return { is: "active", active: { exercise, step, index: exercise_step, approach: exercise_therapeutic_approach } };
}

/** What a result makes of an exercise: exit and the end clear all of it, stuck and hold change nothing, complete goes on with version and approach kept. */
export function advance({ exercise, index, approach }: ActiveExercise, result: ReplyResult): Transition {
  const here = atStep(exercise, index, approach) ?? noExercise;
  switch (result) {
    case "exit":
      return { state: noExercise, move: "exit" };
    case "stuck":
    case "hold":
      return { state: here, move: result };
    case "complete": {
      const next = atStep(exercise, index + 1, approach);
      return next === undefined ? { state: noExercise, move: "finish" } : { state: next, move: "next" };
    }
  }
}
