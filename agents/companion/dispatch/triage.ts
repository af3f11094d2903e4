/** Triage: one structured call that says where a message goes. */
import { stage, type Model, type Stage, type StageContext } from "throughline";
import { ask } from "../model/ask.ts";
import { Companion, type CompanionState } from "../state.ts";
import { asked, saidIn } from "./conversation.ts";
import { routed } from "./decide.ts";
import { commandOf, doCommand } from "./memory.ts";
import { causeOf, traced } from "./trace.ts";
import { triageInstructions } from "./triage-prompt.ts";
import { triageSchema, type TriageDecision } from "./triage-schema.ts";

const written = [
  ...(["route", "response_style", "therapeutic_approach", "exercise_state", "grounded_lookup", "memory_reference"] as const),
  ...(["response_guidance", "open_clarification", "turn_lifecycle", "memory_control", "diagnostics"] as const),
] as const;

/** What the call is told besides the conversation. */
function notesFor({ turn_lifecycle, exercise_state, memory_control, memory_reference, session_progress }: CompanionState): readonly string[] {
  const { active_flow, answers_clarification, tentative_route } = turn_lifecycle;
  const flow =
    active_flow === "pending_memory_action"
      ? `pending_memory_action (${memory_control.pending_action?.type ?? "delete"})`
      : active_flow === "guided_exercise"
        ? `guided_exercise (${exercise_state.exercise_type}, step ${(exercise_state.exercise_step ?? 0) + 1})`
        : "none";
  return [
    `Open flow: ${flow}. Memory reference: ${memory_reference.mode}. Message ${session_progress.turn_count} of the conversation.`,
    ...(answers_clarification && tentative_route !== null
      ? [
          `The companion was unsure in the turn before (it seemed to be ${tentative_route}) and asked. This message may be the answer; do not force it to be.`,
        ]
      : []),
  ];
}

/**
 * The stage. A model that fails, answers something else or takes too long leaves the message where a person is answered in any case: in ordinary talk, or in the
 * exercise that runs. It never ends a turn.
 */
export const triageStage = ({ control, withinMs = 8_000 }: { readonly control: Model; readonly withinMs?: number }): Stage<typeof Companion> =>
  stage("triage", { state: Companion, writes: written }, async (given) => {
    const { state, context, signal } = given;
    const message = saidIn(context, state.message);
    // Nobody has said anything that could go anywhere: the companion speaks first, or goes on after people had the session.
    if (message.trim() === "") return { route: "therapeutic", response_style: "supportive" } as const;
    let decision: TriageDecision;
    try {
      const text = asked(context, { message: state.message, notes: notesFor(state) });
      decision = await ask(control, { name: "triage", schema: triageSchema, instructions: triageInstructions, text, signal, withinMs });
    } catch (error) {
      signal.throwIfAborted();
      return { route: "therapeutic", diagnostics: { ...traced(state, failed(error)), triage_fallback_reason: causeOf(error) } } as const;
    }
    const diagnostics = diagnosticsOf(state, decision);
    const delta = routed(state, decision, message);
    if (delta.route !== "memory_control") return { ...delta, diagnostics };
    return (await commanded(given, { decision, message, diagnostics })) ?? { ...delta, route: "therapeutic", diagnostics };
  });

const failed = (error: unknown) =>
  ({ stage: "triage", decision: "therapeutic", source: "fallback", reason: causeOf(error), confidence: "low" }) as const;

/** A command that only triage has seen. One that cannot be carried out is talked about instead. */
async function commanded(
  given: StageContext<CompanionState>,
  {
    decision,
    message,
    diagnostics,
  }: { readonly decision: TriageDecision; readonly message: string; readonly diagnostics: Readonly<Record<string, unknown>> },
) {
  const command = commandOf(decision, message);
  return command === undefined ? undefined : doCommand(given, { command, diagnostics });
}

function diagnosticsOf(state: CompanionState, decision: TriageDecision): Readonly<Record<string, unknown>> {
  const { route, confidence, active_flow_action, clarification_needed, clarification_kind, secondary_route, no_clarification_reason } = decision;
  return {
    ...traced(state, { stage: "triage", decision: route, source: "model", reason: active_flow_action, confidence }),
    triage_route: route,
    triage_active_flow_action: active_flow_action,
    triage_confidence: confidence,
    triage_clarification_needed: clarification_needed,
    ...(clarification_kind === null ? {} : { triage_clarification_kind: clarification_kind }),
    ...(secondary_route === null ? {} : { triage_secondary_route: secondary_route }),
    ...(no_clarification_reason === null ? {} : { triage_no_clarification_reason: no_clarification_reason }),
    ...(confidence === "low" ? { triage_tentative_route: route } : {}),
  };
}
