/** What was spent, on the wire. */
import { z } from "zod";
import { tokens } from "./turn.ts";

const spent = {
  steps: z.int().describe("Model calls that were answered."),
  tokens,
  cost: z.number().describe("In the unit of the price table; 0 where a model has no price."),
};

/** What a session, or all sessions of a customer, have spent; the work of child agents is in it. */
export const usage = z
  .object({
    turns: z.int().describe("Turns that have begun."),
    ...spent,
    models: z.array(z.object({ model: z.string().nullable().describe("Null where it is not on record."), ...spent })).describe("The same by model."),
  })
  .meta({ id: "Usage" });
