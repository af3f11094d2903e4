/** The companion's state: every field, how long it lives, and who sees it. */
import { defineState, input, loaded, merge, reduced, turn, type InputOf, type OutputOf, type StateOf } from "throughline";
import { safetyFields } from "throughline/safety";
import { z } from "zod";
import { channels, routes, therapeuticApproaches, workingMemoryEntrySchema } from "./contract.ts";
import { flowActions, triageRoutes } from "./dispatch/triage-schema.ts";
import { guidancePermissions, sessionIntents } from "./dispatch/style-schema.ts";

const sessionMemory = z.object({
  summary: z.string(),
  active_concerns: z.array(z.string()),
  open_loops: z.array(z.string()),
  current_goal: z.string().nullable(),
});

const proceduralProfile = z.object({
  procedural_rules: z.array(z.object({ id: z.string(), text: z.string() })),
  proactive_recall_enabled: z.boolean(),
});

const sessionProgress = z.object({
  turn_count: z.int().nonnegative(),
  /** The session of the thread that the last turn was in, from 1. */
  session: z.int().nonnegative(),
  /** Of an incognito session. */
  is_guest: z.boolean(),
  session_intent: z.enum(sessionIntents).nullable(),
  guidance_permission: z.enum(guidancePermissions).nullable(),
  /** The approach of the last reply that had one: what an exercise is begun with. */
  approach: z.enum(therapeuticApproaches).nullable(),
});

/** An exercise that runs; all null while none does. */
export const exerciseStateSchema = z.object({
  exercise_type: z.string().nullable(),
  exercise_step: z.int().nonnegative().nullable(),
  exercise_step_id: z.string().nullable(),
  exercise_version: z.int().positive().nullable(),
  /** The approach that it was begun with, which it keeps. */
  exercise_therapeutic_approach: z.enum(therapeuticApproaches).nullable(),
  /** Things that were named on this step in messages before, where that is not enough yet. */
  exercise_items: z.int().nonnegative().nullable(),
});
export type ExerciseState = z.infer<typeof exerciseStateSchema>;

/** What becomes of the exercise when it ends, or when safety comes first. */
export const noExercise: ExerciseState = Object.freeze({
  exercise_type: null,
  exercise_step: null,
  exercise_step_id: null,
  exercise_version: null,
  exercise_therapeutic_approach: null,
  exercise_items: null,
});

const memoryControl = z.object({
  /** The command that this turn was; empty for none. */
  action: z.object({ type: z.string(), effects: z.string() }).partial(),
  /** What waits for a yes: its shape and how much, never its words, which the memory alone keeps. */
  pending_action: z.object({ type: z.enum(["delete", "delete_options"]), count: z.int().positive() }).nullable(),
});

const groundedLookup = z.object({
  query: z.string(),
  status: z.enum(["not_attempted", "answered", "no_verified_answer", "search_failed"]),
});

const turnLifecycle = z.object({
  /** What is open when the turn begins. */
  active_flow: z.enum(["none", "guided_exercise", "pending_memory_action"]),
  /** What becomes of it. */
  action: z.enum(flowActions),
  clarification_needed: z.boolean(),
  clarification_kind: z.string().nullable(),
  /** Where the message seemed to go, and where else it might. */
  tentative_route: z.enum(triageRoutes).nullable(),
  secondary_route: z.enum(triageRoutes).nullable(),
  /** The message may answer what the turn before asked because it was unsure. */
  answers_clarification: z.boolean(),
  /** A deletion that waited for a yes was let go of by moving on. */
  let_go: z.boolean(),
});
const lifecycleAtFirst: z.infer<typeof turnLifecycle> = {
  active_flow: "none",
  action: "none",
  clarification_needed: false,
  clarification_kind: null,
  tentative_route: null,
  secondary_route: null,
  answers_clarification: false,
  let_go: false,
};

/** What the last turn was unsure of, for the next one: where the message seemed to go, and what was asked. */
const openClarification = z.object({ tentative_route: z.enum(triageRoutes), turn_count: z.int().nonnegative() });

/** Numbers, codes and names about a turn; never a word that a person wrote. */
const diagnostics = z.record(z.string(), z.unknown());
type Diagnostics = z.infer<typeof diagnostics>;

/** The state. Its conversation (`history` and `transcript` of the described agent) is the log itself: the field `messages`. */
export const Companion = defineState({
  /** Blank in a turn that answers nobody: a greeting, or one that goes on after people had the session. */
  message: input(z.string()),
  channel: input(z.enum(channels), { initial: "test" } as const),
  user_id: input(z.string().nullable(), { initial: null }),
  session_id: input(z.string().nullable(), { initial: null }),
  installed_skills: input(z.array(z.string()), { initial: [] }),

  working_memory: loaded(z.array(workingMemoryEntrySchema), { initial: [] }),
  session_memory: loaded(sessionMemory, { initial: { summary: "", active_concerns: [], open_loops: [], current_goal: null } }),
  procedural_profile: loaded(proceduralProfile, { initial: { procedural_rules: [], proactive_recall_enabled: false } }),

  session_progress: reduced(sessionProgress, {
    reduce: merge<z.infer<typeof sessionProgress>>(),
    initial: { turn_count: 0, session: 0, is_guest: false, session_intent: null, guidance_permission: null, approach: null } as const,
    show: "output",
  }),
  exercise_state: reduced(exerciseStateSchema, { reduce: merge<ExerciseState>(), initial: { ...noExercise }, show: "output" }),
  open_clarification: reduced(openClarification.nullable(), { initial: null }),

  memory_control: turn(memoryControl, { reduce: merge<z.infer<typeof memoryControl>>(), initial: { action: {}, pending_action: null } as const }),
  grounded_lookup: turn(groundedLookup, {
    reduce: merge<z.infer<typeof groundedLookup>>(),
    initial: { query: "", status: "not_attempted" } as const,
    show: "output",
  }),
  route: turn(z.enum(routes), { initial: "", show: "output" } as const),
  turn_lifecycle: turn(turnLifecycle, { reduce: merge<z.infer<typeof turnLifecycle>>(), initial: lifecycleAtFirst }),
  memory_reference: turn(z.object({ mode: z.enum(["none", "explicit"]) }), { initial: { mode: "none" } as const }),
  response_guidance: turn(z.string().max(900), { initial: "" }),
  /** One of `responseStyles` once it is decided. */
  response_style: turn(z.string(), { initial: "pending", show: "output" }),
  therapeutic_approach: turn(z.enum(therapeuticApproaches).nullable(), { initial: null, show: "output" }),
  session_action: turn(z.enum(["none", "suggest_end_session"]), { initial: "none", show: "output" } as const),
  should_persist_memory: turn(z.boolean(), { initial: false, show: "output" }),
  diagnostics: turn(diagnostics, { reduce: merge<Diagnostics>(), initial: {}, show: "output" }),
  ...safetyFields(),
});

/** What a stage reads. */
export type CompanionState = StateOf<typeof Companion>;
/** What a caller gives: the view `input`. */
export type CompanionInput = InputOf<typeof Companion>;
/** What a caller gets back: the view `output`. */
export type CompanionOutput = OutputOf<typeof Companion>;
