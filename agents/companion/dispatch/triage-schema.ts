/** What triage decides about a message: the call `triage`. */
import { z } from "zod";
import { named } from "../model/named.ts";

export const triageRoutes = ["therapeutic", "memory_control", "grounded_lookup", "guided_exercise"] as const;
export const flowActions = ["none", "continue", "preserve", "resume", "clear"] as const;
export const memoryActions = [
  "status",
  "list",
  "set_recall",
  "save_preference",
  "forget_by_index",
  "forget_by_query",
  "confirm_pending",
  "cancel_pending",
] as const;
export const exerciseBases = ["explicit_user_request", "accepted_assistant_offer", "ambiguous_or_none"] as const;

const words = (most: number) => z.string().max(most).nullable().catch(null);

/** The answer to the call `triage`. Whatever does not apply is null. */
export const triageSchema = z.object({
  route: named(triageRoutes),
  confidence: named(["low", "medium", "high"]),
  /** What becomes of the exercise or the question that is open: it is answered, left aside, taken up again, or given up. */
  active_flow_action: z.enum(flowActions).catch("none"),
  /** `explicit`: they ask what is remembered, or speak of it; only for this turn. */
  memory_reference_mode: z.enum(["none", "explicit"]).catch("none"),
  memory_action_type: z.enum(memoryActions).nullable().catch(null),
  /** What is to be looked up, or forgotten. */
  query: words(280),
  enabled: z.boolean().nullable().catch(null),
  target_kind: z.enum(["fact", "session", "rule"]).nullable().catch(null),
  target_index: z.int().min(1).max(10_000).nullable().catch(null),
  preference_text: words(280),
  exercise_start_basis: z.enum(exerciseBases).catch("ambiguous_or_none"),
  exercise_type: words(80),
  clarification_needed: z.boolean().catch(false),
  clarification_kind: words(40),
  secondary_route: z.enum(triageRoutes).nullable().catch(null),
  intent_summary: words(240),
  clarification_question: words(240),
  no_clarification_reason: words(80),
  reasoning: z.string().max(240).catch(""),
});
export type TriageDecision = z.output<typeof triageSchema>;
