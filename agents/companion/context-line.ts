/** One line under a reply, for whoever tries the companion: what it did, and what it knew. */
import type { OutputState } from "./output.ts";

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/**
 * Mode, route, style, approach, level of the gate, memory (facts and turns + sessions that were recalled) and step of an exercise, from the output view of the state. What
 * there is nothing to say of is left out.
 * @example contextLine((await session.send("hello")).output)
 */
export function contextLine({
  route,
  response_style,
  therapeutic_approach,
  crisis,
  diagnostics,
  exercise_state,
  session_progress,
}: OutputState): string {
  const facts = memberOf(diagnostics, "semantic_hits");
  const sessions = memberOf(diagnostics, "episodic_hits");
  const exercise = textOf(memberOf(exercise_state, "exercise_type"));
  const step = memberOf(exercise_state, "exercise_step");
  const approach = textOf(therapeutic_approach);
  return [
    memberOf(session_progress, "is_guest") === true ? "incognito" : "persistent",
    textOf(route) ?? "undecided",
    textOf(response_style) ?? "pending",
    ...(approach === undefined || approach === "none" ? [] : [approach]),
    `level ${Number(memberOf(crisis, "level") ?? 0)}`,
    ...(typeof facts === "number" && typeof sessions === "number" ? [`memory ${facts} + ${sessions}`] : []),
    ...(exercise === undefined || typeof step !== "number" ? [] : [`${exercise} step ${step + 1}`]),
  ].join(" · ");
}
