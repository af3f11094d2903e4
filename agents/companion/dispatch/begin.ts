/** What every turn begins with, one in danger too. */
import { stage, type Stage } from "throughline";
import { Companion } from "../state.ts";

/** Counts the turn, and says whether an exercise or a question about the memory is open. */
export const beginStage = (): Stage<typeof Companion> =>
  stage(
    "begin",
    { state: Companion, writes: ["session_progress", "turn_lifecycle", "memory_control"], runs: "always" },
    async ({ state, memory }) => {
      const pending = await waiting(memory);
      const active_flow = pending !== null ? "pending_memory_action" : state.exercise_state.exercise_type !== null ? "guided_exercise" : "none";
      return {
        session_progress: { turn_count: state.session_progress.turn_count + 1 },
        turn_lifecycle: { active_flow },
        memory_control: { pending_action: pending },
      } as const;
    },
  );

type Waiting = { readonly type: "delete" | "delete_options"; readonly count: number } | null;

/** What waits for a yes. A memory that cannot be read keeps nobody waiting: then nothing is taken for a yes either. */
async function waiting(memory: { pending(): Promise<unknown> } | undefined): Promise<Waiting> {
  const pending = await memory?.pending().catch(() => null);
  if (typeof pending !== "object" || pending === null || !("type" in pending)) return null;
  if (pending.type === "delete_options")
    return { type: "delete_options", count: "targets" in pending && Array.isArray(pending.targets) ? pending.targets.length : 1 };
  return { type: "delete", count: 1 };
}
