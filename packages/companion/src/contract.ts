/** The companion's input and output: public schemas, input validation, and the owner of a turn's memory. */
import { type JsonObject, ThroughlineError } from "throughline";
import { z } from "zod";

/** Channels of a message. */
export const channels = ["test", "web", "voice", "cli", "sms", "whatsapp", "telegram"] as const;
/** Channel of a message. */
export type Channel = (typeof channels)[number];

/** Styles of a reply. */
export const responseStyles = [
  "supportive",
  "reflective",
  "clarifying",
  "psychoeducation",
  "technique",
  "guided_exercise",
  "closing",
  "safety_check",
  "crisis_response",
  "memory_control",
  "grounded_lookup",
] as const;
/** Style of a reply. */
export type ResponseStyle = (typeof responseStyles)[number];

/** Therapeutic approaches of a reply. */
export const therapeuticApproaches = [
  "motivational_interviewing",
  "cbt",
  "act",
  "dbt_skills",
  "grief_support",
  "interpersonal_therapy",
  "pfa",
  "none",
] as const;
/** Therapeutic approach of a reply; `none` is a decision too. */
export type TherapeuticApproach = (typeof therapeuticApproaches)[number];

/** Routes of a turn. `""`: not decided yet. */
export const routes = ["", "therapeutic", "memory_control", "grounded_lookup", "guided_exercise", "crisis"] as const;
export type Route = (typeof routes)[number];

const responseCategories = ["therapeutic", "crisis"] as const;
/** Category of a reply: `crisis` from level 2 on. */
export type ResponseCategory = (typeof responseCategories)[number];

const messageRoles = ["system", "user", "assistant"] as const;

export const messageSchema = z.object({
  role: z.enum(messageRoles),
  content: z.string().min(1),
  response_style: z.enum(responseStyles).optional(),
});
/** A message of a conversation. `response_style`: only on the companion's own messages. */
export type CompanionMessage = z.infer<typeof messageSchema>;

export const workingMemoryEntrySchema = z.union([
  z.string(),
  z.object({
    type: z.literal("semantic"),
    entry_id: z.string().optional(),
    evidence_quote: z.string(),
    category: z.string().optional(),
    subject: z.string().optional(),
    predicate: z.string().optional(),
    object: z.string().optional(),
  }),
  z.object({
    type: z.literal("episodic"),
    entry_id: z.string().optional(),
    summary: z.string(),
    primary_themes: z.array(z.string()),
    is_catch_up: z.boolean(),
    approach_used: z.string().optional(),
    approach_context: z.record(z.string(), z.string()).optional(),
  }),
]);
/** A memory entry for a turn: a structured entry, or a text line from an older program. */
export type CompanionMemoryEntry = z.infer<typeof workingMemoryEntrySchema>;

export const agentInputSchema = z.strictObject({
  message: z.string().refine((text) => text.trim() !== "", "A message needs a text that is not blank."),
  channel: z.enum(channels).default("test"),
  user_id: z.string().min(1).nullable().default(null),
  session_id: z.string().min(1).nullable().default(null),
  history: z.array(messageSchema).default([]),
  working_memory: z.array(workingMemoryEntrySchema).default([]),
  installed_skills: z.array(z.string().min(1)).default([]),
});
/** Input of one turn. A persistent companion rejects `history` and `working_memory`, because it has its own. */
export type AgentInput = z.input<typeof agentInputSchema>;

export const crisisAssessmentSchema = z.object({
  level: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  confidence: z.enum(["low", "medium", "high"]),
  reason: z.string(),
  needs_crisis_response: z.boolean(),
  needs_clarification: z.boolean(),
});
/** The gate's assessment as callers see it. The flags follow from the level. */
export type CrisisAssessment = z.infer<typeof crisisAssessmentSchema>;

/** Source of a reply's style: the gate, the dispatch, or a running exercise. */
const styleSources = ["gate", "dispatch", "exercise", "none"] as const;

export const agentOutputSchema = z.object({
  response_text: z.string(),
  response_type: z.enum(responseCategories),
  crisis: crisisAssessmentSchema,
  response_style: z.enum(["pending", ...responseStyles]),
  response_style_type: z.enum(responseCategories),
  response_style_source: z.enum(styleSources),
  therapeutic_approach: z.enum(therapeuticApproaches).nullable(),
  session_action: z.enum(["none", "suggest_end_session"]),
  should_persist_memory: z.boolean(),
  diagnostics: z.record(z.string(), z.unknown()),
});
/**
 * Output of a turn. `response_type` is `crisis` from level 2 on, and `response_style_type` equals it. `response_style` is `pending` only if the turn
 * decided none.
 */
export type AgentOutput = z.infer<typeof agentOutputSchema>;

/** Events of a stream. `response_ready` follows when the reply is complete and stored; `done` is last. */
export type StreamEvent =
  | { readonly type: "status"; readonly stage: string; readonly detail: string }
  | { readonly type: "chunk"; readonly text: string }
  | { readonly type: "response_ready"; readonly output: AgentOutput }
  | { readonly type: "done"; readonly output: AgentOutput };

/** Display labels of the stages. */
export const STAGE_LABELS: Readonly<Record<string, string>> = Object.freeze({
  load_memory: "loading memory",
  memory_profile_load: "loading profile memory",
  memory_graph_load: "querying graph memory",
  memory_profile_save: "saving profile memory",
  memory_graph_save: "writing graph memory",
  crisis_gate: "safety check",
  memory_control_gate: "checking memory command",
  memory_control: "updating memory",
  guided_exercise: "guiding an exercise",
  grounded_lookup_gate: "checking factual lookup",
  grounded_lookup: "looking up factual answer",
  crisis_resource_lookup: "looking up crisis resources",
  crisis_response: "generating crisis reply",
  crisis_log: "writing crisis log",
  therapeutic: "generating reply",
  extract_facts: "extracting facts",
  extract_procedural: "extracting style rules",
  finalize: "finalizing turn",
  session_stage: "reading context",
  response_generation: "generating",
});

/** Returns the display label of a stage, or its name if it has none. */
export const stageLabel = (stage: string): string => (Object.hasOwn(STAGE_LABELS, stage) ? (STAGE_LABELS[stage] ?? stage) : stage);

type Given = z.output<typeof agentInputSchema>;

/** Validates a value. Throws `input.invalid` with the path, and quotes none of the value. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.join("/") ?? "";
  throw new ThroughlineError("input.invalid", `The companion's input is wrong at /${path}: ${issue?.message ?? "it has another shape"}`, {
    details: { path },
  });
}

/** Returns the input fields of a turn. */
export const inputOf = ({ channel, user_id, session_id, installed_skills }: Given): JsonObject => ({
  channel,
  user_id,
  session_id,
  installed_skills: [...installed_skills],
});

/** The person and the conversation. */
interface Identity {
  readonly user_id?: string | null | undefined;
  readonly session_id?: string | null | undefined;
}

/**
 * Returns the owner of the memory: the person if known, otherwise the conversation. There is no shared default, because it would mix the memories of
 * different people. Throws `input.invalid` without either id.
 */
export function resolveOwnerId({ user_id, session_id }: Identity): string {
  const owner = [user_id, session_id].find((id) => typeof id === "string" && id.trim() !== "");
  if (typeof owner === "string") return owner;
  throw new ThroughlineError("input.invalid", "A turn needs a user_id or a session_id: without either, what is remembered would belong to nobody.", {
    hint: "Give the id of the person, or of the conversation.",
    details: { path: "user_id" },
  });
}
