/** Builds the output of a turn from the state at its end, as a value and as one line. */
import { ThroughlineError, type TurnResult } from "throughline";
import {
  type AgentOutput,
  agentOutputSchema,
  type CrisisAssessment,
  crisisAssessmentSchema,
  responseStyles,
  therapeuticApproaches,
} from "./contract.ts";

/** Input of an output: the output view of the state, or a plain object of the same shape. */
type OutputState = Readonly<Record<string, unknown>>;

const calm: CrisisAssessment = Object.freeze({
  level: 0,
  confidence: "low",
  reason: "none",
  needs_crisis_response: false,
  needs_clarification: false,
});

/** Reads the assessment and derives its flags from the level. */
function crisisOf(given: unknown): CrisisAssessment {
  if (given === undefined || given === null) return calm;
  const read = crisisAssessmentSchema
    .partial({ confidence: true, reason: true, needs_crisis_response: true, needs_clarification: true })
    .safeParse(given);
  if (!read.success)
    throw new ThroughlineError(
      "input.invalid",
      `The crisis of a state is an assessment with a level of 0 to 3; see /crisis/${read.error.issues[0]?.path.join("/") ?? ""}.`,
    );
  const { level, confidence = "low", reason = "none" } = read.data;
  return { level, confidence, reason, needs_crisis_response: level >= 2, needs_clarification: level === 1 };
}

function sourceOf(style: AgentOutput["response_style"], { level }: CrisisAssessment): AgentOutput["response_style_source"] {
  if (style === "pending") return "none";
  if (level >= 2 || style === "crisis_response" || style === "safety_check") return "gate";
  if (level === 1 && style === "clarifying") return "gate";
  return style === "guided_exercise" ? "exercise" : "dispatch";
}

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

/**
 * Builds the output of a turn. `crisis` can be a partial assessment that contains at least the level. The response type is `crisis` from level 2 on.
 * A style or approach that the companion does not have counts as none. Throws `input.invalid` for an invalid crisis.
 */
export function stateToOutput(state: OutputState, reply?: string): AgentOutput {
  const crisis = crisisOf(state["crisis"]);
  const category = crisis.level >= 2 ? "crisis" : "therapeutic";
  const { response_style, diagnostics, therapeutic_approach, session_action, should_persist_memory } = state;
  const style = responseStyles.find((one) => one === response_style) ?? "pending";
  return agentOutputSchema.parse({
    response_text: reply ?? textOr(state["response_text"], ""),
    response_type: category,
    crisis,
    response_style: style,
    response_style_type: category,
    response_style_source: sourceOf(style, crisis),
    therapeutic_approach: therapeuticApproaches.find((one) => one === therapeutic_approach) ?? null,
    session_action: session_action === "suggest_end_session" ? "suggest_end_session" : "none",
    should_persist_memory: should_persist_memory === true,
    diagnostics: typeof diagnostics === "object" && diagnostics !== null ? { ...diagnostics } : {},
  });
}

/** Builds the output of a runtime's turn. Throws the error of a failed turn; the person already received the apology. */
export function outputOfTurn({ status, error, output, reply = "", diagnostics: { turn_total_ms } }: TurnResult): AgentOutput {
  if (status !== "failed" || error === undefined) {
    const made = stateToOutput(output, reply);
    return typeof turn_total_ms === "number" ? { ...made, diagnostics: { ...made.diagnostics, turn_total_ms } } : made;
  }
  const { code, message, hint, details, cause } = error;
  throw new ThroughlineError(code, message, { hint, cause, ...(details === undefined ? {} : { details }) });
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/**
 * Formats a turn as one line, from the output view of the state. It contains mode, route, style, approach, gate level, memory hits (facts and turns +
 * sessions) and exercise step. Empty parts are omitted.
 * @example contextLine((await session.send("hello")).output)
 */
export function contextLine({
  route,
  response_style,
  therapeutic_approach,
  crisis,
  diagnostics,
  exercise_state,
  session_progress,
}: OutputState): string {
  const facts = memberOf(diagnostics, "semantic_hits");
  const sessions = memberOf(diagnostics, "episodic_hits");
  const exercise = textOf(memberOf(exercise_state, "exercise_type"));
  const step = memberOf(exercise_state, "exercise_step");
  const approach = textOf(therapeutic_approach);
  return [
    memberOf(session_progress, "is_guest") === true ? "incognito" : "persistent",
    textOf(route) ?? "undecided",
    textOf(response_style) ?? "pending",
    ...(approach === undefined || approach === "none" ? [] : [approach]),
    `level ${Number(memberOf(crisis, "level") ?? 0)}`,
    ...(typeof facts === "number" && typeof sessions === "number" ? [`memory ${facts} + ${sessions}`] : []),
    ...(exercise === undefined || typeof step !== "number" ? [] : [`${exercise} step ${step + 1}`]),
  ].join(" · ");
}
