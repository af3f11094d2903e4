/** Conversations with the offline companion around an exercise: topics change, processes end, somebody is in danger. And what is remembered of it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, openStore, type Runtime } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { exerciseCatalog, type ExerciseLanguage } from "../../../packages/companion/src/exercises/exercise-definition.ts";

interface Said {
  readonly reply: string;
  readonly step: string | null;
  readonly paused: boolean;
  readonly level: number;
}

async function talk() {
  const folder = await mkdtemp(join(tmpdir(), "exercise-"));
  const open = async (): Promise<Runtime> => createRuntime({ store: await openStore(join(folder, "test.db")), agents: [createCompanion()] });
  let runtime = await open();
  let session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  onTestFinished(async () => {
    await runtime.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    say: async (message: string): Promise<Said> => {
      const { output, reply } = await session.send(message);
      const { crisis, exercise_state } = output as {
        readonly crisis?: { readonly level: number };
        readonly exercise_state?: { readonly exercise_step_id: string | null; readonly exercise_paused: boolean | null };
      };
      return {
        reply: reply ?? "",
        step: exercise_state?.exercise_step_id ?? null,
        paused: exercise_state?.exercise_paused === true,
        level: crisis?.level ?? 0,
      };
    },
    /** A new process goes on with the same session. */
    restart: async (): Promise<void> => {
      const { id } = session;
      await runtime.close();
      runtime = await open();
      session = await runtime.sessions.get(id);
    },
    facts: async (): Promise<readonly string[]> =>
      (await runtime.customers.memory("ada").export({ format: "json" })).facts.flatMap(({ entry }) =>
        entry.category === "coping_strategy" ? [entry.quote] : [],
      ),
  };
}

const instruction = (step: string, language: ExerciseLanguage): string => {
  const exercise = exerciseCatalog.find(({ steps }) => steps.some(({ id }) => id === step));
  const own =
    language === "en" ? exercise?.steps.find(({ id }) => id === step)?.instruction : exercise?.translations[language]?.steps[step]?.instruction;
  return own ?? "no such step";
};

interface Course {
  readonly language: ExerciseLanguage;
  readonly start: string;
  readonly done: string;
  readonly news: string;
  readonly more: string;
  readonly back: string;
  readonly wish: string;
  readonly felt: string;
  readonly kept: RegExp;
  readonly stop: string;
}

const courses: readonly Course[] = [
  {
    ...{ language: "en", start: "can we do box breathing?", done: "done", news: "my mother just called, she fell on the stairs" },
    ...{ more: "she is at my aunt's now", back: "let's go on", wish: "can we talk about something else?", felt: "my chest is lighter" },
    ...{ kept: /^did Box breathing on \w+day, \w+ \d+; felt better afterwards: ‘my chest is lighter’$/u, stop: "I want to stop the exercise" },
  },
  {
    ...{
      language: "es",
      start: "¿podemos hacer un ejercicio de respiración?",
      done: "listo",
      news: "mi madre me acaba de llamar, se cayó en la escalera",
    },
    ...{ more: "ahora está con mi tía", back: "sigamos", wish: "¿podemos hablar de otra cosa?", felt: "me siento más tranquila" },
    ...{ kept: /^hizo Respiración cuadrada el \p{L}+, .+; después se sintió mejor: «me siento más tranquila»$/u, stop: "quiero parar el ejercicio" },
  },
  {
    ...{ language: "de", start: "Können wir die Boxatmung machen?", done: "fertig", news: "Meine Mutter hat gerade angerufen, sie ist gestürzt" },
    ...{
      more: "sie ist jetzt bei meiner Tante",
      back: "lass uns weitermachen",
      wish: "können wir über etwas anderes reden?",
      felt: "Ich bin schon ruhiger",
    },
    ...{
      kept: /^hat am \p{L}+, .+ diese Übung gemacht: Boxatmung; danach ging es besser: ‚Ich bin schon ruhiger‘$/u,
      stop: "ich möchte mit der Übung aufhören",
    },
  },
  {
    ...{
      language: "fr",
      start: "on peut faire un exercice de respiration ?",
      done: "c'est fait",
      news: "ma mère vient d'appeler, elle est tombée dans l'escalier",
    },
    ...{ more: "elle est chez ma tante maintenant", back: "on continue", wish: "on peut parler d'autre chose ?", felt: "je me sens plus calme" },
    ...{
      kept: /^a fait le \p{L}+ .+ cet exercice : Respiration carrée ; s'est senti mieux ensuite : « je me sens plus calme »$/u,
      stop: "je veux arrêter l'exercice",
    },
  },
  {
    ...{ language: "pt", start: "podemos fazer um exercício de respiração?", done: "pronto", news: "minha mãe acabou de ligar, ela caiu na escada" },
    ...{ more: "agora ela descansa em casa", back: "vamos continuar", wish: "podemos falar de outra coisa?", felt: "me sinto mais calma" },
    ...{
      kept: /^fez em \p{L}.+ este exercício: Respiração quadrada; depois se sentiu melhor: “me sinto mais calma”$/u,
      stop: "quero parar o exercício",
    },
  },
  {
    ...{ language: "zh", start: "我想做呼吸练习", done: "做好了", news: "我妈妈刚刚打电话来，她摔倒了" },
    ...{ more: "她现在在阿姨家", back: "继续吧", wish: "我们聊点别的吧", felt: "感觉好多了" },
    ...{ kept: /^\d+月\d+日.+做了箱式呼吸；之后感觉好一些：‘感觉好多了’$/u, stop: "我想停止这个练习" },
  },
];

