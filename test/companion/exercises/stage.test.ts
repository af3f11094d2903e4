/** Guided exercises in a running agent: what a conversation does to the state, and what is said. Triage is played by the test. */
import { describe, expect, test } from "vitest";
import { exerciseStages } from "../../../packages/companion/src/exercises/exercise-stage.ts";
import { languageIn, saidIn } from "../../../packages/companion/src/exercises/exercise-wording.ts";
import { lookupStage } from "../../../packages/companion/src/lookup/lookup-stage.ts";
import { Companion, noExercise, type CompanionState } from "../../../packages/companion/src/companion-state.ts";
import { defineAgent, loop, rules, scripted, section, stage, type Model } from "../../../packages/throughline/src/index.ts";
import { memory } from "../../../packages/throughline/src/memory.ts";
import { started } from "../../runtime/harness.ts";

type Triage = Partial<Pick<CompanionState, "route" | "response_style" | "therapeutic_approach">> & {
  readonly turn_lifecycle?: Partial<CompanionState["turn_lifecycle"]>;
  readonly exercise_state?: Partial<CompanionState["exercise_state"]>;
};

/** A conversation with an agent that has these stages alone, and says what the directive says. */
async function talk({
  control,
  customer = "ada",
  incognito = false,
}: { readonly control?: Model; readonly customer?: string; readonly incognito?: boolean } = {}) {
  let next: Triage = {};
  let seen: Partial<CompanionState> = {};
  const triage = stage(
    "triage",
    { state: Companion, writes: ["route", "response_style", "therapeutic_approach", "turn_lifecycle", "exercise_state"] },
    () => next,
  );
  // What lives for the turn and is not in the output, as the reply finds it.
  const look = stage("look", { state: Companion, writes: [] }, ({ state }) => {
    seen = { turn_lifecycle: state.turn_lifecycle, response_guidance: state.response_guidance };
  });
  const agent = defineAgent({
    name: "guided",
    version: 1,
    state: Companion,
    memory: memory(),
    stages: [triage, ...exerciseStages({ control }), lookupStage(), look],
    sections: [section<CompanionState>("exercise", ({ state }) => state.response_guidance)],
    reply: loop({ model: rules([(asked) => saidIn(asked.section("exercise") ?? "") ?? "I am listening."]) }),
  });
  // The first message compiles the patterns of all languages, which can take longer than the short lease of other tests.
  const runtime = await started({ agents: [agent], leaseMs: 60_000, heartbeatMs: 5_000 });
  const session = await runtime.sessions.open({ agent: "guided", customer, ...(incognito ? { incognito: true } : {}) });
  const say = async (message: string, decided: Triage = {}) => {
    next = decided;
    seen = {};
    const { status, reply, output } = await session.send(message);
    expect(status, message).toBe("completed");
    return { reply: reply ?? "", state: { ...output, ...seen } as unknown as CompanionState };
  };
  return { say, facts: async () => (await runtime.customers.memory(customer).export({ format: "json" })).facts };
}

const answers: Readonly<Record<string, readonly string[]>> = {
  grounding_5_4_3_2_1: ["lamp, door, cup, book, plant", "a fan, the street, my breath", "the floor, my shirt", "coffee", "mint"],
  grounding_box_breathing: ["done", "ok next step", "done", "I am through"],
  thought_work_simple_record: [
    "My manager criticised my current report in a meeting",
    "I thought that I will be fired and forgotten",
    "She praised my last two official reports a lot",
    "One bad report does not undo the others",
  ],
  defusion_values_compass: ["family", "because they are my source of joy", "4", "search for a weekend to visit my sister"],
};
const kept: Readonly<Record<string, RegExp>> = {
  grounding_5_4_3_2_1: /^did 5-4-3-2-1 grounding on \w+day, \w+ \d+$/u,
  grounding_box_breathing: /^did Box breathing on \w+day, \w+ \d+$/u,
  thought_work_simple_record: /^did Thought record on \w+day, \w+ \d+, in their own words: ‘One bad report does not undo the others’$/u,
  defusion_values_compass: /^did Values compass on \w+day, \w+ \d+, in their own words: ‘search for a weekend to visit my sister’$/u,
};
const asks: Readonly<Record<string, string>> = {
  grounding_5_4_3_2_1: "Can we do the 5-4-3-2-1 exercise?",
  grounding_box_breathing: "guide me through box breathing please",
  thought_work_simple_record: "help me do a thought record",
  defusion_values_compass: "let's start the values compass",
};

