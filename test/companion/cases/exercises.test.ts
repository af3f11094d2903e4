/** Guided exercises. */
import { describe, expect, it } from "vitest";
import { exerciseCatalog, type ExerciseGiven } from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { skill } from "../../../packages/companion/src/skills.ts";
import { noExercise } from "../../../packages/companion/src/companion-state.ts";
import { callOf, plainPack, styledAs, triaged } from "../support.ts";
import { breathing, sectionOf, sessionOf, thread, withThread, type Played, type PlayedOptions } from "./support.ts";

const play = (options: PlayedOptions, played: (played: Played) => Promise<void>): Promise<void> =>
  withThread({ ...options, safety: { packs: [plainPack] } }, played);
const exerciseIn = async ({ state }: Pick<Played, "state">): Promise<unknown> => (await state())["exercise_state"];
const at = (exercise_step: number) => ({ exercise_type: "grounding_box_breathing", exercise_step, exercise_version: 1 });

/** The words that box breathing has for its steps. */
const box = exerciseCatalog.find(({ id }) => id === "grounding_box_breathing");
const wordsOf = (index: number): string => box?.steps[index]?.instruction.slice(0, 30) ?? "no such step";
const said = ({ replies }: Pick<Played, "replies">): string => sectionOf(replies.requests.at(-1), "exercise") ?? "";
const asked = ({ calls }: Pick<Played, "calls">): readonly (string | undefined)[] => calls.requests.map(callOf);

