/** What was spent, on the wire. */
import { z } from "zod";
import { tokens } from "./turn.ts";

const ofModel = {
  steps: z.int().describe("Model calls that were answered."),
  tokens,
  cost: z.number().describe("In the unit of the price table; 0 without prices."),
};

/** What a session, or all sessions of a customer, have cost, child agents' work among it. What was withdrawn was paid for all the same. */
export const usage = z
  .object({
    turns: z.int().describe("Turns that have ended."),
    ...ofModel,
    attempts: z.int().describe("Model calls that failed."),
    active_ms: z.number().describe("Milliseconds with at least one call in flight."),
    models: z.record(z.string(), z.object(ofModel)).describe("The same by the name of the model; `unknown` for what was asked of none by name."),
  })
  .meta({ id: "Usage" });
