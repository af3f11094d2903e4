/** Exercises start by everyday requests that name none, and not by ordinary talk with the same words. */
import { createRuntime, openStore } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { exerciseCatalog } from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { selectExercise, startRequests } from "../../../packages/companion/src/exercises/exercise-requests.ts";

const requests = startRequests(exerciseCatalog);
const { signal } = new AbortController();

/** The exercise that a request leads to by the rules alone. */
async function startedBy(message: string): Promise<string | undefined> {
  if (requests.listing(message)) return requests.needed(message)?.id;
  if (requests.asking(message) === undefined) return undefined;
  return (await selectExercise({ message, before: [], available: exerciseCatalog, requests, model: undefined, signal })).exercise?.id;
}

describe("an everyday request starts the exercise that fits", () => {
  test.each([
    ["help me calm down my breathing", "grounding_box_breathing"],
    ["can you help me slow my breathing down", "grounding_box_breathing"],
    ["could you help me relax my shoulders", "grounding_muscle_relaxation"],
    ["is there anything I can do to stop the overthinking?", "defusion_leaves_on_stream"],
    ["let's take a few deep breaths", "grounding_box_breathing"],
    ["how do I slow down my heartbeat?", "grounding_box_breathing"],
    ["I can't stop thinking about it, do you have an exercise?", "defusion_leaves_on_stream"],
    ["talk me through a few slow breaths", "grounding_box_breathing"],
    ["ich kann nicht aufhören zu grübeln, hast du eine Übung?", "defusion_leaves_on_stream"],
    ["gibt es irgendwas, womit ich meinen Atem beruhigen kann?", "grounding_box_breathing"],
    ["hilf mir, meine Schultern zu lockern", "grounding_muscle_relaxation"],
    ["können wir kurz zusammen atmen?", "grounding_box_breathing"],
    ["wie kann ich mein Herzrasen beruhigen?", "grounding_box_breathing"],
    ["kennst du einen Trick gegen das Grübeln?", "defusion_leaves_on_stream"],
    ["ayúdame a calmar la respiración", "grounding_box_breathing"],
    ["¿hay algo para dejar de darle vueltas?", "defusion_leaves_on_stream"],
    ["¿podemos respirar juntos?", "grounding_box_breathing"],
    ["¿cómo puedo calmar el corazón?", "grounding_box_breathing"],
    ["no paro de darle vueltas, ¿tienes algún ejercicio?", "defusion_leaves_on_stream"],
    ["aide-moi à ralentir ma respiration", "grounding_box_breathing"],
    ["tu as un truc pour arrêter de ruminer ?", "defusion_leaves_on_stream"],
    ["on peut respirer ensemble ?", "grounding_box_breathing"],
    ["comment calmer mon cœur ?", "grounding_box_breathing"],
    ["j'ai les épaules tendues, tu connais un exercice ?", "grounding_muscle_relaxation"],
    ["me ajuda a acalmar a respiração", "grounding_box_breathing"],
    ["tem algum jeito de parar de remoer?", "defusion_leaves_on_stream"],
    ["tem alguma coisa pra acalmar meus pensamentos?", "defusion_leaves_on_stream"],
    ["vamos respirar um pouco", "grounding_box_breathing"],
    ["como eu acalmo meu coração?", "grounding_box_breathing"],
    ["帮我把呼吸慢下来", "grounding_box_breathing"],
    ["有没有什么办法让我的心跳平静?", "grounding_box_breathing"],
    ["带我深呼吸", "grounding_box_breathing"],
    ["我停不下来地胡思乱想,有没有练习?", "defusion_leaves_on_stream"],
    ["怎么放慢呼吸?", "grounding_box_breathing"],
    ["帮我放松一下肩膀", "grounding_muscle_relaxation"],
  ])("%s", async (message, id) => expect(await startedBy(message)).toBe(id));
});

describe("ordinary talk starts none", () => {
  test.each([
    "my breathing was heavy after the run",
    "the doctor checked my breathing",
    "how do I calm down my dog?",
    "help me calm down my mother",
    "is there anything to do in Leeds?",
    "help me stop",
    "can you help me relax",
    "help me calm down",
    "he helped me slow my breathing yesterday",
    "my shoulders hurt",
    "do you have anything for me?",
    "let's take a few days off",
    "help me with my head of department",
    "mein Atem war sichtbar in der Kälte",
    "hilf mir bitte",
    "gibt es etwas Neues?",
    "hast du etwas gegen Montage?",
    "wie kann ich meinen Chef beruhigen?",
    "meine Gedanken sind bei dir",
    "hast du Gedanken dazu?",
    "ayúdame a calmar a mi hijo",
    "¿hay algo para cenar?",
    "mi respiración es normal",
    "¿cómo puedo calmar a mi jefe?",
    "aide-moi à faire mes devoirs",
    "tu as quelque chose contre lui ?",
    "ma respiration va bien",
    "comment calmer mon bébé ?",
    "me ajuda a acalmar minha filha",
    "tem algum filme bom?",
    "respirar dói quando corro",
    "como eu acalmo o bebê?",
    "有没有什么办法让我先平静一下?",
    "帮我想想办法",
    "他的呼吸很重",
    "怎么让他冷静?",
    "有没有好看的电影?",
  ])("%s", async (message) => expect(await startedBy(message)).toBeUndefined());
});

test("a question for all exercises is answered by their names, also with a need in it", async () => {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  expect((await session.send("which breathing exercises do you have?")).output["exercise_state"]).toMatchObject({ exercise_type: null });
  expect((await session.send("ich kann nicht aufhören zu grübeln, hast du eine Übung?")).reply).toMatch(/Blätter|Bach/u);
});
