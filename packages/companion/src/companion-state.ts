/** The companion's state: each field with its lifecycle, visibility and purpose. Also records how a turn was routed. */
import { defineState, input, type InputOf, loaded, merge, type OutputOf, reduced, type StateOf, turn } from "throughline";
import { safetyFields } from "throughline/safety";
import { z } from "zod";
import { channels, routes, therapeuticApproaches, workingMemoryEntrySchema } from "./contract.ts";
import { chosenStyle, flowActions, guidancePermissions, sessionIntents, toolKinds, triageRoutes } from "./dispatch/dispatch-schemas.ts";

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
  /** Session of the thread in the last turn, from 1. */
  session: z.int().nonnegative(),
  /** True in an incognito session. */
  is_guest: z.boolean(),
  session_intent: z.enum(sessionIntents).nullable(),
  guidance_permission: z.enum(guidancePermissions).nullable(),
  /** The last approach of a reply. A new exercise starts with it. */
  approach: z.enum(therapeuticApproaches).nullable(),
  /** The last completed exercise, and the turn that asked how it was. Absent in states of older versions. */
  finished_exercise: z.object({ exercise_type: z.string(), turn_count: z.int().nonnegative() }).nullish(),
});

/** The running exercise; all null if there is none. */
const exerciseStateSchema = z.object({
  exercise_type: z.string().nullable(),
  exercise_step: z.int().nonnegative().nullable(),
  exercise_step_id: z.string().nullable(),
  exercise_version: z.int().positive().nullable(),
  /** The approach at the start of the exercise, which keeps it. */
  exercise_therapeutic_approach: z.enum(therapeuticApproaches).nullable(),
  /** Items named on this step so far, if the step needs more. */
  exercise_items: z.int().nonnegative().nullable(),
  /** The person turned to something else, so messages do not answer the step until they come back. Absent in states of older versions. */
  exercise_paused: z.boolean().nullish(),
});
export type ExerciseState = z.infer<typeof exerciseStateSchema>;

/** The exercise state after an exercise ends, or after safety takes precedence. */
export const noExercise: ExerciseState = Object.freeze({
  exercise_type: null,
  exercise_step: null,
  exercise_step_id: null,
  exercise_version: null,
  exercise_therapeutic_approach: null,
  exercise_items: null,
  exercise_paused: null,
});

const memoryControl = z.object({
  /** The memory command of this turn; empty for none. */
  action: z.object({ type: z.string(), effects: z.string() }).partial(),
  /** The action that needs confirmation: its type and size. Only the memory stores its text. */
  pending_action: z.object({ type: z.enum(["delete", "delete_options"]), count: z.int().positive() }).nullable(),
});

const groundedLookup = z.object({
  query: z.string(),
  status: z.enum(["not_attempted", "answered", "no_verified_answer", "search_failed"]),
});

