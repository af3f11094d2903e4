/** Guided exercises as a stage of the turn: after triage, before the reply; and the fact that is remembered of a finished one. */
import { type Model, stage, type Stage, type StageContext, ThroughlineError, type TurnInfo } from "throughline";
import { Companion, type CompanionState, type ExerciseState, noExercise } from "../companion-state.ts";
import { before, saidIn } from "../dispatch/ask-model.ts";
import { exerciseCatalog, type ExerciseDefinition, type ExerciseLanguage, exerciseRegistry, type ExerciseRegistry } from "./exercise-definition.ts";
import { startRequests, type StartRequests } from "./exercise-requests.ts";
import { type ActiveExercise, advance, approachIn, atStep, begin, decideTurn, type ExerciseTurn } from "./exercise-turn.ts";
import { directiveOf, languageFor, offerDirective, pausedDirective, type SpokenMove } from "./exercise-wording.ts";

/** What the stage is made with. */
interface ExerciseStagesOptions {
  /** Judges what rules cannot: which exercise is meant, and what an answer comes to. Without one a step stays as it is and the exercises are named. */
  readonly control?: Model | undefined;
  /** The exercises there are; the companion's own by default. */
  readonly registry?: ExerciseRegistry;
}

const written = [
  "exercise_state",
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
  readonly route?: "therapeutic" | "grounded_lookup";
  readonly response_style?: "guided_exercise" | "clarifying" | "psychoeducation" | "grounded_lookup" | "pending";
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

/** A turn that the exercise answers. */
const spoken = (
  move: SpokenMove,
  state: ExerciseState,
  { action, approach }: { readonly action: "continue" | "resume" | "clear"; readonly approach: ExerciseState["exercise_therapeutic_approach"] },
): Delta => ({
  exercise_state: state,
  route: "therapeutic",
  response_style: "guided_exercise",
  ...approachOf(approach),
  // Whatever triage was unsure of, this is what was meant.
  open_clarification: null,
  turn_lifecycle: { active_flow: state.exercise_type === null ? "none" : "guided_exercise", action },
  response_guidance: directiveOf(move),
  diagnostics: { guided_exercise_runtime_action: move.move, guided_exercise_step: state.exercise_step_id },
});

/** A question beside the exercise: nothing of it moves. What a step means is told under its approach; why it is done, under whichever fits. */
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

/** A turn in which the exercise waits. What somebody else has to say in it is left alone, unless that was the exercise itself. */
function paused({ exercise, index, step }: ActiveExercise, { response_style, response_guidance }: CompanionState): Delta {
  return {
    ...(response_style === "guided_exercise" ? { route: "therapeutic", response_style: "pending" } : {}),
    turn_lifecycle: { active_flow: "guided_exercise", action: "preserve" },
    ...(response_guidance === "" ? { response_guidance: pausedDirective(exercise, index) } : {}),
    diagnostics: { guided_exercise_runtime_action: "paused", guided_exercise_step: step.id },
  };
}

/** What a decision writes. */
function deltaOf(turn: ExerciseTurn, given: { readonly state: CompanionState; readonly language: ExerciseLanguage }): Delta {
  const { language } = given;
  switch (turn.does) {
    case "nothing":
      return turn.paused === undefined ? {} : paused(turn.paused, given.state);
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
      return answered(turn, language);
  }
}

function answered({ active, reply }: ExerciseTurn & { readonly does: "answer" }, language: ExerciseLanguage): Delta {
  const { exercise, index, approach } = active;
  const { state, move } = advance(active, reply.result, reply.items);
  const said = reply.unwell === true ? "unwell" : move;
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
 * The stage of guided exercises, to be put after triage. It starts, continues, pauses, resumes and ends an exercise, writes what is to be said to `response_guidance`,
 * and keeps what helped when one is complete. A model that fails, or is none, keeps a person at their step; it is never an error to them.
 */
export function exerciseStages({ control, registry = exerciseRegistry(exerciseCatalog) }: ExerciseStagesOptions = {}): readonly Stage<
  typeof Companion
>[] {
  const requests = startRequests(registry.all);
  return [
    stage("guided_exercise", { state: Companion, writes: written }, async ({ state, context, memory, signal }) => {
      const message = saidIn(context, state.message);
      const earlier = before(context);
      const turn = await decideTurn({ state, message, before: earlier, registry, requests, model: control, signal });
      const language = languageFor(
        message,
        earlier.map(({ text }) => text),
        context.assessment?.language,
      );
      const delta = deltaOf(turn, { state, language });
      if (turn.does !== "answer" || delta.should_persist_memory !== true) return delta;
      const fact = await keepCopingFact({ memory, exercise: turn.active.exercise, requests, context });
      return { ...delta, diagnostics: { ...delta.diagnostics, guided_exercise_fact: fact } };
    }),
  ];
}

/** What became of it. `private`: the conversation is incognito; `none`: the agent has no memory; `failed`: it could not be kept, which holds nothing up. */
type FactOutcome = "kept" | "private" | "none" | "failed";

type Message = TurnInfo["messages"][number];

/**
 * The person's words for it: those of the message that completed the exercise, unless that only says "done"; then those of the message that asked for it, where the
 * conversation still has it.
 */
function evidence(
  { messages, history }: Pick<TurnInfo, "messages" | "history">,
  exercise: ExerciseDefinition,
  requests: StartRequests,
): Message | undefined {
  const last = messages.findLast(({ role, text }) => role === "user" && text !== "");
  if (exercise.steps.at(-1)?.completion_mode !== "confirmation") return last;
  return history.findLast(({ role, text }) => role === "user" && requests.named(text, [exercise]) !== undefined) ?? last;
}

/**
 * Keeps the fact that the person uses this exercise to cope, in their own words and with where they said them. The same turn run again adds nothing. It never fails a
 * turn.
 */
async function keepCopingFact({
  memory,
  exercise,
  requests,
  context,
}: {
  readonly memory: StageContext<unknown>["memory"];
  readonly exercise: ExerciseDefinition;
  readonly requests: StartRequests;
  readonly context: Pick<TurnInfo, "session_id" | "now" | "messages" | "history">;
}): Promise<FactOutcome> {
  const message = evidence(context, exercise, requests);
  if (memory === undefined || message === undefined) return "none";
  try {
    await memory.remember({
      quote: message.text
        .trim()
        .slice(0, 280)
        .replace(/[\uD800-\uDBFF]$/, ""),
      category: "coping_strategy",
      predicate: "USES",
      object: { type: "CopingStrategy", id: exercise.id },
      confidence: "high",
      authority: "program",
      source: { session_id: context.session_id, offset: message.offset, at: context.now },
      reason: `Completed the exercise "${exercise.display_name}", version ${exercise.version}.`,
    });
    return "kept";
  } catch (error) {
    return ThroughlineError.is(error, "memory.incognito") ? "private" : "failed";
  }
}
