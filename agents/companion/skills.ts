/** Skills: what a companion can do besides, for those who have it installed. */
import { section, ThroughlineError, type Section, type Tool } from "throughline";
import { defineExercise, type ExerciseDefinition, type ExerciseGiven } from "./exercises/exercise-definition.ts";
import type { CompanionState } from "./companion-state.ts";

/** What a skill is made of. */
export interface SkillOptions {
  /** As `installed_skills` of a message names it: letters, digits, `-` and `_`. */
  readonly name: string;
  /** What a prompt says of it, in turns of those who have it. */
  readonly section?: string;
  /** Exercises that only those can do who have it. */
  readonly exercises?: readonly ExerciseGiven[];
  /** Tools that only they are offered. */
  readonly tools?: readonly Tool[];
}

/** A skill, checked and frozen. */
export interface Skill {
  readonly type: "skill";
  readonly name: string;
  readonly section: Section<CompanionState> | undefined;
  readonly exercises: readonly ExerciseDefinition[];
  readonly tools: readonly Tool[];
}

/**
 * A skill: a section of the prompt, exercises and tools, for the turns whose `installed_skills` name it. `agent.invalid` for a name that is none.
 * @example createCompanion({ skills: [skill({ name: "sleep", section: "You know the person's sleep diary.", tools: [readDiary] })] })
 */
export function skill({ name, section: text, exercises = [], tools = [] }: SkillOptions): Skill {
  if (typeof name !== "string" || !/^[a-z][a-z0-9_-]{0,59}$/iu.test(name))
    throw new ThroughlineError(
      "agent.invalid",
      `A skill needs a name of letters, digits, "-" and "_" that begins with a letter, got ${JSON.stringify(name)}.`,
    );
  if (text !== undefined && (typeof text !== "string" || text.trim() === ""))
    throw new ThroughlineError("agent.invalid", `The section of the skill "${name}" is a text, if it has one.`);
  if (!tools.every((tool: Partial<Tool> | null) => typeof tool?.name === "string" && typeof tool.execute === "function"))
    throw new ThroughlineError("agent.invalid", `The tools of the skill "${name}" are what defineTool makes, not their names.`);
  return Object.freeze({
    type: "skill",
    name,
    section:
      text === undefined
        ? undefined
        : section<CompanionState>(`skill ${name}`, ({ state }) => (state.installed_skills.includes(name) ? text : undefined), { changes: "seldom" }),
    exercises: Object.freeze(exercises.map((exercise) => defineExercise({ ...exercise, required_skill: name }))),
    tools: Object.freeze([...tools]),
  });
}

/** Skills by their names; `agent.invalid` if two have one, or if they were not made by {@link skill}. */
export function checkSkills(skills: readonly Skill[]): readonly Skill[] {
  const given: unknown = skills;
  if (!Array.isArray(given) || given.some((one: Partial<Skill> | null) => one?.type !== "skill"))
    throw new ThroughlineError("agent.invalid", "The companion's skills are a list of what `skill` makes.");
  const twice = skills.find(({ name }, index) => skills.findIndex((one) => one.name === name) !== index);
  if (twice === undefined) return Object.freeze([...skills]);
  throw new ThroughlineError("agent.invalid", `The companion has two skills called "${twice.name}".`);
}

/** The tools that a turn is not offered: those of skills that are not installed. */
export function withheldTools(skills: readonly Skill[], installed: readonly string[]): ReadonlySet<string> {
  const offered = new Set(skills.filter(({ name }) => installed.includes(name)).flatMap(({ tools }) => tools.map(({ name }) => name)));
  return new Set(skills.flatMap(({ tools }) => tools.map(({ name }) => name)).filter((name) => !offered.has(name)));
}
