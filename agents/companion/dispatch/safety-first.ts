/** What the gate's verdict does to the turn: in danger nothing else goes on. */
import { stage, type Stage } from "throughline";
import { Companion, noExercise } from "../state.ts";
import { traced } from "./trace.ts";

/** What a lifecycle calls a turn that asks about safety, and nothing else. */
export const safetyClarification = "safety";

/**
 * From level 1 on nothing about the memory waits for a yes: what is asked now is about safety, in the style of a check while a crisis is not over. An exercise waits at
 * level 1, and is over from level 2 on.
 */
export const safetyFirstStage = (): Stage<typeof Companion> =>
  stage(
    "safety_first",
    {
      state: Companion,
      writes: ["exercise_state", "memory_control", "turn_lifecycle", "route", "response_style", "therapeutic_approach", "diagnostics"],
      runs: "always",
    },
    async ({ state, context, memory }) => {
      const { assessment, turn_id } = context;
      const level = assessment?.level ?? 0;
      const diagnostics = traced(state, {
        stage: "crisis_gate",
        decision: level >= 2 ? "crisis" : level === 1 ? "check" : "normal",
        source: "gate",
        reason: assessment?.reason_code ?? "none",
        confidence: assessment?.confidence ?? "low",
      });
      if (level === 0) return { diagnostics };
      // The next yes answers what is asked now: it must not delete anything. In a turn that goes on as usual nothing is asked.
      const letsGo = context.interrupted === true && state.memory_control.pending_action !== null;
      if (letsGo) await memory?.control({ type: "cancel_pending" }, { key: `${turn_id}/safety`, turn: turn_id }).catch(() => undefined);
      const memory_control = letsGo ? { action: {}, pending_action: null } : {};
      if (level === 1)
        return {
          diagnostics,
          memory_control,
          route: "therapeutic",
          therapeutic_approach: "none",
          response_style: (state.safety_plan?.highest ?? 0) >= 2 ? "safety_check" : "clarifying",
          turn_lifecycle: { clarification_needed: true, clarification_kind: safetyClarification },
        } as const;
      return {
        diagnostics,
        exercise_state: noExercise,
        memory_control,
        turn_lifecycle: { active_flow: "none", action: "none" },
        route: "crisis",
        response_style: "crisis_response",
        therapeutic_approach: "pfa",
      } as const;
    },
  );

/**
 * The first stage of a turn that goes on as usual. While the time after a crisis is not over its level stays 1; where the gate has nothing left to ask, the reply is an
 * ordinary one.
 */
export const goOnStage = (): Stage<typeof Companion> =>
  stage("go_on", { state: Companion, writes: ["route", "response_style", "therapeutic_approach", "turn_lifecycle"] }, ({ state }) =>
    state.turn_lifecycle.clarification_kind === safetyClarification
      ? {
          route: "",
          response_style: "pending",
          therapeutic_approach: null,
          turn_lifecycle: { clarification_needed: false, clarification_kind: null },
        }
      : undefined,
  );
