/** What is remembered of an exercise that somebody has gone all the way through. */
import { ThroughlineError, type StageContext, type TurnInfo } from "throughline";
import type { ExerciseDefinition } from "./definition.ts";
import type { StartRequests } from "./request.ts";

/** What became of it. `private`: the conversation is incognito; `none`: the agent has no memory; `failed`: it could not be kept, which holds nothing up. */
export type FactOutcome = "kept" | "private" | "none" | "failed";

type Message = TurnInfo["messages"][number];

/**
 * The person's words for it: those of the message that completed the exercise, unless that only says "done"; then those of the message that asked for it, where the
 * conversation still has it.
 */
function evidence(
  { messages, history }: Pick<TurnInfo, "messages" | "history">,
  exercise: ExerciseDefinition,
  requests: StartRequests,
): Message | undefined {
  const last = messages.findLast(({ role, text }) => role === "user" && text !== "");
  if (exercise.steps.at(-1)?.completion_mode !== "confirmation") return last;
  return history.findLast(({ role, text }) => role === "user" && requests.named(text, [exercise]) !== undefined) ?? last;
}

/**
 * Keeps the fact that the person uses this exercise to cope, in their own words and with where they said them. The same turn run again adds nothing. It never fails a
 * turn.
 */
export async function keepCopingFact({
  memory,
  exercise,
  requests,
  context,
}: {
  readonly memory: StageContext<unknown>["memory"];
  readonly exercise: ExerciseDefinition;
  readonly requests: StartRequests;
  readonly context: Pick<TurnInfo, "session_id" | "now" | "messages" | "history">;
}): Promise<FactOutcome> {
  const message = evidence(context, exercise, requests);
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
