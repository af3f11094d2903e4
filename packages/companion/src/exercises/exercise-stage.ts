/** Guided exercises as a stage of the turn, after triage and before the reply. Remembers a completed exercise as a fact. */
import { type Model, stage, type Stage, type StageContext, ThroughlineError, type TurnInfo } from "throughline";
import type { AheadContext } from "throughline/agent";
import { Companion, type CompanionState, type ExerciseState, noExercise } from "../companion-state.ts";
import { before, remembering, saidIn } from "../dispatch/ask-model.ts";
import { stateAhead } from "../dispatch/begin-stage.ts";
import { exerciseCatalog, type ExerciseDefinition, type ExerciseLanguage, exerciseRegistry, type ExerciseRegistry } from "./exercise-definition.ts";
import { type Outcome, outcomeIn, readClauses } from "./exercise-cues.ts";
import { startRequests, type StartRequests } from "./exercise-requests.ts";
import { type ActiveExercise, advance, approachIn, atStep, begin, decideTurn, type ExerciseTurn, type JudgedBy, pausedAt } from "./exercise-turn.ts";
import { directiveOf, languageFor, offerDirective, pausedDirective, recordOf, type SpokenMove } from "./exercise-wording.ts";

/** Options of the stage. */
interface ExerciseStagesOptions {
  /**
   * Decides what rules cannot: the requested exercise, and the effect of an answer. Without one, the step stays as it is, and the reply lists the
   * exercises.
   */
  readonly control?: Model | undefined;
  /** The available exercises; default the companion's own. */
  readonly registry?: ExerciseRegistry;
  /** How requests for them are told; default made from the registry. */
  readonly requests?: StartRequests;
}

const written = [
  "exercise_state",
  "session_progress",
  "route",
  "response_style",
  "therapeutic_approach",
  "turn_lifecycle",
  "response_guidance",
  "should_persist_memory",
  "open_clarification",
  "diagnostics",
] as const;

interface Delta {
  readonly exercise_state?: ExerciseState;
  readonly session_progress?: { readonly finished_exercise: CompanionState["session_progress"]["finished_exercise"] };
  readonly route?: "therapeutic" | "grounded_lookup";
  readonly response_style?: "guided_exercise" | "clarifying" | "psychoeducation" | "supportive" | "grounded_lookup" | "pending";
  readonly open_clarification?: null;
  readonly therapeutic_approach?: NonNullable<CompanionState["therapeutic_approach"]>;
  readonly turn_lifecycle?: {
    readonly active_flow: "none" | "guided_exercise";
    readonly action: "none" | "continue" | "preserve" | "resume" | "clear";
  };
  readonly response_guidance?: string;
  readonly should_persist_memory?: boolean;
  readonly diagnostics?: Readonly<Record<string, string | number | null>>;
}

const approachOf = (approach: ExerciseState["exercise_therapeutic_approach"]): Pick<Delta, "therapeutic_approach"> =>
  approach === null ? {} : { therapeutic_approach: approach };

/** Returns the update of a turn in which the exercise replies. */
const spoken = (
  move: SpokenMove,
  state: ExerciseState,
  { action, approach }: { readonly action: "continue" | "resume" | "clear"; readonly approach: ExerciseState["exercise_therapeutic_approach"] },
): Delta => ({
  exercise_state: state,
  route: "therapeutic",
  response_style: "guided_exercise",
  ...approachOf(approach),
  // This resolves any uncertainty of triage.
  open_clarification: null,
  turn_lifecycle: { active_flow: state.exercise_type === null ? "none" : "guided_exercise", action },
  response_guidance: directiveOf(move),
  diagnostics: { guided_exercise_runtime_action: move.move, guided_exercise_step: state.exercise_step_id },
});

/**
 * Returns the update for a side question. The exercise does not move. The meaning of a step is explained under its approach, and its purpose under
 * any that fits.
 */
