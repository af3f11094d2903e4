/** Exercises as data: what is refused, who may do which, and that the catalog can be said in every language that it claims. */
import { describe, expect, test } from "vitest";
import {
  defineExercise,
  exerciseCatalog,
  type ExerciseGiven,
  exerciseRegistry,
  type ExerciseSetting,
} from "../../../packages/companion/src/exercises/exercise-definition.ts";

const good: ExerciseGiven = {
  id: "test_exercise",
  display_name: "Test exercise",
  category: "test",
  version: 1,
  rationale: "It is a test.",
  selection_use_case: "For tests.",
  selection_aliases: ["test exercise"],
  steps: [
    { id: "first", instruction: "Name two.", completion_mode: "items", min_items: 2, target_items: 3, completion_criteria: "Two things." },
    { id: "second", instruction: "Breathe.", completion_mode: "confirmation", completion_criteria: "Done." },
  ],
};
const [first, second] = good.steps;

describe("a definition is refused with the field that is wrong", () => {
  const cases: readonly (readonly [field: string, wrong: Partial<ExerciseGiven>])[] = [
    ["id", { id: "No Id" }],
    ["display_name", { display_name: " " }],
    ["category", { category: "" }],
    ["rationale", { rationale: "" }],
    ["selection_use_case", { selection_use_case: "" }],
    ["version", { version: 0 }],
    ["version", { version: 1.5 }],
    ["selection_aliases", { selection_aliases: [] }],
    ["selection_aliases[1]", { selection_aliases: ["ok", "Not Lower"] }],
    ["steps", { steps: [] }],
    ["steps[1].id", { steps: [first!, { ...second!, id: "first" }] }],
    ["steps[0].instruction", { steps: [{ ...first!, instruction: "" }] }],
    ["steps[0].completion_criteria", { steps: [{ ...first!, completion_criteria: " " }] }],
    ["steps[0].min_items", { steps: [{ ...first!, min_items: 0 }] }],
    ["steps[0].target_items", { steps: [{ ...first!, target_items: 1 }] }],
    ["steps[0].min_items", { steps: [{ ...second!, min_items: 2 }] }],
    ["steps[0].rating", { steps: [{ ...first!, rating: { from: 10, to: 1 } }] }],
    ["steps[0].completion_mode", { steps: [{ ...first!, completion_mode: "guess" as never }] }],
    ["channels", { channels: [] }],
    ["required_skill", { required_skill: "" }],
    ["translations.xx", { translations: { xx: { display_name: "X", rationale: "X", steps: {} } } as never }],
    [
      "translations.es.steps.second.instruction",
      { translations: { es: { display_name: "X", rationale: "X", steps: { first: { instruction: "X" } } } } },
    ],
  ];
  test.each(cases)("%s", (field, wrong) => {
    expect(() => defineExercise({ ...good, ...wrong })).toThrow(
      expect.objectContaining({ code: "agent.invalid", details: { exercise: wrong.id ?? good.id, field } }),
    );
  });

  test("defaults: every text channel, every approach, no skill", () => {
    expect(defineExercise(good)).toMatchObject({ channels: ["text"], approaches: [], tags: [], voice_supported: false });
  });

  test("a registry has each id once", () => {
    const one = defineExercise(good);
    expect(() => exerciseRegistry([one, one])).toThrow(expect.objectContaining({ code: "agent.invalid" }));
  });
});

describe("case 105: who may do which", () => {
  const open = defineExercise({ ...good, id: "open_one" });
  const gated = defineExercise({ ...good, id: "gated_one", required_skill: "sleep" });
  const spoken = defineExercise({ ...good, id: "voice_one", channels: ["voice"] });
  const cbt = defineExercise({ ...good, id: "cbt_one", approaches: ["cbt"] });
  const registry = exerciseRegistry([open, gated, spoken, cbt]);
  const cases: readonly (readonly [setting: ExerciseSetting, ids: readonly string[]])[] = [
    [{ channel: "web", installed_skills: [], approach: null }, ["open_one"]],
    [{ channel: "test", installed_skills: ["sleep"], approach: "none" }, ["open_one", "gated_one"]],
    [{ channel: "cli", installed_skills: ["other"], approach: "cbt" }, ["open_one", "cbt_one"]],
    [{ channel: "voice", installed_skills: [], approach: "act" }, ["voice_one"]],
  ];
  test.each(cases)("%j", (setting, ids) => {
    expect(registry.available(setting).map(({ id }) => id)).toEqual(ids);
  });
  test("an id that there is none of has no definition", () => {
    expect(registry.get("grounding_of_nobody")).toBeUndefined();
  });
});

describe("the catalog", () => {
  test("has thirteen, in order, each in its version; those that can be done by voice are marked", () => {
    expect(exerciseCatalog.map(({ id, version, steps, voice_supported }) => [id, version, steps.length, voice_supported])).toEqual([
      ["grounding_5_4_3_2_1", 1, 5, true],
      ["grounding_box_breathing", 1, 4, true],
      ["grounding_stop_technique", 1, 4, true],
      ["grounding_muscle_relaxation", 1, 5, true],
      ["thought_work_simple_record", 1, 4, false],
      ["thought_work_behavioral_experiment", 1, 4, false],
      ["thought_work_continuum", 1, 5, true],
      ["behavioral_activation_tiny_action", 1, 4, true],
      ["defusion_leaves_on_stream", 1, 5, false],
      ["defusion_values_compass", 1, 4, true],
      ["self_compassion_break", 1, 3, true],
      ["emotion_regulation_improve", 1, 4, true],
      ["emotion_regulation_gratitude", 1, 3, true],
    ]);
  });

  test.each(exerciseCatalog.map((exercise) => [exercise.id, exercise] as const))("%s says nothing that a companion does not say", (_, exercise) => {
    const said = JSON.stringify([exercise.display_name, exercise.rationale, exercise.steps, exercise.translations]);
    expect(said).not.toMatch(/therap|treatment|diagnos|terapia|tratamiento|behandlung|diagnós|thérap|traitement|tratamento|治疗|诊断/iu);
  });
});
