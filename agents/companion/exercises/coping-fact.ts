/** What is remembered of an exercise that somebody has gone all the way through. */
import { ThroughlineError, type StageContext, type TurnInfo } from "throughline";
import type { ExerciseDefinition } from "./definition.ts";

/** What became of it. `private`: the conversation is incognito; `none`: the agent has no memory; `failed`: it could not be kept, which holds nothing up. */
export type FactOutcome = "kept" | "private" | "none" | "failed";

/**
 * Keeps the fact that the person uses this exercise to cope, in the words of the message that completed it, with where it was said. The same turn run again adds
 * nothing. It never fails a turn.
 */
export async function keepCopingFact({
  memory,
  exercise,
  message,
  context,
}: {
  readonly memory: StageContext<unknown>["memory"];
  readonly exercise: ExerciseDefinition;
  readonly message: TurnInfo["messages"][number] | undefined;
  readonly context: Pick<TurnInfo, "session_id" | "now">;
}): Promise<FactOutcome> {
  if (memory === undefined || message === undefined) return "none";
  try {
    await memory.remember({
      quote: message.text
        .trim()
        .slice(0, 280)
        .replace(/[\uD800-\uDBFF]$/, ""),
      category: "coping_strategy",
      predicate: "USES",
      object: { type: "CopingStrategy", id: exercise.id },
      confidence: "high",
      authority: "program",
      source: { session_id: context.session_id, offset: message.offset, at: context.now },
      reason: `Completed the exercise "${exercise.display_name}", version ${exercise.version}.`,
    });
    return "kept";
  } catch (error) {
    return ThroughlineError.is(error, "memory.incognito") ? "private" : "failed";
  }
}
