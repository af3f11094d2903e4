/** What leaves a step of an exercise without leaving the exercise: other topics, news, feelings, questions. And what does not. */
import { describe, expect, test } from "vitest";
import { noExercise } from "../../../packages/companion/src/companion-state.ts";
import {
  exerciseCatalog,
  type ExerciseLanguage,
  exerciseLanguages,
  exerciseRegistry,
} from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { startRequests } from "../../../packages/companion/src/exercises/exercise-requests.ts";
import { atStep, decideTurn, pausedAt, readStored } from "../../../packages/companion/src/exercises/exercise-turn.ts";
import { Companion, type CompanionState } from "../../../packages/companion/src/companion-state.ts";

const registry = exerciseRegistry(exerciseCatalog);
const requests = startRequests(exerciseCatalog);
const signal = new AbortController().signal;

const initial = Object.fromEntries(
  Object.entries(Companion.fields).map(([name, { initial: first }]) => [name, typeof first === "function" ? (first as () => unknown)() : first]),
) as unknown as CompanionState;

/** What the rules alone make of a message at a step. */
async function at(step: string, message: string, { paused = false }: { readonly paused?: boolean } = {}) {
  const exercise = exerciseCatalog.find(({ steps }) => steps.some(({ id }) => id === step));
  const index = exercise?.steps.findIndex(({ id }) => id === step) ?? -1;
  const here = exercise === undefined ? undefined : atStep(exercise, index, { approach: null });
  if (here === undefined) throw new Error(`no step ${step}`);
  const stored = readStored(here, registry);
  if (stored.is !== "active") throw new Error("not active");
  const exercise_state = paused ? pausedAt(stored.active) : here;
  const turn = await decideTurn({ state: { ...initial, exercise_state }, message, before: [], registry, requests, model: undefined, signal });
  if (turn.does === "answer") return turn.reply.result;
  if (turn.does === "aside") return `aside: ${turn.about}`;
  return turn.does === "nothing" ? (turn.mentioned === true ? "side question" : "talk") : turn.does;
}

/** Messages in every language at a step of breathing. */
const breathing: Readonly<
  Record<ExerciseLanguage, Readonly<Record<"wish" | "topic" | "news" | "feeling" | "question" | "manner" | "felt" | "done", readonly string[]>>>
