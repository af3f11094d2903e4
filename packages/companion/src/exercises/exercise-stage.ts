/** Guided exercises as a stage of the turn, after triage and before the reply. Remembers a completed exercise as a fact. */
import { type Model, stage, type Stage, type StageContext, ThroughlineError, type TurnInfo } from "throughline";
import { Companion, type CompanionState, type ExerciseState, noExercise } from "../companion-state.ts";
import { before, saidIn } from "../dispatch/ask-model.ts";
import { exerciseCatalog, type ExerciseDefinition, type ExerciseLanguage, exerciseRegistry, type ExerciseRegistry } from "./exercise-definition.ts";
import { startRequests, type StartRequests } from "./exercise-requests.ts";
import { type ActiveExercise, advance, approachIn, atStep, begin, decideTurn, type ExerciseTurn, type JudgedBy, pausedAt } from "./exercise-turn.ts";
import { directiveOf, languageFor, offerDirective, pausedDirective, type SpokenMove } from "./exercise-wording.ts";

/** Options of the stage. */
interface ExerciseStagesOptions {
  /**
   * Decides what rules cannot: the requested exercise, and the effect of an answer. Without one, the step stays as it is, and the reply lists the
   * exercises.
   */
  readonly control?: Model | undefined;
  /** The available exercises; default the companion's own. */
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
  return texts.some((text) => last.endsWith(text)) && by === "rules" ? "waiting" : "hold";
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

function answered({ active, reply }: ExerciseTurn & { readonly does: "answer" }, { language, last }: Spoken): Delta {
  const { exercise, index, approach } = active;
  const { state, move } = advance(active, reply.result, reply.items);
  const said = reply.unwell === true ? "unwell" : move === "hold" && reply.items === 0 ? holding(active, reply.by, last) : move;
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
      const last = earlier.findLast(({ role }) => role === "assistant")?.text ?? "";
      const delta = deltaOf(turn, { state, language, last });
      if (turn.does !== "answer" || delta.should_persist_memory !== true) return delta;
      const fact = await keepCopingFact({ memory, exercise: turn.active.exercise, requests, context });
      return { ...delta, diagnostics: { ...delta.diagnostics, guided_exercise_fact: fact } };
    }),
  ];
}

/**
 * Outcome of storing the fact. `private`: the conversation is incognito. `none`: the agent has no memory. `failed`: storing failed, which does not
 * delay the reply.
 */
type FactOutcome = "kept" | "private" | "none" | "failed";

type Message = TurnInfo["messages"][number];

/**
 * Returns the message to quote: the one that completed the exercise. If the last step is a mere confirmation, it is the one that requested the
 * exercise, if the conversation still contains it.
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

/** Remembers that the person uses this exercise to cope, with their own words as the source. Repeating the turn adds nothing. Never throws. */
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
