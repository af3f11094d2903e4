import { boxBreathing } from "./box-breathing.ts";
import { groundingSenses } from "./grounding-senses.ts";
import { thoughtRecord } from "./thought-record.ts";
import { valuesCompass } from "./values-compass.ts";

/** The exercises that the companion has, in the order in which names are looked for. */
export const exerciseCatalog = [groundingSenses, boxBreathing, thoughtRecord, valuesCompass] as const;
