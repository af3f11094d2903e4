/** Guided exercises: their definition, the catalog, and the exercises available to a person. */
import { ThroughlineError } from "throughline";
import boxBreathing from "./catalog/box-breathing.data.json" with { type: "json" };
import behavioralExperiment from "./catalog/behavioral-experiment.data.json" with { type: "json" };
import continuum from "./catalog/continuum.data.json" with { type: "json" };
import gratitude from "./catalog/gratitude.data.json" with { type: "json" };
import groundingSenses from "./catalog/grounding-senses.data.json" with { type: "json" };
import improveTheMoment from "./catalog/improve-the-moment.data.json" with { type: "json" };
import leavesOnStream from "./catalog/leaves-on-stream.data.json" with { type: "json" };
import muscleRelaxation from "./catalog/muscle-relaxation.data.json" with { type: "json" };
import selfCompassionBreak from "./catalog/self-compassion-break.data.json" with { type: "json" };
import stopTechnique from "./catalog/stop-technique.data.json" with { type: "json" };
import thoughtRecord from "./catalog/thought-record.data.json" with { type: "json" };
import tinyAction from "./catalog/tiny-action.data.json" with { type: "json" };
import valuesCompass from "./catalog/values-compass.data.json" with { type: "json" };

/** Languages of the exercises. */
export const exerciseLanguages = ["en", "es", "de", "fr", "pt", "zh"] as const;
export type ExerciseLanguage = (typeof exerciseLanguages)[number];

/** How a step completes: the person names items, confirms it, or a model judges it. */
const completionModes = ["items", "confirmation", "llm_judged"] as const;
type CompletionMode = (typeof completionModes)[number];

/** A step of an exercise. */
export interface ExerciseStep {
  readonly id: string;
  /** The instruction, as the person reads it. */
  readonly instruction: string;
  /** A smaller version of the step for a person who is stuck; default the instruction. */
  readonly smaller?: string;
  readonly completion_mode: CompletionMode;
  /** Mode `items`: items that complete the step; default 1. */
  readonly min_items?: number;
  /** Mode `items`: items that the instruction asks for; default `min_items`. */
  readonly target_items?: number;
  /** Mode `items`: fewest words of an answer, for steps that ask for a thought instead of items; default 1. */
  readonly min_words?: number;
  /** Mode `items`: the answer is a number in this range. */
  readonly rating?: { readonly from: number; readonly to: number };
  /** Mode `items`: the answer can be any feeling, thought or event, so none of these is a change of topic. Default false. */
  readonly open?: boolean;
  /** Mode `items`: "nothing" is an answer. Default false. */
  readonly may_be_none?: boolean;
  /** The step can take hours: "later" pauses the exercise instead of ending it. Default false. */
  readonly waits?: boolean;
  /** Tells a model when the step is done. */
  readonly completion_criteria: string;
}

/** Translation of an exercise: its name, its rationale, and the text of every step. */
interface ExerciseTranslation {
  readonly display_name: string;
  readonly rationale: string;
  readonly practical?: string;
  readonly steps: Readonly<Record<string, { readonly instruction: string; readonly smaller?: string }>>;
}

/** A guided exercise. */
export interface ExerciseDefinition {
  readonly id: string;
  /** Display name in English. */
  readonly display_name: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** Raised with every change of the steps. An exercise that started in another version restarts. */
  readonly version: number;
  /** Its benefit in one sentence, for a person who asks. */
  readonly rationale: string;
  /** How long, how exact, in which posture: the answer to questions about how it is done. */
  readonly practical?: string;
  /** Tells a model when to choose it. */
  readonly selection_use_case: string;
  /** Names that people use for it, in any language; lowercase. */
  readonly selection_aliases: readonly string[];
  readonly steps: readonly ExerciseStep[];
  /** Channels that support it; default `text`, which covers every channel except voice. */
  readonly channels: readonly string[];
  /** Approaches that it fits; empty for all. */
  readonly approaches: readonly string[];
  /** Skill that must be installed. */
  readonly required_skill?: string;
  readonly voice_supported: boolean;
  readonly translations: Readonly<Partial<Record<ExerciseLanguage, ExerciseTranslation>>>;
}

