/** Schemas of the calls `triage` and `style`. */
import { z } from "zod";
import { therapeuticApproaches } from "../contract.ts";

/** Normalizes "Grounded Lookup" and " grounded-lookup" to `grounded_lookup`. */
const spelled = (value: unknown): unknown =>
  typeof value === "string"
    ? value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_-]+/gu, "_")
    : value;

/** A name of a closed list, in any spelling. */
const named = <const Names extends readonly string[]>(names: Names) => z.preprocess(spelled, z.enum(names));

export const triageRoutes = ["therapeutic", "memory_control", "grounded_lookup", "guided_exercise"] as const;
export const flowActions = ["none", "continue", "preserve", "resume", "clear"] as const;
const memoryActions = [
  "status",
  "list",
  "set_recall",
  "save_preference",
  "forget_by_index",
  "forget_by_query",
  "confirm_pending",
  "cancel_pending",
] as const;
const exerciseBases = ["explicit_user_request", "accepted_assistant_offer", "ambiguous_or_none"] as const;

const words = (most: number) => z.string().max(most).nullable().catch(null);

/** Answer to the call `triage`. Fields that do not apply are null. */
export const triageSchema = z.object({
  route: named(triageRoutes),
  confidence: named(["low", "medium", "high"]),
  /** Effect on the open exercise or question: answered, set aside, resumed, or dropped. */
  active_flow_action: z.enum(flowActions).catch("none"),
  /** `explicit`: the person asks about or mentions memories. Applies only to this turn. */
  memory_reference_mode: z.enum(["none", "explicit"]).catch("none"),
  memory_action_type: z.enum(memoryActions).nullable().catch(null),
  /** The subject to look up or to forget. */
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

/** Styles that a model can choose. The others follow from the gate, a command, a lookup or an exercise. */
const choosableStyles = ["supportive", "reflective", "clarifying", "psychoeducation", "technique", "closing"] as const;
export const sessionIntents = ["vent", "understand", "reflect", "work", "regulate", "repair", "close"] as const;
export const guidancePermissions = ["unknown", "not_yet", "granted"] as const;

/** Answer to the call `style`. */
export const styleSchema = z.object({
  response_style: named(choosableStyles),
  therapeutic_approach: named(therapeuticApproaches).catch("none"),
  session_intent: z.enum(sessionIntents).nullable().catch(null),
  guidance_permission: z.enum(guidancePermissions).nullable().catch(null),
  /** A private note on pace and manner, for the reply. */
  response_guidance: z.string().max(900).catch(""),
  reasoning: z.string().max(240).catch(""),
  confidence: z.enum(["low", "medium", "high"]).catch("medium"),
});
export type StyleDecision = z.output<typeof styleSchema>;