function beside(move: "clarify" | "explain", { exercise, index, approach }: ActiveExercise, language: ExerciseLanguage): Delta {
  return {
    route: "therapeutic",
    response_style: move === "clarify" ? "clarifying" : "psychoeducation",
    ...(move === "clarify" ? approachOf(approach) : {}),
    turn_lifecycle: { active_flow: "guided_exercise", action: "preserve" },
    response_guidance: directiveOf({ move, exercise, index, language }),
    diagnostics: { guided_exercise_runtime_action: move, guided_exercise_step: exercise.steps[index]?.id ?? null },
  };
}

function started(
  exercise: ExerciseDefinition,
  move: "start" | "restart",
  given: { readonly state: CompanionState; readonly language: ExerciseLanguage },
): Delta {
  const { state, language } = given;
  const approach = move === "restart" ? state.exercise_state.exercise_therapeutic_approach : approachIn(state);
  const begun = begin(exercise, approach);
  return spoken({ move, exercise, index: 0, language }, begun, { action: "continue", approach: begun.exercise_therapeutic_approach });
}

/**
 * Returns the update of a turn in which the exercise waits. Other stages keep their reply, unless the reply was the exercise. `mentioned`: the reply
 * says that it waits.
 */
function paused(
  { exercise, index, step }: ActiveExercise,
  { response_style, response_guidance }: CompanionState,
  { mentioned = true }: { readonly mentioned?: boolean } = {},
): Delta {
  return {
    ...(response_style === "guided_exercise" ? { route: "therapeutic", response_style: "pending" } : {}),
    turn_lifecycle: { active_flow: "guided_exercise", action: "preserve" },
    ...(response_guidance === "" && mentioned ? { response_guidance: pausedDirective(exercise, index) } : {}),
    diagnostics: { guided_exercise_runtime_action: "paused", guided_exercise_step: step.id },
  };
}

/** The state, and how the exercise speaks. */
interface Spoken {
  readonly state: CompanionState;
  readonly language: ExerciseLanguage;
  /** The companion's last reply; empty if there is none. */
  readonly last: string;
}

/** Returns how a step that stays is spoken of. A message that could not be read is asked about, and a step that was just said is not repeated. */
const holding = ({ exercise, step }: ActiveExercise, by: JudgedBy, last: string): "hold" | "ask" | "waiting" => {
  if (by === "fallback") return "ask";
  const texts = [step.instruction, ...Object.values(exercise.translations).map(({ steps }) => steps[step.id]?.instruction ?? step.instruction)];
  if (!texts.some((text) => last.endsWith(text))) return "hold";
  return by === "rules" ? "waiting" : "ask";
};

/** Returns the update of a decision. */
function deltaOf(turn: ExerciseTurn, given: Spoken): Delta {
  const { language } = given;
  switch (turn.does) {
    case "nothing":
      return turn.paused === undefined ? {} : paused(turn.paused, given.state, { mentioned: turn.mentioned === true });
    case "aside":
      return leftFor(turn, given);
    case "lookup":
      return { ...paused(turn.paused, given.state), route: "grounded_lookup", response_style: "grounded_lookup" };
    case "clear":
      return {
        exercise_state: noExercise,
        turn_lifecycle: { active_flow: "none", action: "clear" },
        diagnostics: { guided_exercise_runtime_action: "clear", guided_exercise_step: null },
      };
    case "offer":
      return {
        exercise_state: noExercise,
        route: "therapeutic",
        response_style: "clarifying",
        turn_lifecycle: { active_flow: "none", action: "none" },
        response_guidance: offerDirective(turn.available, language),
        diagnostics: { guided_exercise_runtime_action: "offer", guided_exercise_selection_basis: "unclear" },
      };
    case "start": {
      const delta = started(turn.exercise, "start", given);
      return { ...delta, diagnostics: { ...delta.diagnostics, guided_exercise_selection_basis: turn.basis } };
    }
    case "restart":
      return started(turn.exercise, "restart", given);
    case "clarify":
    case "explain":
      return beside(turn.does, turn.active, language);
    case "resume": {
      const { exercise, index, approach, items } = turn.active;
      const here = atStep(exercise, index, { approach, items }) ?? noExercise;
      return spoken({ move: "resume", exercise, index, language }, here, { action: "resume", approach });
    }
    case "answer":
      return answered(turn, given);
  }
}

