/** One of a list of names, as models write them. */
import { z } from "zod";

/** "Grounded Lookup" and " grounded-lookup" are `grounded_lookup`. */
const spelled = (value: unknown): unknown =>
  typeof value === "string"
    ? value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_-]+/gu, "_")
    : value;

/** A name of a closed list, however it is spelled. */
export const named = <const Names extends readonly string[]>(names: Names) => z.preprocess(spelled, z.enum(names));