describe("an exercise from its start to its end", () => {
  test.each(Object.keys(answers))("%s: every step in order, then a coping fact and nothing left of it", async (id) => {
    const { say, facts } = await talk();
    const begun = await say(asks[id] ?? "");
    expect(begun.state).toMatchObject({
      response_style: "guided_exercise",
      route: "therapeutic",
      turn_lifecycle: { active_flow: "guided_exercise" },
    });
    const steps = answers[id] ?? [];
    for (const [index, answer] of steps.entries()) {
      const { state, reply } = await say(answer);
      const isLast = index === steps.length - 1;
      expect(state.exercise_state, answer).toMatchObject(isLast ? noExercise : { exercise_type: id, exercise_step: index + 1, exercise_version: 1 });
      expect(state.should_persist_memory).toBe(isLast);
      expect(reply).not.toBe("I am listening.");
    }
    expect((await facts()).map(({ entry }) => [entry.category, entry.predicate, entry.object, entry.quote, entry.authority])).toEqual([
      // "I am through" and "mint" say nothing of how it went: then it is what was done, and on which day.
      ["coping_strategy", "USES", { type: "CopingStrategy", id }, expect.stringMatching(kept[id] ?? "no such exercise"), "program"],
    ]);
  });

  test("incognito: it ends as well, and nothing is kept", async () => {
    const { say, facts } = await talk({ incognito: true });
    await say(asks["grounding_box_breathing"] ?? "");
    for (const answer of answers["grounding_box_breathing"] ?? []) await say(answer);
    expect((await say("hello")).state.exercise_state).toEqual(noExercise);
    expect(await facts()).toEqual([]);
  });

  test.each([0, 1, 2, 3])("case 98: exit at step %i clears all of it and keeps no fact", async (index) => {
    const { say, facts } = await talk();
    await say(asks["grounding_box_breathing"] ?? "");
    for (let step = 0; step < index; step++) await say("done");
    const { state, reply } = await say("I want to stop the exercise");
    expect(state).toMatchObject({
      exercise_state: noExercise,
      should_persist_memory: false,
      turn_lifecycle: { active_flow: "none", action: "clear" },
    });
    expect(reply).toMatch(/what would help you most/iu);
    expect(await facts()).toEqual([]);
  });
});

describe("the approach", () => {
  test("case 100: is pinned at the start, kept on the way, and gone at the end", async () => {
    const { say } = await talk();
    expect((await say("start box breathing", { therapeutic_approach: "cbt" })).state.exercise_state.exercise_therapeutic_approach).toBe("cbt");
    expect((await say("done", { therapeutic_approach: "act" })).state).toMatchObject({
      therapeutic_approach: "cbt",
      exercise_state: { exercise_therapeutic_approach: "cbt" },
    });
    for (const _ of [1, 2]) await say("done");
    expect((await say("done")).state.exercise_state.exercise_therapeutic_approach).toBeNull();
  });
  test("case 100: `none` pins nothing", async () => {
    const { say } = await talk();
    expect((await say("start box breathing", { therapeutic_approach: "none" })).state.exercise_state.exercise_therapeutic_approach).toBeNull();
  });
  test("case 101: a question about the step is answered under it, one about the reason under a fresh one", async () => {
    const { say } = await talk();
    await say("can we do the 5-4-3-2-1 exercise", { therapeutic_approach: "act" });
    const clarified = await say("do you mean right now or just around me?", { therapeutic_approach: "cbt" });
    expect(clarified.state).toMatchObject({
      response_style: "clarifying",
      therapeutic_approach: "act",
      turn_lifecycle: { action: "preserve" },
      exercise_state: { exercise_step: 0 },
    });
    const explained = await say("why are we doing this?", { therapeutic_approach: "cbt" });
    expect(explained.state).toMatchObject({
      response_style: "psychoeducation",
      therapeutic_approach: "cbt",
      exercise_state: { exercise_step: 0, exercise_therapeutic_approach: "act" },
    });
    expect(explained.reply).toContain("Naming what your senses notice");
  });
});

