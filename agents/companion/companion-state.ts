/** The companion's state: every field, how long it lives, who sees it and what it is for; and the record of how a turn was routed. */
import { defineState, input, type InputOf, loaded, merge, type OutputOf, reduced, type StateOf, turn } from "throughline";
import { safetyFields } from "throughline/safety";
import { z } from "zod";
import { channels, routes, therapeuticApproaches, workingMemoryEntrySchema } from "./contract.ts";
import { flowActions, guidancePermissions, sessionIntents, triageRoutes } from "./dispatch/dispatch-schemas.ts";

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
const exerciseStateSchema = z.object({
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

/** A note on a field. */
export interface FieldNote {
  readonly about: string;
  /** Who writes it besides the stages that declare it. */
  readonly by?: string;
}

/** One note for each field: the compiler misses one that is left out. */
export const fieldNotes: Readonly<Record<keyof (typeof Companion)["fields"], FieldNote>> = {
  message: {
    about: "What is said in this turn; of several messages the last. Blank in a turn that answers nobody: a greeting, or one that goes on.",
    by: "the caller",
  },
  channel: { about: "Where it comes from; exercises may depend on it.", by: "the caller" },
  user_id: {
    about: "The person, as the caller knows them. Whose memory it is follows from the session's customer, never from this field alone.",
    by: "the caller",
  },
  session_id: { about: "The thread, as the caller names it.", by: "the caller" },
  installed_skills: { about: "Names of the skills that this person has.", by: "the caller" },
  messages: {
    about: "The conversation: the log itself. It is `history` and `transcript` in one, and is never rebuilt.",
    by: "the runtime, with every message",
  },
  working_memory: { about: "What was recalled for this turn: facts with their quotes, episodes with summary and themes.", by: "recall" },
  session_memory: { about: "Where things stand with this person: summary of the last session, concerns, open loops, goal.", by: "recall" },
  procedural_profile: { about: "How the person wants to be talked with, and whether what is remembered may be brought up unasked.", by: "recall" },
  session_progress: {
    about:
      "How many turns there were, in which session of the thread, whether it is an incognito session, what they are after, whether they want suggestions, and the approach of the last reply that had one.",
  },
  exercise_state: {
    about:
      "The exercise that is under way: which, its step and version, the approach that it keeps, and things named on this step. All null while there is none.",
  },
  open_clarification: { about: "What the turn before was unsure of and asked about, for the next triage." },
  memory_control: { about: "The memory command that this turn was, and what waits for a yes: its shape and how much, never its words." },
  grounded_lookup: { about: "What is looked up, and what came of it." },
  route: { about: "Where the turn goes. Blank until it is decided." },
  turn_lifecycle: { about: "What is open when the turn begins, what becomes of it, and whether the companion must ask what is meant." },
  memory_reference: { about: "`explicit`: in this turn what is remembered may be spoken of, because they ask for it." },
  response_guidance: { about: "A private note for the reply: on its pace, or what an exercise says now." },
  response_style: { about: "How the reply is meant: one of eleven, `pending` until it is decided.", by: "the gate, from level 1 on" },
  therapeutic_approach: { about: "The way of helping that the reply leans on; `none` is a decision too." },
  session_action: { about: "`suggest_end_session` after a reply to a farewell." },
  should_persist_memory: { about: "An exercise was completed: the turn is worth remembering." },
  diagnostics: {
    about: "Numbers, codes and names about the turn, `routing_trace` among them; no word that anybody wrote but the record of a recall's size.",
    by: "the gate, recall",
  },
  crisis: { about: "What the gate has decided: level, confidence, reason, and the two flags that follow from the level.", by: "the gate" },
  crisis_audit: { about: "How the gate has decided: override, path, whether a classifier failed.", by: "the gate" },
  inferred_location: { about: "The region that the person has named, for help lines.", by: "the gate" },
  found_resources: { about: "Services that were found there, from the table.", by: "the gate" },
  resource_lookup_status: { about: "What came of the look-up of services.", by: "the gate" },
  safety_plan: { about: "A crisis from turn to turn: levels of the window, what was asked, answered and given.", by: "the gate" },
};

/** A decision. No word of a person is in it. */
interface RoutingRecord {
  readonly stage: string;
  readonly decision: string;
  readonly source: "gate" | "rules" | "model" | "fallback";
  readonly reason: string;
  readonly confidence: "low" | "medium" | "high";
}

/** The trace with one more record, as an update of `diagnostics`. */
export function traced({ diagnostics }: Pick<CompanionState, "diagnostics">, record: RoutingRecord): { readonly routing_trace: readonly object[] } {
  const { routing_trace } = diagnostics;
  return { routing_trace: [...(Array.isArray(routing_trace) ? (routing_trace as readonly object[]) : []), { ...record }] };
}

/** Why a model could not be asked: a code, never what it said. */
export const causeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error && error.name === "TimeoutError"
      ? "timeout"
      : "failed";
