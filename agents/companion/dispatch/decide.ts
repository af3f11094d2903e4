/** What a triage decision comes to: pure, and the same for every model. */
import type { CompanionState } from "../state.ts";
import { beginning } from "./conversation.ts";
import type { TriageDecision } from "./triage-schema.ts";

/** What triage writes, besides its diagnostics. */
export interface Routed {
  readonly route: "therapeutic" | "memory_control" | "grounded_lookup" | "guided_exercise";
  readonly response_style?: "clarifying" | "grounded_lookup" | "guided_exercise";
  readonly therapeutic_approach?: NonNullable<CompanionState["therapeutic_approach"]>;
  readonly exercise_state?: { readonly exercise_type: string };
  readonly grounded_lookup?: { readonly query: string };
  readonly memory_reference?: { readonly mode: "explicit" };
  readonly response_guidance?: string;
  readonly open_clarification?: NonNullable<CompanionState["open_clarification"]>;
  readonly turn_lifecycle: Partial<CompanionState["turn_lifecycle"]>;
}

/** What decisions are made on. */
type Known = Pick<CompanionState, "exercise_state" | "session_progress" | "turn_lifecycle" | "memory_reference">;

/** Whether it must be asked what they mean: the decision says so, or is unsure of the route. A wish for privacy is never asked back about. */
const mustAsk = ({ clarification_needed, confidence, no_clarification_reason }: TriageDecision): boolean =>
  no_clarification_reason !== "explicit_privacy_control" && (clarification_needed || confidence === "low");

/**
 * Where a message goes. A decision that is unsure asks back, and keeps where it seemed to go for the next turn; an explicit reference to the memory is not taken
 * back; an exercise is named only if none is under way, and begins with the approach of the conversation.
 */
export function routed(state: Known, decision: TriageDecision, message: string): Routed {
  const { exercise_state, session_progress, turn_lifecycle } = state;
  const refers = decision.memory_reference_mode === "explicit" ? ({ memory_reference: { mode: "explicit" } } as const) : {};
  const action = flowAction(state, decision);
  const lifecycle = { action, secondary_route: decision.secondary_route };
  if (mustAsk(decision)) {
    const question = decision.clarification_question?.trim() ?? "";
    return {
      route: "therapeutic",
      response_style: "clarifying",
      ...refers,
      ...(question === "" ? {} : { response_guidance: `It is not clear what they mean. Ask, in your own words: ${question}` }),
      open_clarification: { tentative_route: decision.route, turn_count: session_progress.turn_count },
      turn_lifecycle: {
        ...lifecycle,
        clarification_needed: true,
        clarification_kind: decision.clarification_needed ? (decision.clarification_kind ?? "blocking") : "low_confidence",
        tentative_route: decision.route,
      },
    };
  }
  const turn = { ...refers, turn_lifecycle: { ...lifecycle, tentative_route: turn_lifecycle.tentative_route } };
  switch (decision.route) {
    case "grounded_lookup":
      return { ...turn, route: "grounded_lookup", response_style: "grounded_lookup", grounded_lookup: { query: textOr(decision.query, message) } };
    case "guided_exercise": {
      // Broad calls for help are talked about; who asks for an exercise in so many words is heard by the exercises' own rules.
      if (exercise_state.exercise_type === null && decision.exercise_start_basis === "ambiguous_or_none") return { ...turn, route: "therapeutic" };
      const named = decision.exercise_type?.trim() ?? "";
      const isFree = exercise_state.exercise_type === null && named !== "";
      return {
        ...turn,
        route: "guided_exercise",
        response_style: "guided_exercise",
        therapeutic_approach: session_progress.approach ?? "none",
        ...(isFree ? { exercise_state: { exercise_type: named } } : {}),
      };
    }
    default:
      return { ...turn, route: decision.route };
  }
}

/** What becomes of a flow that is open; without one there is nothing to do. */
const flowAction = ({ exercise_state, turn_lifecycle }: Known, { active_flow_action }: TriageDecision): TriageDecision["active_flow_action"] =>
  turn_lifecycle.let_go
    ? turn_lifecycle.action
    : turn_lifecycle.active_flow === "none" && exercise_state.exercise_type === null
      ? "none"
      : active_flow_action;

const textOr = (text: string | null, other: string): string => beginning(text?.trim() || other.trim(), 280);