> = {
  en: {
    wish: ["can we talk about something else?", "let's change the subject", "I'd rather talk about something else"],
    topic: ["can I tell you something?", "by the way, I got the job", "can we talk about my sister?"],
    news: ["my mother just called, she is in hospital", "he just texted me", "I just found out that I failed the exam", "someone is at the door"],
    feeling: ["I feel so alone right now", "I'm really scared", "I can't stop crying", "I miss him"],
    question: ["what's the capital of France?", "do you think it will rain tomorrow?"],
    manner: ["how long do I hold it?", "should I close my eyes?", "through the nose or the mouth?", "like this?"],
    felt: ["that felt nice", "my chest is lighter", "I feel calmer", "it's a bit quieter in my head"],
    done: ["done", "ok next step"],
  },
  es: {
    wish: ["¿podemos hablar de otra cosa?", "cambiemos de tema"],
    topic: ["¿puedo contarte algo?", "por cierto, tengo el trabajo", "quiero hablarte de mi hermana"],
    news: ["mi madre me acaba de llamar, está en el hospital", "acabo de enterarme de que suspendí", "llaman a la puerta"],
    feeling: ["me siento muy sola", "estoy tan triste", "no puedo dejar de llorar", "lo echo de menos"],
    question: ["¿cuál es la capital de Francia?", "¿crees que lloverá el lunes?"],
    manner: ["¿cuánto tiempo aguanto?", "¿cierro los ojos?", "¿por la nariz o por la boca?"],
    felt: ["me siento más tranquila", "eso me ayudó"],
    done: ["listo", "siguiente paso"],
  },
  de: {
    wish: ["können wir über etwas anderes reden?", "lass uns das Thema wechseln"],
    topic: ["kann ich dir was erzählen?", "übrigens habe ich die Stelle bekommen", "ich muss dir etwas sagen"],
    news: [
      "meine Mutter hat gerade angerufen, sie ist im Krankenhaus",
      "es klingelt an der Tür",
      "ich habe gerade erfahren, dass ich durchgefallen bin",
    ],
    feeling: ["ich bin so traurig", "ich fühle mich total allein", "ich vermisse ihn", "ich habe solche Angst"],
    question: ["was ist die Hauptstadt von Frankreich?", "glaubst du, dass es morgen regnet?"],
    manner: ["wie lange halte ich an?", "soll ich die Augen schließen?", "durch die Nase oder den Mund?"],
    felt: ["es ist etwas stiller in mir", "das tut gut", "ich bin schon ruhiger", "meine Schultern sind lockerer"],
    done: ["fertig", "weiter"],
  },
  fr: {
    wish: ["on peut parler d'autre chose ?", "changeons de sujet"],
    topic: ["je peux te raconter quelque chose ?", "au fait, j'ai eu le poste", "je voudrais te parler de ma sœur"],
    news: ["ma mère vient d'appeler, elle est à l'hôpital", "je viens d'apprendre que j'ai raté l'examen", "on sonne à la porte"],
    feeling: ["je me sens tellement seule", "je suis vraiment triste", "je n'arrête pas de pleurer", "il me manque"],
    question: ["quelle est la capitale de l'Italie ?", "tu crois qu'il va pleuvoir demain ?"],
    manner: ["combien de temps je retiens ?", "je garde les yeux fermés ?", "par le nez ou par la bouche ?"],
    felt: ["c'est plus calme", "je me sens mieux", "ça fait du bien"],
    done: ["c'est fait", "étape suivante"],
  },
  pt: {
    wish: ["podemos falar de outra coisa?", "vamos mudar de assunto"],
    topic: ["posso te contar uma coisa?", "aliás, consegui o emprego", "quero falar sobre minha irmã"],
    news: ["minha mãe acabou de ligar, ela está no hospital", "acabei de descobrir que reprovei", "estão batendo na porta"],
    feeling: ["estou tão triste", "me sinto muito sozinha", "não consigo parar de chorar"],
    question: ["qual é a capital da França?", "você acha que vai chover amanhã?"],
    manner: ["quanto tempo eu seguro?", "fecho os olhos?", "pelo nariz ou pela boca?"],
    felt: ["me sinto mais calma", "isso ajudou"],
    done: ["pronto", "próximo passo"],
  },
  zh: {
    wish: ["我们聊点别的吧", "换个话题吧"],
    topic: ["我想跟你说件事", "对了，我找到工作了"],
    news: ["我妈妈刚刚打电话来，她住院了", "刚刚收到消息，我没考上", "有人敲门"],
    feeling: ["我现在很难过", "我好孤单", "我一直在哭"],
    question: ["法国的首都是哪里？", "你觉得明天会下雨吗？"],
    manner: ["要憋多久？", "要闭眼吗？"],
    felt: ["感觉好多了", "胸口轻了一点"],
    done: ["做好了", "下一步"],
  },
};

const expected = {
  ...{ wish: "aside: wish", topic: "aside: other", news: "aside: other", feeling: "aside: other", question: "side question" },
  ...{ manner: "clarify", felt: "complete", done: "complete" },
} as const;

const rows = exerciseLanguages.flatMap((language) =>
  Object.entries(breathing[language]).flatMap(([kind, messages]) =>
    messages.map((message) => [message, expected[kind as keyof typeof expected]] as const),
  ),
);

describe("while breathing", () => {
  test.each(rows)("%s: %s", async (message, does) => {
    expect(await at("hold_full", message)).toBe(does);
  });
});