describe("beside an exercise", () => {
  test("case 103: resuming says the same step again and asks no model", async () => {
    const control = scripted(() => {
      throw new Error("was asked");
    });
    const { say } = await talk({ control });
    await say("start box breathing");
    await say("done");
    const { state, reply } = await say("can we get back to the breathing exercise");
    expect(state).toMatchObject({ exercise_state: { exercise_step: 1 }, turn_lifecycle: { action: "resume" }, response_style: "guided_exercise" });
    expect(reply).toContain("Hold that breath softly");
  });

  test("a lookup is answered and the exercise waits where it was", async () => {
    const { say } = await talk();
    await say("start box breathing");
    await say("done");
    const looked = await say("can you look up how long caffeine stays in the body?");
    expect(looked.state).toMatchObject({ route: "grounded_lookup", grounded_lookup: { status: "answered" }, exercise_state: { exercise_step: 1 } });
    expect(looked.reply).toContain("about 5 hours");
    expect((await say("done")).state.exercise_state.exercise_step).toBe(2);
  });

  test.each([
    ["my current calendar, a book, a lamp", "lookup and grounding words in an answer"],
    ["official letters, a search light, a source of heat", "and more of them"],
    ["a forget-me-not, a clock, a door", "and of memory"],
  ])("%s: stays in the exercise, whatever triage says", async (answer) => {
    for (const route of ["grounded_lookup", "memory_control"] as const) {
      const { say } = await talk();
      await say("can we do the 5-4-3-2-1 exercise");
      const { state } = await say(answer, { route, turn_lifecycle: { action: "preserve" } });
      expect(state).toMatchObject({ exercise_state: { exercise_step: 1 }, route: "therapeutic", response_style: "guided_exercise" });
    }
  });

  test("what rules cannot tell is triage's: preserve leaves it waiting, clear ends it", async () => {
    const { say } = await talk();
    await say("start box breathing");
    const aside = "my sister has called and we talked about mum";
    expect((await say(aside, { turn_lifecycle: { action: "preserve" } })).state).toMatchObject({
      exercise_state: { exercise_step: 0 },
      response_style: "pending",
    });
    expect(
      (await say(aside, { turn_lifecycle: { clarification_needed: true, clarification_kind: "blocking" } })).state.exercise_state.exercise_step,
    ).toBe(0);
    expect((await say(aside, { turn_lifecycle: { action: "clear" } })).state.exercise_state).toEqual(noExercise);
  });

  test("whoever it does no good is told to breathe as they like, and may stop", async () => {
    const { say } = await talk();
    await say("start box breathing");
    const { state, reply } = await say("I feel dizzy");
    expect(state.exercise_state.exercise_step).toBe(0);
    expect(reply).toMatch(/Breathe however your body wants.*We can stop here.*Just take one ordinary breath/su);
  });

  test("another exercise takes its place when it is asked for", async () => {
    const { say } = await talk();
    await say("start box breathing");
    expect((await say("can we do a thought record instead")).state.exercise_state).toMatchObject({
      exercise_type: "thought_work_simple_record",
      exercise_step: 0,
    });
  });

  test("things named one after the other are counted together, and a smaller step is one", async () => {
    const { say } = await talk();
    await say("can we do the 5-4-3-2-1 exercise");
    expect((await say("a lamp")).reply).toContain("1 so far");
    expect((await say("I can't think of anything")).reply).toContain("Let your eyes rest on one thing");
    expect((await say("a door, my cup")).state.exercise_state).toMatchObject({ exercise_step: 1, exercise_items: null });
  });
});

test("who asks for a help line gets those of the table, whatever the route", async () => {
  const { say } = await talk();
  const { state, reply } = await say("I'm in Germany, can you give me a suicide hotline number?");
  expect(state).toMatchObject({ response_style: "grounded_lookup", resource_lookup_status: "found", grounded_lookup: { status: "not_attempted" } });
  expect(reply).toContain("TelefonSeelsorge");
});