/** Returns the update of a turn in which the person turns to something else. If they name no topic, the exercise still replies. */
function leftFor({ active, about, by }: ExerciseTurn & { readonly does: "aside" }, { state, language }: Pick<Spoken, "state" | "language">): Delta {
  const rest = paused(active, state);
  const judged = { guided_exercise_result: "aside", guided_exercise_classified_by: by };
  const waits = { ...rest, exercise_state: pausedAt(active), diagnostics: { ...rest.diagnostics, ...judged } };
  if (about === "other") return waits;
  const { exercise, index } = active;
  return {
    ...waits,
    route: "therapeutic",
    response_style: "clarifying",
    response_guidance: directiveOf({ move: about === "wish" ? "aside" : "later", exercise, index, language }),
  };
}

const afterMoves = { better: "glad", worse: "sorry", after: "noted" } as const;

/** Returns the update of the turn after an exercise, in which the person says how it went. */
const afterwards = (exercise: ExerciseDefinition, { went }: Outcome, language: ExerciseLanguage): Delta => ({
  route: "therapeutic",
  response_style: "supportive",
  response_guidance: directiveOf({ move: afterMoves[went], exercise, index: exercise.steps.length - 1, language }),
  diagnostics: { guided_exercise_runtime_action: afterMoves[went] },
});

function answered({ active, reply }: ExerciseTurn & { readonly does: "answer" }, { language, last }: Spoken): Delta {
  const { exercise, index, approach } = active;
  const { state, move } = advance(active, reply.result, reply.items);
  const isSkipped = reply.skipped === true && move === "next";
  const said =
    reply.unwell === true ? "unwell" : isSkipped ? "skipped" : move === "hold" && reply.items === 0 ? holding(active, reply.by, last) : move;
  const delta = spoken({ move: said, exercise, index: state.exercise_step ?? index, language, items: reply.items }, state, {
    action: state.exercise_type === null ? "clear" : "continue",
    approach,
  });
  return {
    ...delta,
    ...(move === "finish" ? { should_persist_memory: true } : {}),
    diagnostics: { ...delta.diagnostics, guided_exercise_result: reply.result, guided_exercise_classified_by: reply.by },
  };
}

/**
 * Creates the stage of guided exercises, which must follow triage. It starts, continues, pauses, resumes and ends an exercise, and writes the text to
 * `response_guidance`. It remembers a completed exercise as a coping strategy. If the model fails or is missing, the person stays at their step and
 * sees no error.
 */