const turnLifecycle = z.object({
  /** The open flow at the start of the turn. */
  active_flow: z.enum(["none", "guided_exercise", "pending_memory_action"]),
  /** The effect of this turn on it. */
  action: z.enum(flowActions),
  clarification_needed: z.boolean(),
  clarification_kind: z.string().nullable(),
  /** The uncertain route of the message, and the alternative. */
  tentative_route: z.enum(triageRoutes).nullable(),
  secondary_route: z.enum(triageRoutes).nullable(),
  /** The message can answer a clarifying question of the previous turn. */
  answers_clarification: z.boolean(),
  /** The person moved on from a deletion that needed confirmation. */
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

/** The clarification of the last turn: the uncertain route, and the turn of the question. */
const openClarification = z.object({ tentative_route: z.enum(triageRoutes), turn_count: z.int().nonnegative() });

/** Figures, codes and names about a turn, never the person's words. */
const diagnostics = z.record(z.string(), z.unknown());
type Diagnostics = z.infer<typeof diagnostics>;

/** The state. The field `messages` is the log itself; it replaces `history` and `transcript` of the specified agent. */
export const Companion = defineState({
  /** Blank in a turn without a message: a greeting, or a turn that continues after a handover. */
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
    initial: {
      turn_count: 0,
      session: 0,
      is_guest: false,
      session_intent: null,
      guidance_permission: null,
      approach: null,
      finished_exercise: null,
    } as const,
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
  dispatch: turn(z.object({ style: chosenStyle.nullable(), search_query: z.string().nullable(), tools: z.array(z.enum(toolKinds)) }).nullable(), {
    initial: null,
  }),
  response_guidance: turn(z.string().max(900), { initial: "" }),
  /** One of `responseStyles` once it is decided. */
  response_style: turn(z.string(), { initial: "pending", show: "output" }),
  therapeutic_approach: turn(z.enum(therapeuticApproaches).nullable(), { initial: null, show: "output" }),
  session_action: turn(z.enum(["none", "suggest_end_session"]), { initial: "none", show: "output" } as const),
  should_persist_memory: turn(z.boolean(), { initial: false, show: "output" }),
  diagnostics: turn(diagnostics, { reduce: merge<Diagnostics>(), initial: {}, show: "output" }),
  ...safetyFields(),
});

/** The state as a stage reads it. */
export type CompanionState = StateOf<typeof Companion>;
/** A caller's input: the view `input`. */
export type CompanionInput = InputOf<typeof Companion>;
/** A caller's output: the view `output`. */
export type CompanionOutput = OutputOf<typeof Companion>;

/** Documentation of a field. */
export interface FieldNote {
  readonly about: string;
  /** Writers other than the stages that declare the field. */
  readonly by?: string;
}

/** One note per field. The compiler reports a missing one. */
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
      "The exercise that is under way: which, its step and version, the approach that it keeps, things named on this step, and whether it is paused. All null while there is none.",
  },
  open_clarification: { about: "What the turn before was unsure of and asked about, for the next triage." },
  memory_control: { about: "The memory command that this turn was, and what waits for a yes: its shape and how much, never its words." },
  grounded_lookup: { about: "What is looked up, and what came of it." },
  route: { about: "Where the turn goes. Blank until it is decided." },
  turn_lifecycle: { about: "What is open when the turn begins, what becomes of it, and whether the companion must ask what is meant." },
  memory_reference: { about: "`explicit`: in this turn what is remembered may be spoken of, because they ask for it." },
  dispatch: {
    about:
      "What triage chose for later stages: the style of the reply, its tools, what to search for. Null where rules settled the message, so that nothing was asked.",
  },
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

/** The fields in nine groups. Each field is in one; a test compares. */
export const fieldGroups: Readonly<Record<string, readonly (keyof (typeof Companion)["fields"])[]>> = {
  "The input": ["message", "channel", "user_id", "session_id", "installed_skills"],
  "The conversation": ["messages"],
  "What is remembered": ["working_memory", "session_memory", "procedural_profile"],
  Continuity: ["session_progress", "exercise_state", "open_clarification"],
  "Memory commands": ["memory_control", "memory_reference"],
  "Look-up": ["grounded_lookup"],
  Routing: ["route", "turn_lifecycle", "dispatch"],
  Safety: ["crisis", "crisis_audit", "safety_plan", "inferred_location", "found_resources", "resource_lookup_status"],
  "The reply": ["response_guidance", "response_style", "therapeutic_approach", "session_action", "should_persist_memory", "diagnostics"],
};

/** A routing decision, without the person's words. */
interface RoutingRecord {
  readonly stage: string;
  readonly decision: string;
  readonly source: "gate" | "rules" | "model" | "fallback";
  readonly reason: string;
  readonly confidence: "low" | "medium" | "high";
}

/** Returns an update of `diagnostics` with one more record in the trace. */
export function traced({ diagnostics }: Pick<CompanionState, "diagnostics">, record: RoutingRecord): { readonly routing_trace: readonly object[] } {
  const { routing_trace } = diagnostics;
  return { routing_trace: [...(Array.isArray(routing_trace) ? (routing_trace as readonly object[]) : []), { ...record }] };
}

/** Returns why a model call failed, as a code and never as the model's text. */
export const causeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error && error.name === "TimeoutError"
      ? "timeout"
      : "failed";
