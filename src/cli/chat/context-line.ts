/** The line under a reply that says how it came about. */
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import type { TurnResult } from "../../runtime/reading/outcome.ts";
import type { SessionInfo } from "../../runtime/reading/session-info.ts";
import { printable } from "../text.ts";

/** Names of the fields' values that are not for everybody's eyes: nobody is promised what only others may give. */
const spoken: Readonly<Record<string, string>> = { therapeutic: "talk", interpersonal_therapy: "interpersonal", therapeutic_approach: "approach" };

const word = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value !== "pending" ? (spoken[value] ?? value).replaceAll("_", " ") : undefined;

const known = (value: string | undefined, name?: string): readonly string[] =>
  value === undefined ? [] : [name === undefined ? value : `${name} ${value}`];

const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return isPlainObject(value) ? value : {};
};

function memoryHits({ semantic_hits, episodic_hits }: JsonObject): string | undefined {
  if (typeof semantic_hits !== "number" && typeof episodic_hits !== "number") return undefined;
  return String(Number(semantic_hits ?? 0) + Number(episodic_hits ?? 0));
}

function exerciseStep({ exercise_type, exercise_step }: JsonObject): string | undefined {
  const name = word(exercise_type);
  if (name === undefined) return undefined;
  return typeof exercise_step === "number" ? `${name}, step ${exercise_step + 1}` : name;
}

/** Whether the state says itself what became of a turn, so that what it changed need not be listed. */
export const saysItself = ({ output }: Pick<TurnResult, "output">): boolean => "route" in output || "response_style" in output || "crisis" in output;

/** How a reply came about: mode, route, style, approach, level of safety, pieces of memory, step of an exercise; as far as the agent's state and the turn's numbers say it; undefined if they say nothing. */
export function contextLine(
  { output, diagnostics }: Pick<TurnResult, "output" | "diagnostics">,
  { mode, incognito }: Pick<SessionInfo, "mode" | "incognito">,
): string | undefined {
  const { level } = objectAt(output, "crisis");
  const approach = word(output["therapeutic_approach"]);
  const facts = [
    ...known(word(output["route"])),
    ...known(word(output["response_style"])),
    ...known(approach === "none" ? undefined : approach),
    ...known(typeof level === "number" ? String(level) : undefined, "safety"),
    ...known(memoryHits(diagnostics), "memory"),
    ...known(exerciseStep(objectAt(output, "exercise_state")), "exercise"),
  ];
  if (facts.length === 0) return undefined;
  return printable([incognito === true ? `${mode}, incognito` : mode, ...facts].join(" · "));
}