export function exerciseStages({
  control,
  registry = exerciseRegistry(exerciseCatalog),
  requests = startRequests(registry.all),
}: ExerciseStagesOptions = {}): readonly Stage<typeof Companion>[] {
  const decide = ({ state, context, signal }: Pick<StageContext<CompanionState>, "state" | "context" | "signal">, model: Model | undefined) =>
    decideTurn({ state, message: saidIn(context, state.message), before: before(context), registry, requests, model, signal });
  // What only a model can tell is asked beside triage, which may still send the message elsewhere.
  const ahead = async (given: AheadContext<CompanionState>): Promise<Model | undefined> => {
    const model = control && remembering(control);
    decide({ ...given, state: stateAhead(given.state, given.context, null) }, model).catch(() => {});
    return model;
  };
  return [
    stage("guided_exercise", { state: Companion, writes: written, ahead }, async ({ state, context, memory, signal }, asked) => {
      const message = saidIn(context, state.message);
      const earlier = before(context);
      const turn = await decide({ state, context, signal }, (await asked().catch(() => undefined)) ?? control);
      const language = languageFor(
        message,
        earlier.map(({ text }) => text),
        context.assessment?.language,
      );
      const last = earlier.findLast(({ role }) => role === "assistant")?.text ?? "";
      const { turn_count, finished_exercise } = state.session_progress;
      const finished = finished_exercise?.turn_count === turn_count - 1 ? finished_exercise.exercise_type : undefined;
      const own = ownMessage(context.messages);
      const keep = (completed: Completed): Promise<FactOutcome> => keepCopingFact(completed, { memory, language, context });
      if (turn.does === "nothing" && finished !== undefined) {
        const exercise = registry.get(finished);
        const completing = ownMessage(context.history.filter(({ offset }) => own === undefined || offset < own.offset));
        const outcome = outcomeIn(message);
        if (exercise === undefined || completing === undefined || own === undefined || outcome === undefined) return {};
        const fact = await keep({ exercise, completing, after: own });
        const delta: Delta = state.response_style === "pending" ? afterwards(exercise, outcome, language) : {};
        return { ...delta, diagnostics: { ...delta.diagnostics, guided_exercise_fact: fact } };
      }
      const delta = deltaOf(turn, { state, language, last });
      const ended = turn.does === "answer" && delta.should_persist_memory === true ? turn.active.exercise : undefined;
      if (ended === undefined || own === undefined) return delta;
      const progress = { session_progress: { finished_exercise: { exercise_type: ended.id, turn_count } } };
      const fact = await keep({ exercise: ended, completing: own });
      return { ...delta, ...progress, diagnostics: { ...delta.diagnostics, guided_exercise_fact: fact } };
    }),
  ];
}

/**
 * Outcome of storing the fact. `private`: the conversation is incognito. `none`: the agent has no memory. `failed`: storing failed, which does not
 * delay the reply.
 */
type FactOutcome = "kept" | "private" | "none" | "failed";

type Message = TurnInfo["messages"][number];

/** A completed exercise, and the messages that tell of it. */
interface Completed {
  readonly exercise: ExerciseDefinition;
  /** The message that completed it. */
  readonly completing: Message;
  /** The message after it, if it says how the exercise went. */
  readonly after?: Message | undefined;
}

const ownMessage = (messages: readonly Message[]): Message | undefined => messages.findLast(({ role, text }) => role === "user" && text !== "");

/** Returns what the completing message says: what the person wrote as the last step, or how it went. A mere "done" or a number says neither. */
function saidAtEnd({ exercise, completing: { text } }: Completed): { readonly words?: string; readonly outcome?: Outcome | undefined } {
  const step = exercise.steps.at(-1);
  if (step === undefined || step.rating !== undefined) return {};
  if (step.completion_mode === "confirmation" || (step.min_words ?? 1) < 2) return { outcome: outcomeIn(text) };
  return readClauses(text).some(({ kind }) => kind === "content") ? { words: text } : {};
}

/**
 * Remembers that the person uses this exercise to cope: what they did, in their words, and how it went. A second call with the message after it
 * replaces the text. Repeating the turn adds nothing. Never throws.
 */
async function keepCopingFact(
  completed: Completed,
  {
    memory,
    language,
    context,
  }: {
    readonly memory: StageContext<unknown>["memory"];
    readonly language: ExerciseLanguage;
    readonly context: Pick<TurnInfo, "session_id" | "now">;
  },
): Promise<FactOutcome> {
  if (memory === undefined) return "none";
  const { exercise, completing, after } = completed;
  const atEnd = saidAtEnd(completed);
  const outcome = (after === undefined ? undefined : outcomeIn(after.text)) ?? atEnd.outcome;
  try {
    await memory.remember({
      quote: recordOf(exercise, { language, at: context.now, ...atEnd, outcome }).slice(0, 280),
      category: "coping_strategy",
      predicate: "USES",
      object: { type: "CopingStrategy", id: exercise.id },
      confidence: "high",
      authority: "program",
      source: { session_id: context.session_id, offset: (after ?? completing).offset, at: context.now },
      reason: `Completed the exercise "${exercise.display_name}", version ${exercise.version}.`,
    });
    return "kept";
  } catch (error) {
    return ThroughlineError.is(error, "memory.incognito") ? "private" : "failed";
  }
}