describe("which exercise", () => {
  test.each([
    "I need grounding in my life",
    "I start my day with values in mind",
    "I want to start living by my values",
    "I need to start exercise again",
    "I don't want to do a breathing exercise",
    "what is box breathing?",
    "quiero hacer ejercicio",
  ])("%s: starts none", async (message) => {
    const { say } = await talk();
    expect((await say(message)).state.exercise_state).toEqual(noExercise);
  });

  test.each([
    ["I need a breathing exercise", "grounding_box_breathing"],
    ["can we do some grounding?", "grounding_5_4_3_2_1"],
    ["5, 4, 3, 2, 1", "grounding_5_4_3_2_1"],
    ["I'd like to try the values exercise", "defusion_values_compass"],
    ["Kannst du mit mir eine Atemübung machen?", "grounding_box_breathing"],
    ["quiero hacer un ejercicio de respiración", "grounding_box_breathing"],
    ["on peut faire un exercice de respiration ?", "grounding_box_breathing"],
    ["podemos fazer um exercício de respiração?", "grounding_box_breathing"],
    ["我想做呼吸练习", "grounding_box_breathing"],
  ])("%s: starts %s, in its language", async (message, id) => {
    const { say } = await talk();
    const { state, reply } = await say(message);
    expect(state.exercise_state.exercise_type).toBe(id);
    expect(languageIn(reply)).toBe(languageIn(message) ?? "en");
  });

  const chosen = (exercise_type: string, confidence: string): Model => scripted(() => JSON.stringify({ exercise_type, confidence, reasoning: "" }));
  test("a model that is sure is followed", async () => {
    const { say } = await talk({ control: chosen("thought_work_simple_record", "high") });
    expect((await say("can we do an exercise?")).state.exercise_state.exercise_type).toBe("thought_work_simple_record");
  });
  test.each([
    ["is unsure", chosen("grounding_box_breathing", "low")],
    ["names one that there is none of", chosen("leaves_on_mars", "high")],
    ["fails", scripted(() => "no json")],
  ])("case 106: a model that %s starts none: the names are offered, and the next message may take one", async (_, control) => {
    const { say } = await talk({ control });
    const offered = await say("can we do an exercise?", { route: "guided_exercise", response_style: "guided_exercise" });
    expect(offered.state).toMatchObject({ exercise_state: noExercise, response_style: "clarifying" });
    expect(offered.reply).toContain("5-4-3-2-1 grounding, Box breathing, STOP technique, Progressive muscle relaxation, Thought record");
    expect((await say("the box breathing one")).state.exercise_state).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_step: 0 });
  });

  test.each([
    ["2", "grounding_box_breathing"],
    ["the first one", "grounding_5_4_3_2_1"],
    ["thought record please", "thought_work_simple_record"],
    ["the last one", "emotion_regulation_gratitude"],
    ["12", "emotion_regulation_improve"],
    ["the fifth one", "thought_work_simple_record"],
    ["not the breathing one", null],
    ["which one is shortest?", null],
  ])("of those that are named, %s takes %s", async (answer, id) => {
    const { say } = await talk();
    await say("can we do an exercise?");
    expect((await say(answer)).state.exercise_state.exercise_type).toBe(id);
  });

  test("one that triage names begins at its first step", async () => {
    const { say } = await talk();
    const begun = await say("ok let's", { route: "guided_exercise", exercise_state: { exercise_type: "defusion_values_compass" } });
    expect(begun.state.exercise_state).toMatchObject({ exercise_type: "defusion_values_compass", exercise_step: 0 });
  });

  test.each([
    [
      "a step that is not there any more",
      { exercise_type: "grounding_box_breathing", exercise_step: 7, exercise_step_id: "gone", exercise_version: 1 },
      0,
    ],
    ["an older version", { exercise_type: "grounding_box_breathing", exercise_step: 2, exercise_step_id: "breathe_out", exercise_version: 9 }, 0],
    ["an exercise that is not there any more", { exercise_type: "gone", exercise_step: 2, exercise_step_id: "gone", exercise_version: 1 }, null],
  ])("%s begins again, or is cleared", async (_, exercise_state, step) => {
    const { say } = await talk();
    expect((await say("done", { exercise_state })).state.exercise_state.exercise_step).toBe(step);
  });
});