/** Input of {@link defineExercise}. Omitted fields have defaults. */
export type ExerciseGiven = Omit<ExerciseDefinition, "tags" | "channels" | "approaches" | "voice_supported" | "translations"> &
  Partial<Pick<ExerciseDefinition, "tags" | "channels" | "approaches" | "voice_supported" | "translations">>;

const idPattern = /^[a-z][a-z0-9_]{1,63}$/u;

function refuse(id: string, field: string, what: string): never {
  throw new ThroughlineError("agent.invalid", `Exercise "${id}": ${field} ${what}.`, { details: { exercise: id, field } });
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isWhole = (value: unknown, least: number): value is number => Number.isInteger(value) && Number(value) >= least;

function checkStep(exercise: string, step: ExerciseStep, at: string): void {
  if (!idPattern.test(step.id)) refuse(exercise, `${at}.id`, `must be lower case letters, digits and "_", got "${step.id}"`);
  for (const field of ["instruction", "completion_criteria"] as const)
    if (!isText(step[field])) refuse(exercise, `${at}.${field}`, "must not be blank");
  if (step.smaller !== undefined && !isText(step.smaller)) refuse(exercise, `${at}.smaller`, "must not be blank");
  if (!completionModes.includes(step.completion_mode))
    refuse(exercise, `${at}.completion_mode`, `must be one of ${completionModes.join(", ")}, got "${step.completion_mode}"`);
  for (const field of ["min_items", "target_items", "min_words", "rating", "open", "may_be_none"] as const)
    if (step[field] !== undefined && step.completion_mode !== "items") refuse(exercise, `${at}.${field}`, 'is for the completion mode "items" alone');
  const { min_items = 1, target_items = min_items, min_words = 1, rating } = step;
  if (!isWhole(min_items, 1)) refuse(exercise, `${at}.min_items`, `must be a whole number from 1 on, got ${String(min_items)}`);
  if (!isWhole(target_items, min_items))
    refuse(exercise, `${at}.target_items`, `must not be below min_items (${min_items}), got ${String(target_items)}`);
  if (!isWhole(min_words, 1)) refuse(exercise, `${at}.min_words`, `must be a whole number from 1 on, got ${String(min_words)}`);
  if (rating !== undefined && !(rating.from < rating.to)) refuse(exercise, `${at}.rating`, "must go from a number to a greater one");
}

function checkTranslations({ id, steps, translations }: ExerciseDefinition): void {
  for (const [language, translation] of Object.entries(translations)) {
    const at = `translations.${language}`;
    if (!exerciseLanguages.some((known) => known === language)) refuse(id, at, `is none of ${exerciseLanguages.join(", ")}`);
    for (const field of ["display_name", "rationale"] as const) if (!isText(translation[field])) refuse(id, `${at}.${field}`, "must not be blank");
    if (translation.practical !== undefined && !isText(translation.practical)) refuse(id, `${at}.practical`, "must not be blank");
    for (const step of steps)
      if (!isText(translation.steps[step.id]?.instruction)) refuse(id, `${at}.steps.${step.id}.instruction`, "must not be blank");
    const unknown = Object.keys(translation.steps).find((key) => !steps.some((step) => step.id === key));
    if (unknown !== undefined) refuse(id, `${at}.steps.${unknown}`, "is no step of the exercise");
  }
}

/** Validates and freezes a guided exercise. Throws `agent.invalid` with the exercise and the field. */
export function defineExercise(given: ExerciseGiven): ExerciseDefinition {
  const exercise: ExerciseDefinition = { tags: [], channels: ["text"], approaches: [], voice_supported: false, translations: {}, ...given };
  const { id, steps, selection_aliases, channels } = exercise;
  if (!idPattern.test(id)) refuse(id, "id", 'must be lower case letters, digits and "_"');
  for (const field of ["display_name", "category", "rationale", "selection_use_case"] as const)
    if (!isText(exercise[field])) refuse(id, field, "must not be blank");
  if (!isWhole(exercise.version, 1)) refuse(id, "version", `must be a whole number from 1 on, got ${String(exercise.version)}`);
  if (selection_aliases.length === 0) refuse(id, "selection_aliases", "must name at least one");
  const alias = selection_aliases.findIndex((one) => !isText(one) || one !== one.toLowerCase());
  if (alias >= 0) refuse(id, `selection_aliases[${alias}]`, "must be lower case and not blank");
  if (steps.length === 0) refuse(id, "steps", "must have at least one");
  if (channels.length === 0) refuse(id, "channels", "must name at least one");
  if (exercise.required_skill !== undefined && !isText(exercise.required_skill)) refuse(id, "required_skill", "must not be blank");
  for (const [index, step] of steps.entries()) checkStep(id, step, `steps[${index}]`);
  const twice = steps.findIndex((step, index) => steps.findIndex((other) => other.id === step.id) < index);
  if (twice >= 0) refuse(id, `steps[${twice}].id`, `"${steps[twice]?.id ?? ""}" is there twice`);
  checkTranslations(exercise);
  return Object.freeze(exercise);
}

/** An exercise file, as `catalog/exercise.schema.json` describes it. */
interface ExerciseFile extends Omit<ExerciseGiven, "steps"> {
  readonly steps: readonly (Omit<ExerciseStep, "completion_mode"> & { readonly completion_mode: string })[];
}

const exerciseFrom = ({ steps, ...rest }: ExerciseFile): ExerciseDefinition =>
  defineExercise({
    ...rest,
    steps: steps.map(({ completion_mode, ...step }) => ({
      ...step,
      completion_mode: completionModes.find((mode) => mode === completion_mode) ?? "llm_judged",
    })),
  });

/** The catalog, in the order in which names are matched. */
export const exerciseCatalog = [
  exerciseFrom(groundingSenses),
  exerciseFrom(boxBreathing),
  exerciseFrom(stopTechnique),
  exerciseFrom(muscleRelaxation),
  exerciseFrom(thoughtRecord),
  exerciseFrom(behavioralExperiment),
  exerciseFrom(continuum),
  exerciseFrom(tinyAction),
  exerciseFrom(leavesOnStream),
  exerciseFrom(valuesCompass),
  exerciseFrom(selfCompassionBreak),
  exerciseFrom(improveTheMoment),
  exerciseFrom(gratitude),
] as const;

/** Returns the names that people use for an exercise, in all languages, as they are written. */
export const namesOf = ({ selection_aliases, display_name, id, translations }: ExerciseDefinition): readonly string[] => [
  ...selection_aliases,
  display_name,
  id,
  ...Object.values(translations).map((translation) => translation.display_name),
];

/** Conditions for the availability of exercises. */
export interface ExerciseSetting {
  readonly channel: string;
  readonly installed_skills: readonly string[];
  /** The approach of the conversation; null or `none` if there is none. */
  readonly approach: string | null;
}

/** Exercises in the order of their catalog. */
export interface ExerciseRegistry {
  readonly all: readonly ExerciseDefinition[];
  /** Returns the exercise with this id, or undefined. */
  get(id: string): ExerciseDefinition | undefined;
  /** Returns the exercises available on this channel, with the installed skills and under the approach of the conversation. */
  available(setting: ExerciseSetting): readonly ExerciseDefinition[];
}

/**
 * Tells whether an exercise is available. Its channel must be listed (`text` covers every channel except voice), and its required skill installed. It
 * must list the current approach or none.
 */
function isAvailable(exercise: ExerciseDefinition, { channel, installed_skills, approach }: ExerciseSetting): boolean {
  const { channels, approaches, required_skill, voice_supported } = exercise;
  const named = channel.toLowerCase();
  const onChannel = named === "voice" ? voice_supported || channels.includes("voice") : channels.includes("text") || channels.includes(named);
  const withSkill = required_skill === undefined || installed_skills.includes(required_skill);
  return onChannel && withSkill && (approaches.length === 0 || (approach !== null && approaches.includes(approach)));
}

/** Creates a registry of exercises. Throws `agent.invalid` if two share an id. */
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
