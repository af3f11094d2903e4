/** What every turn begins with: its fields, the verdict of the gate, and the greeting. In danger nothing else goes on. */
import { stage, type Stage, type StageContext, withControl } from "throughline";
import { Companion, type CompanionState, noExercise, traced } from "../companion-state.ts";

/** How many turns a question of the companion stands that it asked because it was unsure. */
const clarificationTurns = 1;

/**
 * Counts the turn, and says whether an exercise or a question about the memory is open. In a new session of the thread neither is: what was begun in the last one has
 * ended with it.
 */
export const beginStage = (): Stage<typeof Companion> =>
  stage(
    "begin",
    { state: Companion, writes: ["session_progress", "exercise_state", "turn_lifecycle", "memory_control", "open_clarification"], runs: "always" },
    async ({ state, context, memory }) => {
      const { session_progress, exercise_state, open_clarification } = state;
      const turn_count = session_progress.turn_count + 1;
      const begins = session_progress.session !== context.episode;
      const isNew = begins && session_progress.session > 0;
      if (isNew) await letGo(memory, context.turn_id);
      const pending = await waiting(memory);
      const exercising = !isNew && exercise_state.exercise_type !== null;
      const asked =
        isNew || open_clarification === null || turn_count - open_clarification.turn_count > clarificationTurns ? null : open_clarification;
      return {
        session_progress: {
          turn_count,
          ...(begins ? { session: context.episode, session_intent: null, guidance_permission: null, approach: null } : {}),
          ...(turn_count === 1 ? { is_guest: await isGuest(memory) } : {}),
        },
        ...(isNew ? { exercise_state: noExercise } : {}),
        turn_lifecycle: {
          active_flow: pending !== null ? "pending_memory_action" : exercising ? "guided_exercise" : "none",
          answers_clarification: asked !== null,
          tentative_route: asked?.tentative_route ?? null,
        },
        memory_control: { pending_action: pending },
        open_clarification: null,
      } as const;
    },
  );

/** Lets go of a question about the memory that nobody has answered. */
async function letGo(memory: StageContext<CompanionState>["memory"], turn_id: string): Promise<void> {
  if ((await waiting(memory)) !== null)
    await memory?.control({ type: "cancel_pending" }, { key: `${turn_id}/begin`, turn: turn_id }).catch(() => undefined);
}

type Waiting = CompanionState["memory_control"]["pending_action"];

/** What waits for a yes. A memory that cannot be read keeps nobody waiting: then nothing is taken for a yes either. */
async function waiting(memory: StageContext<CompanionState>["memory"]): Promise<Waiting> {
  const pending = (await memory?.pending().catch(() => null)) ?? null;
  if (pending === null) return null;
  return { type: pending.type, count: pending.type === "delete" ? 1 + (pending.also?.length ?? 0) : pending.targets.length };
}

/** Whether nothing of the session is remembered, which never changes. */
const isGuest = async (memory: StageContext<CompanionState>["memory"]): Promise<boolean> =>
  memory === undefined ||
  (await memory.status().then(
    ({ incognito }) => incognito === true,
    () => false,
  ));

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

/** Who it is comes before anything else: nobody should find out later that they talk with a machine. */
export const greeting =
  "Hello. I am an AI companion: not a person, and no emergency service. You can tell me what is on your mind, try a short exercise with me, look something up, or ask what I remember of you. What would you like?";

/** Greets in fixed words, without a model. */
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
