/** What every turn begins with, also one in danger. */
import { stage, type Stage, type StageContext } from "throughline";
import { Companion, noExercise, type CompanionState } from "../state.ts";

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