describe("an exercise", () => {
  it.each([
    ["can we do box breathing?", "grounding_box_breathing"],
    ["walk me through the 5 4 3 2 1 exercise", "grounding_5_4_3_2_1"],
    ["let's do a thought record", "thought_work_simple_record"],
    ["help me do the values compass", "defusion_values_compass"],
  ])("%j begins %s at its first step, without asking which", (message, id) =>
    play({}, async (played) => {
      expect(await played.view(message)).toMatchObject({
        route: "therapeutic",
        response_style: "guided_exercise",
        exercise_state: { exercise_type: id, exercise_step: 0 },
      });
      expect(asked(played)).not.toContain("exercise_selection");
      expect(said(played)).toContain(exerciseCatalog.find((one) => one.id === id)?.steps[0]?.instruction.slice(0, 30) ?? "no such exercise");
    }),
  );

  it.each([0, 1, 2, 3])("case 98: left at step %i is over, all of it, and nothing is remembered of it", (step) =>
    play({}, async (played) => {
      await breathing(played);
      for (let done = 0; done < step; done++) await played.say("done");
      const output = await played.say("I want to stop the exercise");
      expect(await exerciseIn(played)).toEqual(noExercise);
      expect(output.should_persist_memory).toBe(false);
      expect((await played.companion.runtime.customers.memory("ada").status()).facts).toBe(0);
    }),
  );

  it("done to its end is over, and that it helps is remembered with its provenance", () =>
    play({}, async (played) => {
      await breathing(played);
      for (let done = 0; done < 3; done++) expect((await played.say("done")).should_persist_memory).toBe(false);
      expect((await played.say("done")).should_persist_memory).toBe(true);
      expect(await exerciseIn(played)).toEqual(noExercise);
      const [fact, ...more] = (await played.companion.runtime.customers.memory("ada").export({ format: "json" })).facts;
      expect(more).toEqual([]);
      expect(fact?.entry).toMatchObject({
        category: "coping_strategy",
        predicate: "USES",
        object: { type: "CopingStrategy", id: "grounding_box_breathing" },
        confidence: "high",
      });
    }));
  it("incognito, it is done to its end as well, and nothing is remembered", () =>
    play({ memoryMode: "incognito" }, async (played) => {
      await breathing(played);
      for (let done = 0; done < 3; done++) await played.say("done");
      expect((await played.say("done")).diagnostics).toMatchObject({ guided_exercise_fact: "private" });
      expect(
        (
          await played.companion.runtime.customers
            .memory("ada")
            .status()
            .catch(() => ({ facts: 0 }))
        ).facts,
      ).toBe(0);
    }));

  it.each([
    ["stuck", "I can't do this"],
    ["hold", "wait, give me a moment"],
  ])("%s stays at its step (%j), which is said again or made smaller", (result, message) =>
    play({ answers: { exercise_reply: { result, reasoning: "" } } }, async (played) => {
      await breathing(played);
      await played.say("done");
      const output = await played.say(message);
      expect(await exerciseIn(played)).toMatchObject(at(1));
      expect(output.diagnostics).toMatchObject({ guided_exercise_result: result });
    }),
  );
  it.each([
    ["a model that is unsure of nothing", { result: "complete", reasoning: "" }, 2, "model"],
    ["a model that fails", new Error("gone"), 1, "fallback"],
    ["a model that answers something else", { result: "maybe" }, 1, "fallback"],
  ])("what rules cannot tell is judged by %s", (_, exercise_reply, step, by) =>
    play({ answers: { exercise_reply, triage: triaged({ active_flow_action: "continue" }) } }, async (played) => {
      await breathing(played);
      await played.say("done");
      const output = await played.say("the curtain moved a little in the wind");
      expect(await exerciseIn(played)).toMatchObject(at(step));
      expect(output.diagnostics).toMatchObject({ guided_exercise_classified_by: by });
    }),
  );

  it.each(["let's get back to the breathing exercise", "can we resume the exercise?"])(
    "case 103: %j says the same step again, and judges nothing",
    (message) =>
      play({}, async (played) => {
        await breathing(played);
        await played.say("done");
        await played.say(message);
        expect(await exerciseIn(played)).toMatchObject(at(1));
        expect(said(played)).toContain(wordsOf(1));
        expect(asked(played)).not.toContain("exercise_reply");
      }),
  );

  it.each([
    ["a step that is not there", { ...at(9), exercise_step_id: "gone" }, at(0)],
    ["a version that is not there any more", { ...at(2), exercise_step_id: "breathe_out", exercise_version: 7 }, at(0)],
    ["an exercise that is not there any more", { ...at(0), exercise_type: "gone", exercise_step_id: "gone" }, { exercise_type: null }],
  ])("stored with %s begins again, or is let go of", (_, exercise_state, expected) =>
    play({}, async (played) => {
      const session = await sessionOf(played.companion);
      await session.edit({ exercise_state });
      await played.say("done");
      expect(await exerciseIn(played)).toMatchObject(expected);
    }),
  );

  it.each([
    ["next step", 2],
    ["let's move on", 2],
    ["keep going", 2],
    ["I got distracted, where did we leave off? same step please", 1],
  ])("%j is at step %i then, without a model", (message, step) =>
    play({}, async (played) => {
      await breathing(played);
      await played.say("done");
      await played.say(message);
      expect(await exerciseIn(played)).toMatchObject(at(step));
      expect(asked(played)).not.toContain("exercise_reply");
    }),
  );
});

describe("the approach of an exercise", () => {
  const cbt = { style: styledAs("reflective", { therapeutic_approach: "cbt" }) };
  it("case 100: is that of the conversation when it begins, and goes with it", () =>
    play({ answers: cbt }, async (played) => {
      await played.say("I keep thinking that I will fail at everything.");
      await breathing(played);
      expect(await exerciseIn(played)).toMatchObject({ exercise_therapeutic_approach: "cbt" });
      expect(await played.view("done")).toMatchObject({ therapeutic_approach: "cbt" });
      for (let done = 0; done < 3; done++) await played.say("done");
      expect(await exerciseIn(played)).toMatchObject({ exercise_therapeutic_approach: null });
    }));
  it("case 100: is none where there was none", () =>
    play({}, async (played) => {
      await breathing(played);
      expect(await exerciseIn(played)).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_therapeutic_approach: null });
    }));
  it("case 101: goes before one that is chosen anew, in the prompt too, except to explain something", () => {
    let style = styledAs("reflective", { therapeutic_approach: "act" });
    return play(
      {
        answers: {
          style: () => style,
          triage: ({ messages }) => triaged(messages[0]?.text.includes("sister") ? { active_flow_action: "preserve" } : {}),
        },
      },
      async (played) => {
        await played.say("I want to live by what matters.");
        await breathing(played);
        style = styledAs("supportive", { therapeutic_approach: "cbt" });
        expect(await played.view("my sister has called and it was about mum")).toMatchObject({ therapeutic_approach: "act", exercise_state: at(0) });
        expect(sectionOf(played.replies.requests.at(-1), "approach")).toContain("one small step in that direction");
        style = styledAs("psychoeducation", { therapeutic_approach: "cbt" });
        expect(await played.view("my sister wonders how thoughts make feelings")).toMatchObject({
          therapeutic_approach: "cbt",
          exercise_state: at(0),
        });
      },
    );
  });
});

