/** What the dispatch decides about a reply: the call `style`. */
import { z } from "zod";
import { therapeuticApproaches } from "../contract.ts";
import { named } from "../model/named.ts";

/** The styles that can be chosen; the others follow from the gate, from a command, a lookup or an exercise. */
export const choosableStyles = ["supportive", "reflective", "clarifying", "psychoeducation", "technique", "closing"] as const;
export const sessionIntents = ["vent", "understand", "reflect", "work", "regulate", "repair", "close"] as const;
export const guidancePermissions = ["unknown", "not_yet", "granted"] as const;

/** The answer to the call `style`. */
export const styleSchema = z.object({
  response_style: named(choosableStyles),
  therapeutic_approach: named(therapeuticApproaches).catch("none"),
  session_intent: z.enum(sessionIntents).nullable().catch(null),
  guidance_permission: z.enum(guidancePermissions).nullable().catch(null),
  /** A private note about pace and manner, for the reply. */
  response_guidance: z.string().max(900).catch(""),
  reasoning: z.string().max(240).catch(""),
  confidence: z.enum(["low", "medium", "high"]).catch("medium"),
});
export type StyleDecision = z.output<typeof styleSchema>;
