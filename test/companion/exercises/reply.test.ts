/** What an answer does to its step: the rules by themselves, and the model where they cannot tell. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exerciseCatalog, exerciseRegistry, type ExerciseStep } from "../../../packages/companion/src/exercises/exercise-definition.ts";
import {
  advance,
  atStep,
  begin,
  classifyReply,
  readReply,
  readStored,
  replyResults,
} from "../../../packages/companion/src/exercises/exercise-turn.ts";
import { asidesOf } from "../../../packages/companion/src/exercises/exercise-cues.ts";
import { noExercise } from "../../../packages/companion/src/companion-state.ts";
import { scripted } from "../../../packages/throughline/src/model/scripted.ts";
import { hangMs } from "../../setup/limits.ts";
import { cpuMs } from "../../setup/cpu-time.ts";

const steps = Object.fromEntries(exerciseCatalog.flatMap((exercise) => exercise.steps.map((step) => [step.id, step])));
const stepOf = (id: string): ExerciseStep => {
  const step = steps[id];
  if (step === undefined) throw new Error(`no step ${id}`);
  return step;
};

type Row = readonly [step: string, said: string, result: (typeof replyResults)[number] | "unsure"];
const rows: readonly Row[] = [
  ["see", "lamp, door, window, cup, book", "complete"],
  ["see", "a lamp and a door", "hold"],
  ["see", "1. lamp 2. door 3. cup", "complete"],
  ["see", "lamp\ndoor\ncup", "complete"],
  ["see", "I can see a stop sign, a tree, a red car and a dog", "complete"],
  ["see", "my current calendar, a book about search engines, the source of the light and an official letter", "complete"],
  ["see", "a forget-me-not, a search light, the latest paper", "complete"],
  ["see", "my boss yelled at me and I can't stop thinking about it", "aside"],
  ["see", "ok", "unsure"],
  ["see", "wait, one moment", "hold"],
  ["see", "which step is this?", "hold"],
  ["see", "this is stupid", "stuck"],
  ["see", "just leave me alone", "exit"],
  ["see", "lass mich in Ruhe", "exit"],
  ["see", "I got distracted", "hold"],
  ["see", "I don't know", "stuck"],
  ["see", "I can't think of anything", "stuck"],
  ["see", "lamp. I want to stop now", "exit"],
  ["see", "stop", "exit"],
  ["see", "no thanks", "exit"],
  ["see", "una lámpara, la puerta y una taza", "complete"],
  ["see", "basta", "exit"],
  ["see", "no se me ocurre nada", "stuck"],
  ["see", "eine Lampe, die Tür und ein Buch", "complete"],
  ["see", "ich möchte aufhören", "exit"],
  ["see", "keine Ahnung", "stuck"],
  ["see", "灯、门、窗户、杯子、书", "complete"],
  ["see", "停", "exit"],
  ["see", "我不知道", "stuck"],
  ["see", "une lampe, la porte et un livre", "complete"],
  ["see", "je veux arrêter", "exit"],
  ["see", "uma lâmpada, a porta e um livro", "complete"],
  ["see", "quero parar", "exit"],
  ["smell", "coffee", "complete"],
  ["smell", "nothing", "stuck"],
  ["smell", "skip this one", "complete"],
  ["breathe_in", "done", "complete"],
  ["breathe_in", "ok next step", "complete"],
  ["breathe_in", "let's keep going", "complete"],
  ["breathe_in", "👍", "complete"],
  ["breathe_in", "I'm done", "complete"],
  ["breathe_in", "I'm done with this exercise", "exit"],
  ["breathe_in", "I did it, my current job is still on my mind", "complete"],
  ["breathe_in", "done but I got distracted", "hold"],
  ["breathe_in", "next step, same step", "hold"],
  ["breathe_in", "not yet", "hold"],
  ["breathe_in", "it's too hard", "stuck"],
  ["breathe_in", "I feel dizzy", "stuck"],
  ["breathe_in", "done but I feel worse", "stuck"],
  ["breathe_in", "it's making me anxious", "stuck"],
  ["breathe_in", "no puedo respirar", "stuck"],
  ["breathe_in", "mir wird schwindlig", "stuck"],
  ["breathe_in", "我头晕", "stuck"],
  ["breathe_in", "okay I'll stop here", "exit"],
  ["breathe_in", "I have to go now", "exit"],
  ["breathe_in", "tell me a joke", "unsure"],
  ["breathe_in", "that felt nice", "complete"],
  ["breathe_in", "the air is cool", "unsure"],
  ["breathe_in", "can we stop please", "exit"],
  ["breathe_in", "I want to stop but keep going", "exit"],
  ["breathe_in", "listo", "complete"],
  ["breathe_in", "todavía no", "hold"],
  ["breathe_in", "fertig", "complete"],
  ["breathe_in", "noch nicht", "hold"],
  ["breathe_in", "好了", "complete"],
  ["breathe_in", "还没好", "hold"],
  ["thought", "That I should quit my job and forget everything", "complete"],
  ["thought", "He shouted, I want to quit", "complete"],
  ["thought", "that I'm useless, I feel worse than ever", "complete"],
  ["thought", "I want to stop", "exit"],
  ["thought", "I don't know, maybe that I am a failure", "complete"],
  ["thought", "let's end this exercise, it isn't for me", "exit"],
  ["thought", "I don't know what to write", "stuck"],
  ["thought", "What do you think about this?", "unsure"],
  ["situation", "At work yesterday my manager criticised my report in front of everyone", "complete"],
  ["situation", "work", "unsure"],
  ["alignment", "6", "complete"],
  ["alignment", "maybe a seven", "complete"],
  ["alignment", "somewhere in the middle", "complete"],
  ["alignment", "15", "unsure"],
  ["domain", "family", "complete"],
  ["domain", "my current job", "complete"],
  ["small_step", "search for a choir near me", "complete"],
  ["small_step", "forget about work for an evening", "complete"],
];

describe("rules", () => {
  test.each(rows)("%s: %s -> %s", (step, said, result) => {
    expect(readReply(said, stepOf(step)).result ?? "unsure").toBe(result);
  });

  test("things named one message after the other are counted together", () => {
    const first = readReply("a lamp", stepOf("see"));
    expect(first).toEqual({ result: "hold", items: 1 });
    expect(readReply("a door, a cup", stepOf("see"), first.items)).toEqual({ result: "complete", items: 3 });
  });

  test("no text is too long or too odd to read, and none takes long", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom("stop ", "i can't ", "ok, ", "? ", "forget what ").map((text) => text.repeat(4_000)),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...Object.keys(steps)), (text, id) => {
        const began = cpuMs();
        const { result, items } = readReply(text, stepOf(id));
        asidesOf(text);
        expect(result === undefined || replyResults.includes(result)).toBe(true);
        expect(items).toBeGreaterThanOrEqual(0);
        expect(cpuMs() - began).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });
});

describe("requests beside an exercise", () => {
  type Aside = readonly [said: string, kind: "memory" | "lookup" | "clarify" | "explain" | "resume" | "none"];
  const asides: readonly Aside[] = [
    ["what do you remember about me?", "memory"],
    ["forget what I said about my sister", "memory"],
    ["please forget my job", "memory"],
    ["turn off proactive recall", "memory"],
    ["¿qué recuerdas de mí?", "memory"],
    ["was weißt du über mich?", "memory"],
    ["你记得我什么？", "memory"],
    ["look up sleep hygiene", "lookup"],
    ["can you search for the latest advice", "lookup"],
    ["what are your sources?", "lookup"],
    ["do you mean right now or just around me?", "clarify"],
    ["does my own breath count?", "clarify"],
    ["why are we doing this?", "explain"],
    ["can we get back to the breathing exercise", "resume"],
    ["let's continue the exercise", "resume"],
    ["can we continue where we left off?", "resume"],
    ["sigamos con el ejercicio", "resume"],
    ["lass uns mit der Übung weitermachen", "resume"],
    ["on peut continuer l'exercice", "resume"],
    ["vamos continuar o exercício", "resume"],
    ["I want to get back to exercise and running", "none"],
    ["get back to my values", "none"],
    ["I always forget my keys, and my phone", "none"],
    ["I forget", "none"],
    ["my current job, the official letter", "none"],
    ["I search for my keys every day", "none"],
    ["the source of the light", "none"],
    ["the current calendar", "none"],
    ["I want to search for a new job", "none"],
    ["the latest news on the table", "none"],
    ["verify that I locked the door", "none"],
  ];
  test.each(asides)("%s -> %s", (said, kind) => {
    const found = Object.entries(asidesOf(said)).flatMap(([name, is]) => (is ? [name] : []));
    expect(found).toEqual(kind === "none" ? [] : [kind]);
  });

  test("where a step asks what to do, an order is the answer to it", () => {
    expect(asidesOf("look up a yoga class", { isAction: true }).lookup).toBe(false);
    expect(asidesOf("can you look up a yoga class", { isAction: true }).lookup).toBe(true);
  });
});

describe("the model where rules cannot tell", () => {
  const signal = AbortSignal.timeout(hangMs);
  const judged = (answer: string) => scripted(() => answer);
  test("is asked and believed", async () => {
    const model = judged(JSON.stringify({ result: "complete", reasoning: "felt it" }));
    expect(await classifyReply("the air is cool", stepOf("breathe_in"), { model, signal })).toMatchObject({ result: "complete", by: "model" });
  });
  test("is not asked where rules are sure", async () => {
    let calls = 0;
    const model = scripted(() => {
      calls++;
      return "{}";
    });
    expect(await classifyReply("done", stepOf("breathe_in"), { model, signal })).toMatchObject({ result: "complete", by: "rules" });
    expect(calls).toBe(0);
  });
  test.each(["no json", "{}", '{"result":"finished","reasoning":""}'])("that answers %s keeps the step", async (answer) => {
    expect(await classifyReply("the air is cool", stepOf("breathe_in"), { model: judged(answer), signal })).toMatchObject({
      result: "hold",
      by: "fallback",
    });
  });
  test("that is not there keeps the step", async () => {
    expect(await classifyReply("the air is cool", stepOf("breathe_in"), { signal })).toMatchObject({ result: "hold", by: "fallback" });
  });
});

describe("transitions", () => {
  const registry = exerciseRegistry(exerciseCatalog);
  const places = exerciseCatalog.flatMap((exercise) => exercise.steps.map((step, index) => [exercise.id, step.id, index] as const));

  test.each(places)("case 98: %s, %s: exit clears all, stuck and hold keep the step", (id, stepId, index) => {
    const exercise = registry.get(id);
    if (exercise === undefined) throw new Error("no exercise");
    const stored = readStored(atStep(exercise, index, { approach: "act" }) ?? noExercise, registry);
    if (stored.is !== "active") throw new Error("not active");
    expect(advance(stored.active, "exit")).toEqual({ state: noExercise, move: "exit" });
    for (const result of ["stuck", "hold"] as const)
      expect(advance(stored.active, result)).toMatchObject({ state: { exercise_step: index, exercise_step_id: stepId }, move: result });
  });

  test("case 100: the approach is pinned at the start, `none` is no approach, and the end clears it", () => {
    const [exercise] = exerciseCatalog;
    expect(begin(exercise, "cbt").exercise_therapeutic_approach).toBe("cbt");
    expect(begin(exercise, "none").exercise_therapeutic_approach).toBeNull();
    let state = begin(exercise, "cbt");
    for (const [index] of exercise.steps.entries()) {
      const stored = readStored(state, registry);
      if (stored.is !== "active") throw new Error("not active");
      expect(state).toMatchObject({ exercise_step: index, exercise_version: 1, exercise_therapeutic_approach: "cbt" });
      state = advance(stored.active, "complete").state;
    }
    expect(state).toEqual(noExercise);
  });

  test("whatever is said, a person is at a step that there is, or in no exercise", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...exerciseCatalog),
        fc.array(fc.constantFrom("complete", "hold", "stuck", "exit"), { maxLength: 12 }),
        (exercise, results) => {
          let state = begin(exercise, "act");
          for (const result of results) {
            const stored = readStored(state, registry);
            if (stored.is === "none") break;
            if (stored.is !== "active") throw new Error("invalid");
            const { state: next, move } = advance(stored.active, result, 1);
            expect(next.exercise_type === null).toBe(move === "exit" || move === "finish");
            expect((next.exercise_step ?? 0) - stored.active.index).toBeLessThanOrEqual(1);
            state = next;
          }
        },
      ),
    );
  });

  const at = atStep(exerciseCatalog[0], 1, { approach: null }) ?? noExercise;
  test.each([
    ["a step past the end", { ...at, exercise_step: 9 }],
    ["a step of another id", { ...at, exercise_step_id: "taste" }],
    ["another version", { ...at, exercise_version: 2 }],
    ["no step", { ...at, exercise_step: null }],
    ["an exercise that there is none of", { ...at, exercise_type: "gone" }],
  ])("%s is invalid", (_, state) => {
    expect(readStored(state, registry).is).toBe("invalid");
  });
});
