/** The exercises that an agent has, and which of them a person can do now. */
import { ThroughlineError } from "throughline";
import type { ExerciseDefinition } from "./definition.ts";

/** Where a person stands, as far as exercises depend on it. */
export interface ExerciseSetting {
  readonly channel: string;
  readonly installed_skills: readonly string[];
  /** The approach of the conversation; null or `none` if there is none. */
  readonly approach: string | null;
}

/** Exercises in the order of their catalog. */
export interface ExerciseRegistry {
  readonly all: readonly ExerciseDefinition[];
  /** The exercise of that id; undefined if there is none. */
  get(id: string): ExerciseDefinition | undefined;
  /** Those that can be done: on this channel, with the skills that are installed, under the approach of the conversation. */
  available(setting: ExerciseSetting): readonly ExerciseDefinition[];
}

/**
 * Whether an exercise can be done: its channel is listed (`text` stands for every channel but voice), the skill it needs is installed, and it lists no approaches
 * or the current one.
 */
export function isAvailable(exercise: ExerciseDefinition, { channel, installed_skills, approach }: ExerciseSetting): boolean {
  const { channels, approaches, required_skill, voice_supported } = exercise;
  const named = channel.toLowerCase();
  const onChannel = named === "voice" ? voice_supported || channels.includes("voice") : channels.includes("text") || channels.includes(named);
  const withSkill = required_skill === undefined || installed_skills.includes(required_skill);
  return onChannel && withSkill && (approaches.length === 0 || (approach !== null && approaches.includes(approach)));
}

/** A registry of exercises. `agent.invalid` if two have one id. */
export function exerciseRegistry(definitions: readonly ExerciseDefinition[]): ExerciseRegistry {
  const byId = new Map<string, ExerciseDefinition>();
  for (const definition of definitions) {
    if (byId.has(definition.id))
      throw new ThroughlineError("agent.invalid", `Exercise "${definition.id}": id is there twice.`, {
        details: { exercise: definition.id, field: "id" },
      });
    byId.set(definition.id, definition);
  }
  const all = Object.freeze([...definitions]);
  return Object.freeze({
    all,
    get: (id: string) => byId.get(id),
    available: (setting: ExerciseSetting) => all.filter((exercise) => isAvailable(exercise, setting)),
  });
}