describe("which exercises there are", () => {
  const humming = (id: string, given: Partial<ExerciseGiven> = {}): ExerciseGiven => ({
    ...{ id, display_name: id.replaceAll("_", " "), category: "humming", version: 1, rationale: "It helps.", selection_use_case: "Hums." },
    ...{
      selection_aliases: [id.replaceAll("_", " ")],
      steps: [{ id: "hum", instruction: "Hum.", completion_mode: "confirmation", completion_criteria: "Hummed." }],
    },
    ...given,
  });
  const skills = [
    skill({
      name: "hums",
      exercises: [
        humming("plain_hum"),
        humming("voiced_hum", { channels: ["voice"], voice_supported: true }),
        humming("thought_hum", { approaches: ["cbt"] }),
      ],
    }),
  ];
  const startedBy = async (message: string, input: Parameters<Played["say"]>[1], answers: PlayedOptions["answers"] = {}): Promise<unknown> => {
    let type: unknown;
    await play({ skills, answers }, async (played) => {
      await played.say("I keep thinking about it.", input);
      await played.say(message, input);
      ({ exercise_type: type } = (await exerciseIn(played)) as { readonly exercise_type: unknown });
    });
    return type;
  };
  const cbt = { style: styledAs("reflective", { therapeutic_approach: "cbt" }) };
  it.each([
    ["with the skill", "plain hum", { installed_skills: ["hums"] }, {}, "plain_hum"],
    ["without the skill", "plain hum", {}, {}, null],
    ["for voices, in a chat", "voiced hum", { installed_skills: ["hums"] }, {}, null],
    ["for voices, by voice", "voiced hum", { installed_skills: ["hums"], channel: "voice" }, {}, "voiced_hum"],
    ["of an approach, under it", "thought hum", { installed_skills: ["hums"] }, cbt, "thought_hum"],
    ["of an approach, under none", "thought hum", { installed_skills: ["hums"] }, {}, null],
  ] as const)("case 105: one %s", async (_, name, input, answers, expected) => {
    expect(
      await startedBy(
        `can we do the ${name} exercise?`,
        { ...thread, ...input, installed_skills: [...("installed_skills" in input ? input.installed_skills : [])] },
        answers,
      ),
    ).toBe(expected);
  });

  it.each([
    ["is unsure", { exercise_type: "grounding_box_breathing", reasoning: "", confidence: "low" }],
    ["names one that there is none of", { exercise_type: "leaves_on_mars", reasoning: "", confidence: "high" }],
    ["fails", new Error("gone")],
  ])("case 106: none is begun where a model %s: those there are are named, and one may be taken by its name", (_, exercise_selection) =>
    play({ answers: { exercise_selection } }, async (played) => {
      expect(await played.view("can we do an exercise?")).toMatchObject({ response_style: "clarifying", exercise_state: noExercise });
      for (const { display_name } of exerciseCatalog) expect(sectionOf(played.replies.requests.at(-1), "guidance")).toContain(display_name);
    }),
  );
  it("case 105: an id that nobody has is none, and begins nothing", () =>
    play(
      { answers: { triage: triaged({ route: "guided_exercise", exercise_type: "nobody_has_this", exercise_start_basis: "explicit_user_request" }) } },
      async (played) => {
        await played.say("the one from the book, you know");
        expect(await exerciseIn(played)).toEqual(noExercise);
      },
    ));
});
