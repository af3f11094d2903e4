/** Schemas of the call `dispatch`: where a message goes, and how the reply is meant. */
import { z } from "zod";
import { therapeuticApproaches } from "../contract.ts";
import { formatOf } from "./ask-model.ts";

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

/** Where a message goes. Fields that do not apply are null. */
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

/** How a reply is meant, if the message goes on as conversation. */
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

/** The parts of a style that a reply depends on. */
export const chosenStyle = styleSchema.omit({ reasoning: true, confidence: true });
export type ChosenStyle = z.output<typeof chosenStyle>;

/** Tools that a reply may need, by kind. */
export const toolKinds = ["memory", "look_up", "skills"] as const;

/** Reads the answer to the call `dispatch`. A route must be there; without a style the reply is supportive. */
export const dispatchSchema = z.object({
  ...triageSchema.shape,
  response_style: named(choosableStyles).nullable().catch(null),
  ...chosenStyle.omit({ response_style: true }).shape,
  /** What to search for. With it, nobody is asked again whether the question can be looked up. */
  search_query: words(280),
  tools: z.array(z.enum(toolKinds)).catch([]),
});
export type DispatchDecision = z.output<typeof dispatchSchema>;

/** The schema that is sent: what no reply depends on is not asked for, nor what becomes of an open flow while there is none. */
const asked = dispatchSchema.omit({
  ...{ active_flow_action: true, clarification_needed: true, clarification_kind: true },
  ...{ no_clarification_reason: true, intent_summary: true, reasoning: true },
});
export const dispatchFormats = {
  free: formatOf("dispatch", asked),
  open: formatOf("dispatch", asked.extend({ active_flow_action: z.enum(flowActions) })),
} as const;
