import type { ExerciseDefinition } from "../definition.ts";

/** What is said in other languages than English. */
export const thoughtRecordTranslations: ExerciseDefinition["translations"] = {};
