/** What goes into the companion and what comes out of it: its public models, how input is checked, and whose memory a turn uses. */
import { type JsonObject, ThroughlineError } from "throughline";
import { z } from "zod";

/** Where a message comes from. */
export const channels = ["test", "web", "voice", "cli", "sms", "whatsapp", "telegram"] as const;
export type Channel = (typeof channels)[number];

/** How a reply is meant. */
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
export type ResponseStyle = (typeof responseStyles)[number];

/** Ways of helping that a reply leans on; `none` is a decision too. */
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
export type TherapeuticApproach = (typeof therapeuticApproaches)[number];

/** Where a turn goes. `""`: not decided yet. */
export const routes = ["", "therapeutic", "memory_control", "grounded_lookup", "guided_exercise", "crisis"] as const;
export type Route = (typeof routes)[number];

const responseCategories = ["therapeutic", "crisis"] as const;
export type ResponseCategory = (typeof responseCategories)[number];

const messageRoles = ["system", "user", "assistant"] as const;

/** A message of a conversation. */
const messageSchema = z.object({
  role: z.enum(messageRoles),
  content: z.string().min(1),
  /** Of the companion's own messages. */
  response_style: z.enum(responseStyles).optional(),
});
export type CompanionMessage = z.infer<typeof messageSchema>;

/** Something remembered that a turn is given: a structured entry, or a line as an older program kept it. */
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
export type CompanionMemoryEntry = z.infer<typeof workingMemoryEntrySchema>;

/** What a caller gives for one turn. A persistent companion refuses `history` and `working_memory`: it has its own. */
export const agentInputSchema = z.strictObject({
  message: z.string().refine((text) => text.trim() !== "", "A message needs a text that is not blank."),
  channel: z.enum(channels).default("test"),
  user_id: z.string().min(1).nullable().default(null),
  session_id: z.string().min(1).nullable().default(null),
  history: z.array(messageSchema).default([]),
  working_memory: z.array(workingMemoryEntrySchema).default([]),
  installed_skills: z.array(z.string().min(1)).default([]),
});
export type AgentInput = z.input<typeof agentInputSchema>;

/** What the gate has found, as callers see it. The flags follow from the level. */
export const crisisAssessmentSchema = z.object({
  level: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  confidence: z.enum(["low", "medium", "high"]),
  reason: z.string(),
  needs_crisis_response: z.boolean(),
  needs_clarification: z.boolean(),
});
export type CrisisAssessment = z.infer<typeof crisisAssessmentSchema>;

/** Who chose the style of a reply: the gate, the dispatch, or an exercise that runs. */
const styleSources = ["gate", "dispatch", "exercise", "none"] as const;

/** What a turn comes to. */
export const agentOutputSchema = z.object({
  response_text: z.string(),
  /** `crisis` from level 2 on. */
  response_type: z.enum(responseCategories),
  crisis: crisisAssessmentSchema,
  response_style: z.string(),
  /** The same as `response_type`: what the style belongs to. */
  response_style_type: z.enum(responseCategories),
  response_style_source: z.enum(styleSources),
  therapeutic_approach: z.string().nullable(),
  session_action: z.enum(["none", "suggest_end_session"]),
  should_persist_memory: z.boolean(),
  diagnostics: z.record(z.string(), z.unknown()),
});
export type AgentOutput = z.infer<typeof agentOutputSchema>;

/** What a stream tells. `response_ready` comes when the reply is whole and saved, `done` is last. */
export type StreamEvent =
  | { readonly type: "status"; readonly stage: string; readonly detail: string }
  | { readonly type: "chunk"; readonly text: string }
  | { readonly type: "response_ready"; readonly output: AgentOutput }
  | { readonly type: "done"; readonly output: AgentOutput };

/** What people are shown of each stage. */
export const STAGE_LABELS: Readonly<Record<string, string>> = Object.freeze({
  load_memory: "loading memory",
  memory_profile_load: "loading profile memory",
  memory_graph_load: "querying graph memory",
  memory_profile_save: "saving profile memory",
  memory_graph_save: "writing graph memory",
  crisis_gate: "safety check",
  memory_control_gate: "checking memory command",
  memory_control: "updating memory",
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

/** What people are shown of a stage; one that has no label shows its own name. */
export const stageLabel = (stage: string): string => (Object.hasOwn(STAGE_LABELS, stage) ? (STAGE_LABELS[stage] ?? stage) : stage);

type Given = z.output<typeof agentInputSchema>;

/** A value of a schema; `input.invalid` says where it is wrong, and quotes nothing of it. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.join("/") ?? "";
  throw new ThroughlineError("input.invalid", `The companion's input is wrong at /${path}: ${issue?.message ?? "it has another shape"}`, {
    details: { path },
  });
}

/** The input fields of a turn. */
export const inputOf = ({ channel, user_id, session_id, installed_skills }: Given): JsonObject => ({
  channel,
  user_id,
  session_id,
  installed_skills: [...installed_skills],
});

/** Who speaks, and where. */
interface Identity {
  readonly user_id?: string | null | undefined;
  readonly session_id?: string | null | undefined;
}

/**
 * The owner of what is remembered: the person if they are known, else the conversation itself. There is no shared default: `input.invalid` without either, because a
 * guess would mix up what belongs to different people.
 */
export function resolveOwnerId({ user_id, session_id }: Identity): string {
  const owner = [user_id, session_id].find((id) => typeof id === "string" && id.trim() !== "");
  if (typeof owner === "string") return owner;
  throw new ThroughlineError("input.invalid", "A turn needs a user_id or a session_id: without either, what is remembered would belong to nobody.", {
    hint: "Give the id of the person, or of the conversation.",
    details: { path: "user_id" },
  });
}