describe.each(courses)("in $language", ({ language, start, done, news, more, back, wish, felt, kept, stop }) => {
  test("news pauses it, talk goes on, and it resumes at its step, after a restart too", async () => {
    const { say, restart, facts } = await talk();
    expect(await say(start)).toMatchObject({ step: "breathe_in", paused: false, level: 0 });
    expect(await say(done)).toMatchObject({ step: "hold_full", paused: false });
    const answered = await say(news);
    expect(answered).toMatchObject({ step: "hold_full", paused: true, level: 0 });
    expect(answered.reply).not.toContain(instruction("hold_full", language));
    const talked = await say(more);
    expect(talked).toMatchObject({ step: "hold_full", paused: true });
    expect(talked.reply).not.toContain(instruction("hold_full", language));
    await restart();
    const resumed = await say(back);
    expect(resumed).toMatchObject({ step: "hold_full", paused: false });
    expect(resumed.reply).toContain(instruction("hold_full", language));
    expect(await say(done)).toMatchObject({ step: "breathe_out" });
    const aside = await say(wish);
    expect(aside).toMatchObject({ step: "breathe_out", paused: true });
    expect(aside.reply).not.toContain(instruction("breathe_out", language));
    await say(back);
    await say(done);
    expect(await say(done)).toMatchObject({ step: null, paused: false });
    await say(felt);
    expect(await facts()).toEqual([expect.stringMatching(kept)]);
  });

  test("words of leaving end it, also while it is paused, and nothing is kept", async () => {
    const { say, facts } = await talk();
    await say(start);
    expect(await say(stop)).toMatchObject({ step: null, paused: false });
    await say(start);
    await say(news);
    expect(await say(stop)).toMatchObject({ step: null, paused: false });
    expect(await facts()).toEqual([]);
  });
});

test("danger at level 2 ends it, paused or not, and no later word resumes it", async () => {
  const { say, facts } = await talk();
  await say("can we do box breathing?");
  await say("done");
  await say("my mother just called, she fell on the stairs");
  expect(await say("I want to die")).toMatchObject({ step: null, paused: false, level: 2 });
  expect((await say("let's go on")).step).toBeNull();
  expect(await facts()).toEqual([]);
});

test("a step that was just said is not said again to somebody who asks for time", async () => {
  const { say } = await talk();
  const { reply } = await say("can we do box breathing?");
  expect(reply).toContain(instruction("breathe_in", "en"));
  expect((await say("wait, one moment")).reply).not.toContain(instruction("breathe_in", "en"));
  expect(await say("done")).toMatchObject({ step: "hold_full" });
});

describe("what is kept", () => {
  const finished = async (after: string): Promise<readonly string[]> => {
    const { say, facts } = await talk();
    await say("can we do progressive muscle relaxation?");
    for (const _ of [1, 2, 3, 4]) await say("done");
    expect((await say("yes")).step).toBeNull();
    if (after !== "") await say(after);
    return facts();
  };
  test.each([
    ["", /^did Progressive muscle relaxation on \w+day, \w+ \d+$/u],
    ["yes", /^did Progressive muscle relaxation on \w+day, \w+ \d+$/u],
    ["I have to go to the shop now", /^did Progressive muscle relaxation on \w+day, \w+ \d+$/u],
    ["what is the capital of France?", /^did Progressive muscle relaxation on \w+day, \w+ \d+$/u],
    ["my sister just called about her heart", /^did Progressive muscle relaxation on \w+day, \w+ \d+$/u],
    ["My shoulders are warm. Thank you.", /; said afterwards: ‘My shoulders are warm’$|; felt better afterwards: ‘My shoulders are warm’$/u],
    ["nothing changed, to be honest", /; said afterwards: ‘nothing changed, to be honest’$/u],
    ["I feel worse now", /; felt worse afterwards: ‘I feel worse now’$/u],
  ])("after it, %j", async (after, quote) => {
    expect(await finished(after)).toEqual([expect.stringMatching(quote)]);
  });
  test("what was written as the last step and how it went are told apart", async () => {
    const { say, facts } = await talk();
    for (const message of ["leaves on a stream please", "that I will never be good enough", "it's on the leaf", "done", "it kept coming back"])
      await say(message);
    expect((await say("call my sister")).step).toBeNull();
    await say("it's a bit quieter in my head");
    expect(await facts()).toEqual([
      expect.stringMatching(
        /^did Leaves on a stream on .+, in their own words: ‘call my sister’; felt better afterwards: ‘it's a bit quieter in my head’$/u,
      ),
    ]);
  });
  test("a second time replaces the words of the first", async () => {
    const { say, facts } = await talk();
    for (const after of ["my chest is lighter", "I feel calmer"]) {
      await say("can we do box breathing?");
      for (const _ of [1, 2, 3, 4]) await say("done");
      await say(after);
    }
    expect(await facts()).toEqual([expect.stringContaining("‘I feel calmer’")]);
  });
  test("the day after, a word of the body is about something else", async () => {
    const { say, facts } = await talk();
    await say("can we do box breathing?");
    for (const _ of [1, 2, 3, 4]) await say("done");
    await say("thanks");
    await say("my head hurts since the match");
    expect(await facts()).toEqual([expect.stringMatching(/^did Box breathing on \w+day, \w+ \d+$/u)]);
  });
});
