import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const boxBreathingTranslations: ExerciseDefinition["translations"] = {};
