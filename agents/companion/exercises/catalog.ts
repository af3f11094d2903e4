/** The exercises that the companion has, from `catalog/<name>.yaml`. */
import boxBreathing from "./catalog/box-breathing.data.json" with { type: "json" };
import groundingSenses from "./catalog/grounding-senses.data.json" with { type: "json" };
import thoughtRecord from "./catalog/thought-record.data.json" with { type: "json" };
import valuesCompass from "./catalog/values-compass.data.json" with { type: "json" };
import { completionModes, defineExercise, type ExerciseDefinition, type ExerciseGiven, type ExerciseStep } from "./definition.ts";

/** An exercise, as `catalog/exercise.schema.json` describes it. */
interface ExerciseFile extends Omit<ExerciseGiven, "steps"> {
  readonly steps: readonly (Omit<ExerciseStep, "completion_mode"> & { readonly completion_mode: string })[];
}

const exerciseFrom = ({ steps, ...rest }: ExerciseFile): ExerciseDefinition =>
  defineExercise({
    ...rest,
    steps: steps.map(({ completion_mode, ...step }) => ({
      ...step,
      completion_mode: completionModes.find((mode) => mode === completion_mode) ?? "llm_judged",
    })),
  });

/** In the order in which names are looked for. */
export const exerciseCatalog = [
  exerciseFrom(groundingSenses),
  exerciseFrom(boxBreathing),
  exerciseFrom(thoughtRecord),
  exerciseFrom(valuesCompass),
] as const;
