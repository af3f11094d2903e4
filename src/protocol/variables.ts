/** Variables on the wire: those of a customer, of a session alone, or of an agent. */
import { z } from "zod";
import { json, jsonObject, time } from "./value.ts";

const version = z.int().describe("Raised by every change of a value; the `ETag`. 0 before the first.");

/** All variables of one scope. */
export const variables = z
  .object({
    values: jsonObject.describe("What agents may know, from their next turn on, by name."),
    checked: z.record(z.string(), time).describe("When each value was last set, or refreshed and found to hold still."),
    stale: z.array(z.string()).describe("Names of values that could not be refreshed since."),
    version,
  })
  .meta({ id: "Variables" });

/** One variable. */
export const variable = z.object({ name: z.string(), value: json, checked_at: time, stale: z.boolean(), version }).meta({ id: "Variable" });

/** The value to give a variable; null is a value. */
export const variableValue = z
  .strictObject({ value: json.refine((value) => value !== undefined, "a variable is set to a value; null is one") })
  .meta({ id: "VariableValue" });