describe("while it is paused", () => {
  const back: Readonly<Record<ExerciseLanguage, readonly string[]>> = {
    en: [
      "let's go on",
      "ok, let's continue",
      "where were we?",
      "can we get back to it?",
      "I'm ready now",
      "back to the breathing please",
      "next step",
      "done",
    ],
    es: ["sigamos", "vale, continuemos", "¿dónde estábamos?", "estoy lista", "volvamos al ejercicio"],
    de: ["lass uns weitermachen", "machen wir weiter", "wo waren wir?", "ich bin bereit", "zurück zur Übung"],
    fr: ["on continue", "reprenons", "où en étions-nous ?", "je suis prête", "on peut revenir à l'exercice"],
    pt: ["vamos continuar", "onde paramos?", "voltei", "estou pronta", "vamos voltar ao exercício"],
    zh: ["继续吧", "我们接着做", "刚才到哪了？", "我准备好了", "回到练习吧"],
  };
  test.each(exerciseLanguages.flatMap((language) => back[language].map((message) => [message])))("%s resumes", async (message) => {
    expect(await at("hold_full", message, { paused: true })).toBe("resume");
  });
  test.each([
    ["she broke her leg on the stairs"],
    ["I don't know what to do"],
    ["no, she is alone there"],
    ["thanks"],
    ["yes"],
    ["ok"],
    ["sie hat sich das Bein gebrochen"],
    ["no sé qué hacer"],
    ["我不知道怎么办"],
  ])("%s is part of the other conversation", async (message) => {
    expect(await at("hold_full", message, { paused: true })).toBe("talk");
  });
  test.each([["I want to stop the exercise"], ["ich möchte mit der Übung aufhören"], ["quiero parar el ejercicio"]])(
    "%s ends it",
    async (message) => {
      expect(await at("hold_full", message, { paused: true })).toBe("exit");
    },
  );
  test("another exercise can begin, and memory and look-ups are answered", async () => {
    expect(await at("hold_full", "can we do a thought record?", { paused: true })).toBe("start");
    expect(await at("hold_full", "can you look up sleep hygiene", { paused: true })).toBe("lookup");
    expect(await at("hold_full", "what do you remember about me?", { paused: true })).toBe("side question");
  });
});

describe("steps that ask for thoughts, events or feelings take them", () => {
  test.each([
    ["situation", "my mother just called and shouted at me", "complete"],
    ["thought", "why does nobody like me?", "complete"],
    ["thought", "I feel so alone", "complete"],
    ["observe", "I'm really angry and my jaw is tight", "complete"],
    ["suffering", "I miss him so much", "complete"],
    ["three_things", "my neighbour helped me carry the shopping up the stairs, and the soup was warm", "complete"],
    ["body", "a warm feeling in my chest", "complete"],
    ["body", "nothing really", "complete"],
    ["obstacles", "no, nothing", "complete"],
    ["obstacles", "nichts", "complete"],
    ["notice", "it was hard at first", "complete"],
    ["notice", "什么都没有", "complete"],
    ["place", "35", "complete"],
    ["place", "somewhere in the middle", "complete"],
    ["reflection", "I asked her and she was kind about it", "complete"],
    ["reflection", "I'll do it tomorrow", "aside: later"],
    ["reflection", "das mache ich morgen", "aside: later"],
    ["reflection", "luego lo hago, esta tarde", "aside: later"],
    ["thought", "can we talk about something else?", "aside: wish"],
    ["thought", "by the way, my rent went up again", "aside: other"],
    ["thought", "what do you think about this?", "side question"],
    ["small_step", "my mother just called, she fell", "aside: other"],
    ["see", "my sister has called and we talked about mum", "aside: other"],
    ["see", "a lamp, a door, a cup. Is that enough?", "complete"],
    ["see", "ok", "hold"],
    ["leaf", "ok it's on the leaf", "complete"],
    ["leaf", "it is not on the leaf", "hold"],
    ["drift", "I watched the leaf drift", "complete"],
    ["drift", "das Blatt treibt davon", "complete"],
    ["hands", "he apretado los puños", "complete"],
    ["one_thing", "I looked at my cup for a while", "complete"],
    ["one_thing", "ich habe meine Tasse angeschaut", "complete"],
    ["one_thing", "j'ai regardé ma tasse", "complete"],
    ["common_humanity", "me lo he dicho en voz baja", "complete"],
    ["notice", "I noticed that it came back twice", "complete"],
    ["see", "I noticed the lamp, the door and the cup", "complete"],
    ["hands", "was ist eigentlich der Sinn davon?", "explain"],
    ["hands", "à quoi bon ?", "explain"],
    ["domain", "something else", "complete"],
  ])("%s: %s -> %s", async (step, message, does) => {
    expect(await at(step, message)).toBe(does);
  });
});

