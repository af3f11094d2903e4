/** Hand-over to people, on the wire. */
import { z } from "zod";
import { handover as declared } from "../session/handover-given.ts";
import { schemaOf } from "./declared.ts";
import { jsonObject } from "./value.ts";

const person = z.string().min(1).max(200).describe("The integration's own id of a person.");
const reason = z.string().min(1).max(500);
const alert = z.int().min(1).max(1000).describe("Level of a safety alert; alerts stand in front, the highest before all others.");

/** Where a hand-over stands. */
export const handover = schemaOf(declared);

/** A session to hand to people. */
export const handOverRequest = z
  .strictObject({ operator: person.optional(), reason: reason.optional(), alert: alert.optional() })
  .meta({ id: "HandOver" });
/** Who takes a session up, and from whom. */
export const assignment = z.strictObject({ operator: person, from: person.optional() }).meta({ id: "Assignment" });
/** What the agent gets back. */
export const handBackRequest = z
  .strictObject({
    summary: z.string().min(1).max(100_000).optional().describe("What happened meanwhile, for the agent."),
    state: jsonObject.optional().describe("A change of the state, through the agent's reducers."),
    resume: z.boolean().optional().describe("Let the agent speak at once; it stays silent until it is sent a message otherwise."),
  })
  .meta({ id: "HandBack" });
