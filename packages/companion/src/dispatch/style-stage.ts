/** The style of a reply: what triage chose, if no stage between them decided otherwise. It asks no model. */
import { stage, type Stage } from "throughline";
import { Companion, type CompanionState, traced } from "../companion-state.ts";
import type { ChosenStyle } from "./dispatch-schemas.ts";

const written = [
  ...(["route", "response_style", "therapeutic_approach", "response_guidance", "session_action", "session_progress", "diagnostics"] as const),
] as const;

/** Name of the stage. Recall runs before it. */
export const styleStageName = "style";

/** Returns the state update of a choice. An exercise's approach takes precedence over a new choice, except in explanations. */
export function styled(
  state: CompanionState,
  { response_style, therapeutic_approach, session_intent, guidance_permission, response_guidance }: ChosenStyle,
) {
  const pinned = state.exercise_state.exercise_therapeutic_approach;
  const free = response_style === "clarifying" || response_style === "closing" ? "none" : therapeutic_approach;
  const approach = pinned !== null && response_style !== "psychoeducation" ? pinned : free;
  const note = state.response_guidance === "" ? response_guidance : state.response_guidance;
  return {
    route: "therapeutic",
    response_style,
    therapeutic_approach: approach,
    response_guidance: note.trim(),
    session_action: response_style === "closing" ? "suggest_end_session" : "none",
    session_progress: {
      ...(session_intent === null ? {} : { session_intent }),
      ...(guidance_permission === null ? {} : { guidance_permission }),
      ...(approach === "none" ? {} : { approach }),
    },
  } as const;
}

/** Returns the state update if triage, a lookup or an exercise already decided the style. */
function settled({ route, therapeutic_approach }: CompanionState) {
  return {
    route: route === "grounded_lookup" ? "grounded_lookup" : "therapeutic",
    therapeutic_approach: therapeutic_approach ?? "none",
    ...(therapeutic_approach === null || therapeutic_approach === "none" ? {} : { session_progress: { approach: therapeutic_approach } }),
  } as const;
}

/** Creates the stage. Without a choice the reply is supportive. */
export const styleStage = (): Stage<typeof Companion> =>
  stage(styleStageName, { state: Companion, writes: written }, ({ state }) => {
    if (state.response_style !== "pending") return settled(state);
    const chosen = state.dispatch?.style ?? null;
    if (chosen !== null) {
      const delta = styled(state, chosen);
      const record = {
        stage: "style",
        decision: chosen.response_style,
        source: "model",
        reason: delta.therapeutic_approach,
        confidence: "medium",
      } as const;
      return { ...delta, diagnostics: traced(state, record) };
    }
    const { triage_fallback_reason } = state.diagnostics;
    const reason = typeof triage_fallback_reason === "string" ? triage_fallback_reason : "none";
    const record = { stage: "style", decision: "supportive", source: "fallback", reason, confidence: "low" } as const;
    return {
      route: "therapeutic",
      response_style: "supportive",
      therapeutic_approach: state.exercise_state.exercise_therapeutic_approach ?? "none",
      diagnostics: { ...traced(state, record), style_fallback_reason: reason },
    } as const;
  });