test.each([
  "go on with the exercise",
  "sigue con el ejercicio",
  "machen wir mit der Übung weiter",
  "on continue l'exercice",
  "continua com o exercício",
  "继续练习",
])("%s resumes a paused exercise, and offers the last one again after its end", async (message) => {
  expect(await at("hold_full", message, { paused: true })).toBe("resume");
  const finished_exercise = { exercise_type: "emotion_regulation_gratitude", turn_count: 1 };
  const session_progress = { ...initial.session_progress, finished_exercise };
  const given = { message, registry, requests, model: undefined, signal };
  const offered = { does: "offer", available: [{ id: "emotion_regulation_gratitude" }] };
  expect(await decideTurn({ ...given, state: { ...initial, session_progress }, before: [] })).toMatchObject(offered);
  const before = [{ role: "assistant" as const, text: "Good, let us do it together: Gratitude exercise, 3 short steps." }];
  expect(await decideTurn({ ...given, state: initial, before })).toMatchObject(offered);
});

describe("an open step hears news and questions", () => {
  test.each([
    ["why_one", "actually my boss fired me today and I don't know how to tell my wife", "aside: other"],
    ["why_one", "oye, hoy me han despedido y no sé cómo decírselo a mi mujer", "aside: other"],
    ["why_one", "eigentlich hat mir mein Chef heute gekündigt", "aside: other"],
    ["why_one", "en fait mon patron m'a viré ce matin", "aside: other"],
    ["body", "na verdade meu chefe me demitiu hoje", "aside: other"],
    ["body", "其实今天老板开除了我", "aside: other"],
    ["body", "my boss fired me this morning", "hold"],
    ["body", "mi novio me dejó ayer por teléfono", "hold"],
    ["three_things", "ich wurde heute entlassen und weiß nicht weiter", "hold"],
    ["body", "what's the weather on Mars", "side question"],
    ["why_one", "qué es un agujero negro", "side question"],
    ["body", "quelle est la capitale de l'Italie", "side question"],
    ["body", "wie ist das Wetter auf dem Mars", "side question"],
    ["why_one", "qual é a capital da França", "side question"],
    ["body", "明天天气怎么样", "side question"],
    ["body", "why did my sister never call me", "side question"],
    ["body", "can we talk about something else", "aside: wish"],
  ])("%s: %s -> %s", async (step, message, does) => {
    expect(await at(step, message)).toBe(does);
  });
  test.each([
    ["situation", "my boss fired me today in front of everyone", "complete"],
    ["situation", "mein Chef hat mir heute gekündigt", "complete"],
    ["situation", "meu chefe me demitiu hoje", "complete"],
    ["thought", "why does nobody like me", "complete"],
    ["thought", "actually I think that I am not good enough", "complete"],
    ["why_one", "how she smiled at me when I came in", "complete"],
    ["why_one", "what was good was that she called", "complete"],
    ["why_one", "cómo me miró mi hija al despertar", "complete"],
    ["body", "wie ein warmer Ball im Bauch", "complete"],
    ["body", "como un calor en el pecho", "complete"],
    ["body", "like a stone, when I breathe in", "complete"],
    ["body", "没什么感觉", "complete"],
    ["body", "actually it is in my chest", "complete"],
    ["three_things", "when I left the house the sun was out, and the soup", "complete"],
  ])("%s takes %s: %s", async (step, message, does) => {
    expect(await at(step, message)).toBe(does);
  });
});

test("a paused exercise keeps its place and what was named", () => {
  const [exercise] = exerciseCatalog;
  const stored = readStored(atStep(exercise, 0, { approach: "act", items: 2 }) ?? noExercise, registry);
  if (stored.is !== "active") throw new Error("not active");
  expect(pausedAt(stored.active)).toEqual({
    ...{ exercise_type: exercise.id, exercise_step: 0, exercise_step_id: "see", exercise_version: 1 },
    ...{ exercise_therapeutic_approach: "act", exercise_items: 2, exercise_paused: true },
  });
});
