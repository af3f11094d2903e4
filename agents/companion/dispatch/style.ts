/** How a reply is meant: one structured call, where nothing before has decided it. */
import { asData, stage, type Model, type Stage } from "throughline";
import { ask } from "../model/ask.ts";
import { formatWorkingMemory } from "../memory/render.ts";
import { Companion, type CompanionState } from "../state.ts";
import { asked } from "./conversation.ts";
import { styleInstructions } from "./style-prompt.ts";
import { styleSchema, type StyleDecision } from "./style-schema.ts";
import { causeOf, traced } from "./trace.ts";

const written = [
  ...(["route", "response_style", "therapeutic_approach", "response_guidance", "session_action", "session_progress", "diagnostics"] as const),
] as const;

/** The name that the stage has; what is recalled is recalled before it. */
export const styleStageName = "style";

/** What a decision writes. What an exercise keeps goes before what is chosen anew, except to explain something. */
export function styled(
  state: CompanionState,
  { response_style, therapeutic_approach, session_intent, guidance_permission, response_guidance }: StyleDecision,
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

/** What a turn has whose style was decided before: by triage, a lookup, or an exercise. */
function settled({ route, therapeutic_approach }: CompanionState) {
  return {
    route: route === "grounded_lookup" ? "grounded_lookup" : "therapeutic",
    therapeutic_approach: therapeutic_approach ?? "none",
    ...(therapeutic_approach === null || therapeutic_approach === "none" ? {} : { session_progress: { approach: therapeutic_approach } }),
  } as const;
}

/** The stage. A model that fails leaves a person with a supportive answer. */
export const styleStage = ({ control, withinMs = 8_000 }: { readonly control: Model; readonly withinMs?: number }): Stage<typeof Companion> =>
  stage(styleStageName, { state: Companion, writes: written }, async ({ state, context, signal }) => {
    if (state.response_style !== "pending") return settled(state);
    const remembered = asData("memory", formatWorkingMemory(state.working_memory));
    const notes = [
      `Stage of the conversation: ${context.stage ?? "opening"}. What they were after so far: ${state.session_progress.session_intent ?? "unknown"}.`,
      ...(remembered === "" ? [] : [remembered]),
    ];
    try {
      const text = asked(context, { message: state.message, notes });
      const decision = await ask(control, { name: "style", schema: styleSchema, instructions: styleInstructions, text, signal, withinMs });
      const delta = styled(state, decision);
      const { response_style, confidence } = decision;
      const record = { stage: "style", decision: response_style, source: "model", reason: delta.therapeutic_approach, confidence } as const;
      return { ...delta, diagnostics: traced(state, record) };
    } catch (error) {
      signal.throwIfAborted();
      const record = { stage: "style", decision: "supportive", source: "fallback", reason: causeOf(error), confidence: "low" } as const;
      return {
        route: "therapeutic",
        response_style: "supportive",
        therapeutic_approach: state.exercise_state.exercise_therapeutic_approach ?? "none",
        diagnostics: { ...traced(state, record), style_fallback_reason: causeOf(error) },
      } as const;
    }
  });
