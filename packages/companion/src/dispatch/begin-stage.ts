/** The first stages of every turn: the turn's fields, the gate's verdict, and the greeting. In danger, no other stage runs. */
import { stage, type Stage, type StageContext, withControl } from "throughline";
import { Companion, type CompanionState, noExercise, traced } from "../companion-state.ts";

/** Turns during which a clarifying question stays open. */
const clarificationTurns = 1;

/** Counts the turn and determines whether an exercise or a memory confirmation is open. A new session of the thread closes both. */
export const beginStage = (): Stage<typeof Companion> =>
  stage(
    "begin",
    { state: Companion, writes: ["session_progress", "exercise_state", "turn_lifecycle", "memory_control", "open_clarification"], runs: "always" },
    async ({ state, context, memory }) => {
      if (isNewSession(state, context)) await letGo(memory, context.turn_id);
      const begun = beginning(state, context, await waiting(memory));
      const { turn_count } = begun.session_progress;
      return turn_count === 1 ? { ...begun, session_progress: { ...begun.session_progress, is_guest: await isGuest(memory) } } : begun;
    },
  );

type Facts = Pick<StageContext<CompanionState>["context"], "episode">;

const isNewSession = ({ session_progress: { session } }: CompanionState, { episode }: Facts): boolean => session > 0 && session !== episode;

/** Returns the update of a beginning turn. */
function beginning(state: CompanionState, context: Facts, pending: Waiting) {
  const { session_progress, exercise_state, open_clarification } = state;
  const turn_count = session_progress.turn_count + 1;
  const isNew = isNewSession(state, context);
  const exercising = !isNew && exercise_state.exercise_type !== null;
  const clarification =
    isNew || open_clarification === null || turn_count - open_clarification.turn_count > clarificationTurns ? null : open_clarification;
  return {
    session_progress: {
      turn_count,
      ...(session_progress.session === context.episode
        ? {}
        : ({ session: context.episode, session_intent: null, guidance_permission: null, approach: null, finished_exercise: null } as const)),
    },
    ...(isNew ? { exercise_state: noExercise } : {}),
    turn_lifecycle: {
      active_flow: pending !== null ? "pending_memory_action" : exercising ? "guided_exercise" : "none",
      answers_clarification: clarification !== null,
      tentative_route: clarification?.tentative_route ?? null,
    },
    memory_control: { pending_action: pending },
    open_clarification: null,
  } as const;
}

/** Returns the state that the first stages will make of the state before a turn, for work ahead of them. It changes nothing. */
export function stateAhead(state: CompanionState, context: Facts, pending: Waiting): CompanionState {
  const begun = beginning(state, context, pending);
  return {
    ...state,
    ...begun,
    session_progress: { ...state.session_progress, ...begun.session_progress },
    turn_lifecycle: { ...state.turn_lifecycle, ...begun.turn_lifecycle },
    memory_control: { ...state.memory_control, ...begun.memory_control },
  };
}

/** Cancels an unanswered memory confirmation. */
async function letGo(memory: StageContext<CompanionState>["memory"], turn_id: string): Promise<void> {
  if ((await waiting(memory)) !== null)
    await memory?.control({ type: "cancel_pending" }, { key: `${turn_id}/begin`, turn: turn_id }).catch(() => undefined);
}

export type Waiting = CompanionState["memory_control"]["pending_action"];

/** Returns the memory action that needs confirmation. If the memory cannot be read, there is none, so no message counts as a yes. */
export async function waiting(memory: StageContext<CompanionState>["memory"]): Promise<Waiting> {
  const pending = (await memory?.pending().catch(() => null)) ?? null;
  if (pending === null) return null;
  return { type: pending.type, count: pending.type === "delete" ? 1 + (pending.also?.length ?? 0) : pending.targets.length };
}

/** Tells whether nothing of the session is remembered, because it is incognito or the agent has no memory. This never changes within a session. */
const isGuest = async (memory: StageContext<CompanionState>["memory"]): Promise<boolean> =>
  memory === undefined ||
  (await memory.status().then(
    ({ incognito }) => incognito === true,
    () => false,
  ));

/** Clarification kind of a turn that only asks about safety. */
export const safetyClarification = "safety";

/**
 * Applies the gate's verdict to the state. If the gate interrupts the turn, pending memory confirmations are canceled, because the reply asks about
 * safety. During an open crisis, a question of level 1 has the style of a safety check. An exercise pauses at level 1 and ends from level 2 on.
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
      // The next yes answers the safety question, so it must not delete anything. A turn that continues as usual asks none.
      const letsGo = context.interrupted === true && state.memory_control.pending_action !== null;
      if (letsGo) await memory?.control({ type: "cancel_pending" }, { key: `${turn_id}/safety`, turn: turn_id }).catch(() => undefined);
      const memory_control = letsGo ? { action: {}, pending_action: null } : {};
      if (level === 1)
        return {
          diagnostics,
          memory_control,
          // The next message answers the gate's question, not the step.
          ...(context.interrupted === true && state.exercise_state.exercise_type !== null ? { exercise_state: { exercise_paused: true } } : {}),
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
 * First stage of a turn that continues as usual. The level stays 1 for a time after a crisis. If the gate has no question left, the reply is an
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

/** The greeting discloses first that this is an AI, so that no one learns it later. */
export const greeting =
  "Hello. I am an AI companion: not a person, and no emergency service. You can tell me what is on your mind, try a short exercise with me, look something up, or ask what I remember of you. What would you like?";

/** Greets with a fixed text, without a model. */
export const greetStage = (): Stage<typeof Companion> =>
  stage("greet", { state: Companion, writes: ["route", "response_style", "therapeutic_approach"] }, ({ context }) =>
    context.cause === "greeting"
      ? withControl({ reply: greeting, memory: "skip" }, {
          route: "therapeutic",
          response_style: "supportive",
          therapeutic_approach: "none",
        } as const)
      : undefined,
  );
