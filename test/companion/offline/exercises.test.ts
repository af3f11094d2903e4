/** Exercises offline, in the words that people use for them: the gate that stands before them must not take what somebody sees, tastes or feels for danger. */
import { createRuntime, openStore } from "throughline";
import { expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";

type Answered = readonly [said: string, step: string | null];

const courses: readonly (readonly [name: string, course: readonly Answered[]])[] = [
  [
    "the senses",
    [
      ["can we do 5 4 3 2 1 grounding?", "see"],
      ["lamp, chair, table, window, door", "hear"],
      ["birds, wind, cars, breath", "feel"],
      ["my cold hands, the heavy blanket, my warm feet", "smell"],
      ["coffee and soap", "taste"],
      ["my coffee tastes bitter", null],
    ],
  ],
  [
    "the senses in German",
    [
      ["können wir 5-4-3-2-1 machen?", "see"],
      ["Lampe, Stuhl, Tisch, Fenster, Tür", "hear"],
      ["Vögel, Wind, Autos, mein Atem", "feel"],
      ["meine kalten Hände, die Decke, der Boden", "smell"],
    ],
  ],
  [
    "breathing",
    [
      ["can we do box breathing?", "breathe_in"],
      ["I did it", "hold_full"],
      ["held it", "breathe_out"],
      ["it is done", "hold_empty"],
      ["mhm, done", null],
    ],
  ],
  [
    "a thought",
    [
      ["let's do a thought record", "situation"],
      ["My boss shouted at me in front of everybody.", "thought"],
      ["I always get everything wrong", "evidence_against"],
      ["He praised my last report", "balanced_view"],
    ],
  ],
  [
    "values",
    [
      ["values compass please", "domain"],
      ["body and health", "why"],
      ["I want to get back to exercise and running", "alignment"],
      ["four", "small_step"],
      ["leave the car and walk to work", null],
    ],
  ],
];

test.each(courses)("%s", async (_, course) => {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  const steps: (readonly [said: string, level: unknown, step: unknown])[] = [];
  for (const [said] of course) {
    const { output } = await session.send(said);
    const { crisis, exercise_state } = output as {
      readonly crisis?: { readonly level: number };
      readonly exercise_state?: { readonly exercise_step_id: unknown };
    };
    steps.push([said, crisis?.level, exercise_state?.exercise_step_id]);
  }
  expect(steps).toEqual(course.map(([said, step]) => [said, 0, step]));
});
