/** Skills: additional abilities of a companion, for people who have them installed. */
import { section, ThroughlineError, type Section, type Tool } from "throughline";
import { defineExercise, type ExerciseDefinition, type ExerciseGiven } from "./exercises/exercise-definition.ts";
import type { CompanionState } from "./companion-state.ts";

/** Parts of a skill. */
export interface SkillOptions {
  /** The name in `installed_skills`: letters, digits, `-` and `_`. */
  readonly name: string;
  /** Prompt text, in turns of people who have the skill. */
  readonly section?: string;
  /** Exercises that are available only with the skill. */
  readonly exercises?: readonly ExerciseGiven[];
  /** Tools that are offered only with the skill. */
  readonly tools?: readonly Tool[];
}

/** A validated and frozen skill. */
export interface Skill {
  readonly type: "skill";
  readonly name: string;
  readonly section: Section<CompanionState> | undefined;
  readonly exercises: readonly ExerciseDefinition[];
  readonly tools: readonly Tool[];
}

/**
 * Creates a skill: a prompt section, exercises and tools, for turns whose `installed_skills` name it. Throws `agent.invalid` for an invalid name,
 * section or tool.
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

/** Validates skills. Throws `agent.invalid` if two share a name, or if one was not created by {@link skill}. */
export function checkSkills(skills: readonly Skill[]): readonly Skill[] {
  const given: unknown = skills;
  if (!Array.isArray(given) || given.some((one: Partial<Skill> | null) => one?.type !== "skill"))
    throw new ThroughlineError("agent.invalid", "The companion's skills are a list of what `skill` makes.");
  const twice = skills.find(({ name }, index) => skills.findIndex((one) => one.name === name) !== index);
  if (twice === undefined) return Object.freeze([...skills]);
  throw new ThroughlineError("agent.invalid", `The companion has two skills called "${twice.name}".`);
}

/** Returns the tools that a turn is not offered: those of skills that are not installed. */
export function withheldTools(skills: readonly Skill[], installed: readonly string[]): ReadonlySet<string> {
  const offered = new Set(skills.filter(({ name }) => installed.includes(name)).flatMap(({ tools }) => tools.map(({ name }) => name)));
  return new Set(skills.flatMap(({ tools }) => tools.map(({ name }) => name)).filter((name) => !offered.has(name)));
}
