/** What every turn begins with, also one in danger. */
import { stage, type Stage, type StageContext } from "throughline";
import { Companion, type CompanionState } from "../state.ts";

/** How many turns a question of the companion stands that it asked because it was unsure. */
const clarificationTurns = 1;

/** Counts the turn, and says whether an exercise or a question about the memory is open. */
export const beginStage = (): Stage<typeof Companion> =>
  stage(
    "begin",
    { state: Companion, writes: ["session_progress", "turn_lifecycle", "memory_control", "open_clarification"], runs: "always" },
    async ({ state, memory }) => {
      const pending = await waiting(memory);
      const exercising = state.exercise_state.exercise_type !== null;
      const turn_count = state.session_progress.turn_count + 1;
      const asked = state.open_clarification;
      const stands = asked !== null && turn_count - asked.turn_count <= clarificationTurns;
      return {
        session_progress: { turn_count, ...(turn_count === 1 ? { is_guest: await isGuest(memory) } : {}) },
        turn_lifecycle: {
          active_flow: pending !== null ? "pending_memory_action" : exercising ? "guided_exercise" : "none",
          answers_clarification: stands,
          tentative_route: stands ? asked.tentative_route : null,
        },
        memory_control: { pending_action: pending },
        open_clarification: null,
      } as const;
    },
  );

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
