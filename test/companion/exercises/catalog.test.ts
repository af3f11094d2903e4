/** The catalog over all its exercises and languages: complete definitions, steps that each lead to the next, and the requests that start them. */
import { describe, expect, test } from "vitest";
import {
  exerciseCatalog,
  type ExerciseLanguage,
  exerciseLanguages,
  type ExerciseStep,
} from "../../../packages/companion/src/exercises/exercise-definition.ts";
import { selectExercise, startRequests } from "../../../packages/companion/src/exercises/exercise-requests.ts";
import { advance, atStep, readReply, readStored } from "../../../packages/companion/src/exercises/exercise-turn.ts";
import { exerciseRegistry } from "../../../packages/companion/src/exercises/exercise-definition.ts";

const requests = startRequests(exerciseCatalog);
const signal = new AbortController().signal;

/** The exercise that a message starts by the rules alone. */
async function startedBy(message: string): Promise<string | undefined> {
  if (requests.asking(message) === undefined) return undefined;
  return (await selectExercise({ message, before: [], available: exerciseCatalog, requests, model: undefined, signal })).exercise?.id;
}

const languagesOf = exerciseCatalog.flatMap((exercise) => exerciseLanguages.map((language) => [exercise.id, language, exercise] as const));

describe("every exercise in every language", () => {
  test.each(languagesOf)("%s in %s is written whole", (_, language, exercise) => {
    const said = language === "en" ? exercise : exercise.translations[language];
    expect(said?.display_name).toBeTruthy();
    expect(said?.rationale).toBeTruthy();
    expect(said?.practical).toBeTruthy();
    const texts = exercise.steps.map((step) => (language === "en" ? step : exercise.translations[language]?.steps[step.id]));
    for (const text of texts) {
      expect(text?.instruction).toBeTruthy();
      expect(text?.smaller).toBeTruthy();
      expect(text?.smaller).not.toBe(text?.instruction);
      // Short enough to read at once, and within the limit of a directive.
      expect(text?.instruction.length).toBeLessThan(230);
    }
    expect(new Set(texts.map((text) => text?.instruction)).size).toBe(exercise.steps.length);
  });

  test.each(languagesOf)("%s is asked for by its name in %s", async (_, language, exercise) => {
    const name = (language === "en" ? exercise : exercise.translations[language])?.display_name ?? "";
    const frames: Readonly<Record<ExerciseLanguage, readonly string[]>> = {
      en: [`can we do the ${name}?`, `I want to try ${name}`, `${name} please`],
      es: [`¿podemos hacer ${name}?`, `quiero hacer ${name}`, name],
      de: [`können wir ${name} machen?`, `ich möchte „${name}“ machen`, name],
      fr: [`on peut faire ${name} ?`, `je voudrais faire ${name}`, name],
      pt: [`podemos fazer ${name}?`, `quero fazer ${name}`, name],
      zh: [`我想做${name}`, `可以做一次${name}吗？`, name],
    };
    for (const message of frames[language]) expect(await startedBy(message), message).toBe(exercise.id);
  });
});

/** Requests by the names that people use, and sentences of everyday life with the same words. */
const usual: Readonly<Record<string, Readonly<Record<ExerciseLanguage, readonly [asks: readonly string[], twins: readonly string[]]>>>> = {
  grounding_stop_technique: {
    en: [
      ["can we do the stop technique?", "let's try the STOP skill", "walk me through the stop exercise"],
      ["I can't stop thinking about him", "the bus stop is far away", "I need to stop at the shop"],
    ],
    es: [
      ["¿podemos hacer la técnica STOP?", "enséñame la técnica del stop"],
      ["no puedo parar de pensar", "el autobús hizo una parada larga"],
    ],
    de: [
      ["können wir die Stopp-Technik machen?", "ich möchte die STOP-Technik machen"],
      ["ich kann nicht aufhören zu denken", "an der Ampel war ein Stopp"],
    ],
    fr: [
      ["on peut faire la technique STOP ?", "je voudrais essayer la technique stop"],
      ["je n'arrête pas de penser à lui", "le bus a fait un stop"],
    ],
    pt: [
      ["podemos fazer a técnica STOP?", "quero tentar a técnica do stop"],
      ["não consigo parar de pensar", "o ônibus fez uma parada"],
    ],
    zh: [
      ["我想做STOP技巧", "带我做一次stop练习"],
      ["我停不下来地想他", "公交车停了很久"],
    ],
  },
  grounding_muscle_relaxation: {
    en: [
      ["can we do progressive muscle relaxation?", "guide me through muscle relaxation", "let's do PMR"],
      ["my muscles are sore from the gym", "I read about muscle relaxation yesterday"],
    ],
    es: [
      ["¿podemos hacer relajación muscular?", "quiero hacer la relajación muscular progresiva"],
      ["me duelen los músculos", "ayer leí sobre relajación muscular"],
    ],
    de: [
      ["können wir Muskelentspannung machen?", "ich möchte die progressive Muskelentspannung machen"],
      ["meine Muskeln sind verspannt", "die Krankenkasse zahlt einen Kurs in Muskelentspannung"],
    ],
    fr: [
      ["on peut faire une relaxation musculaire ?", "je voudrais faire la relaxation musculaire progressive"],
      ["j'ai mal aux muscles", "hier il y avait un cours de relaxation musculaire"],
    ],
    pt: [
      ["podemos fazer relaxamento muscular?", "quero fazer o relaxamento muscular progressivo"],
      ["meus músculos doem", "ontem li sobre relaxamento muscular"],
    ],
    zh: [
      ["我想做渐进式肌肉放松", "带我做肌肉放松"],
      ["我的肌肉很酸", "昨天看了一篇讲肌肉放松的文章"],
    ],
  },
  thought_work_behavioral_experiment: {
    en: [
      ["can we do a behavioral experiment?", "help me with a behavioural experiment"],
      ["the experiment at the lab failed", "my son's behavior is an experiment in patience"],
    ],
    es: [["¿podemos hacer un experimento conductual?", "quiero hacer un experimento de comportamiento"], ["el experimento del laboratorio falló"]],
    de: [
      ["können wir ein Verhaltensexperiment machen?", "ich möchte ein Verhaltensexperiment machen"],
      ["das Experiment im Labor ging schief", "sein Verhalten ist ein Experiment"],
    ],
    fr: [["on peut faire une expérience comportementale ?", "je voudrais faire une expérience comportementale"], ["l'expérience au labo a raté"]],
    pt: [["podemos fazer um experimento comportamental?", "quero fazer um experimento comportamental"], ["o experimento do laboratório falhou"]],
    zh: [["我想做一个行为实验", "我们来做行为实验吧"], ["实验室的实验失败了"]],
  },
  thought_work_continuum: {
    en: [
      ["can we do the continuum exercise?", "let's do the continuum"],
      ["gender is a continuum", "I stepped on the scale this morning"],
    ],
    es: [
      ["¿podemos hacer el ejercicio del continuo?", "quiero hacer la técnica del continuo"],
      ["continuo con mi trabajo", "me subí a la báscula"],
    ],
    de: [
      ["können wir die Kontinuum-Übung machen?", "ich möchte die Skalenübung machen"],
      ["das ist ein Kontinuum", "auf einer Skala war das eine Zehn"],
    ],
    fr: [["on peut faire l'exercice du continuum ?", "je voudrais faire la technique du continuum"], ["tout est un continuum"]],
    pt: [["podemos fazer o exercício do contínuo?", "quero fazer a técnica do contínuo"], ["o barulho é contínuo"]],
    zh: [["我想做连续谱练习", "带我做连续体练习"], ["这是一个连续的过程"]],
  },
  behavioral_activation_tiny_action: {
    en: [
      ["can we do a tiny action?", "let's do the tiny action exercise", "help me with behavioral activation"],
      ["there was a tiny bit of action in the film", "I took a small step at work"],
    ],
    es: [["¿podemos hacer la acción diminuta?", "quiero hacer activación conductual"], ["la película tiene poca acción"]],
    de: [["können wir eine Mini-Aktion machen?", "ich möchte die Mini-Aktion machen"], ["im Supermarkt gibt es eine Aktion"]],
    fr: [["on peut faire la toute petite action ?", "je voudrais faire une activation comportementale"], ["le film a peu d'action"]],
    pt: [["podemos fazer a ação minúscula?", "quero fazer ativação comportamental"], ["o filme tem pouca ação"]],
    zh: [["我想做微小行动", "带我做行为激活"], ["他的行动很慢"]],
  },
  defusion_leaves_on_stream: {
    en: [
      ["can we do leaves on a stream?", "guide me through leaves on a stream", "let's do the leaves on a stream exercise"],
      ["I saw leaves on a stream this morning", "the leaves in the garden are yellow"],
    ],
    es: [["¿podemos hacer las hojas en el arroyo?", "quiero hacer el ejercicio de las hojas en el río"], ["vi hojas en el río esta mañana"]],
    de: [
      ["können wir Blätter auf dem Fluss machen?", "ich möchte die Übung Blätter auf dem Bach machen"],
      ["heute früh sah ich Blätter auf dem Fluss"],
    ],
    fr: [
      ["on peut faire les feuilles sur la rivière ?", "je voudrais faire l'exercice feuilles sur le ruisseau"],
      ["ce matin j'ai vu des feuilles sur la rivière"],
    ],
    pt: [["podemos fazer as folhas no riacho?", "quero fazer o exercício folhas no rio"], ["hoje vi folhas no rio"]],
    zh: [["我想做溪流上的落叶", "带我做溪流上的树叶"], ["今天早上看到溪流上的落叶"]],
  },
  self_compassion_break: {
    en: [
      ["can we do the self-compassion break?", "let's do some self-compassion", "I want to try a self compassion exercise"],
      ["she has no compassion", "I had a break at ten", "I wish I had more self-compassion"],
    ],
    es: [
      ["¿podemos hacer la pausa de autocompasión?", "quiero hacer un ejercicio de autocompasión"],
      ["me falta autocompasión", "tuve una pausa a las diez"],
    ],
    de: [
      ["können wir die Selbstmitgefühlspause machen?", "ich möchte eine Übung zum Selbstmitgefühl machen"],
      ["mir fehlt Selbstmitgefühl", "um zehn war Pause"],
    ],
    fr: [["on peut faire la pause d'autocompassion ?", "je voudrais faire un exercice d'autocompassion"], ["je manque d'autocompassion"]],
    pt: [["podemos fazer a pausa de autocompaixão?", "quero fazer um exercício de autocompaixão"], ["me falta autocompaixão"]],
    zh: [["我想做自我关怀练习", "带我做自我慈悲练习"], ["我缺少自我关怀"]],
  },
  emotion_regulation_improve: {
    en: [
      ["can we do improve the moment?", "let's do IMPROVE the moment", "guide me through improve the moment"],
      ["I want to improve the moment when I walk into the room", "how do I improve my English?"],
    ],
    es: [
      ["¿podemos hacer mejora el momento?", "quiero hacer el ejercicio de mejorar el momento"],
      ["quiero mejorar el momento de la cena", "quiero mejorar mi inglés"],
    ],
    de: [
      ["können wir „Ein leichterer Moment“ machen?", "ich möchte die IMPROVE-Technik machen"],
      ["ich möchte den Moment verbessern, in dem ich ins Zimmer komme"],
    ],
    fr: [["on peut faire améliore le moment ?", "je voudrais faire la technique IMPROVE"], ["je voudrais améliorer le moment du dîner"]],
    pt: [["podemos fazer melhore o momento?", "quero fazer o exercício melhorar o momento"], ["quero melhorar o momento do jantar"]],
    zh: [["我想做改善当下练习", "带我做IMPROVE技巧"], ["我想改善现在的生活"]],
  },
  emotion_regulation_gratitude: {
    en: [
      ["can we do a gratitude exercise?", "let's do some gratitude", "three good things please"],
      ["I practise gratitude at work", "I want to do a gratitude exercise with my class", "I owe her a debt of gratitude"],
    ],
    es: [
      ["¿podemos hacer un ejercicio de gratitud?", "quiero hacer la lista de gratitud"],
      ["practico la gratitud en el trabajo", "quiero hacer un ejercicio de gratitud con mis alumnos"],
    ],
    de: [
      ["können wir die Dankbarkeitsübung machen?", "ich möchte eine Dankbarkeitsübung machen"],
      ["ich übe Dankbarkeit bei der Arbeit", "ich möchte eine Dankbarkeitsübung mit meiner Klasse machen"],
    ],
    fr: [
      ["on peut faire un exercice de gratitude ?", "je voudrais faire la liste de gratitude"],
      ["je pratique la gratitude au travail", "je voudrais faire un exercice de gratitude avec mes élèves"],
    ],
    pt: [
      ["podemos fazer um exercício de gratidão?", "quero fazer a lista de gratidão"],
      ["pratico gratidão no trabalho", "quero fazer um exercício de gratidão com meus alunos"],
    ],
    zh: [
      ["我想做感恩练习", "带我做三件好事"],
      ["我在公司练习感恩", "我每天写感恩清单"],
    ],
  },
};

const asked = Object.entries(usual).flatMap(([id, languages]) =>
  Object.values(languages).flatMap(([asks]) => asks.map((message) => [message, id] as const)),
);
const everyday = Object.values(usual).flatMap((languages) =>
  Object.values(languages).flatMap(([, twins]) => twins.map((message) => [message] as const)),
);

describe("requests by usual names", () => {
  test.each(asked)("%s starts %s", async (message, id) => {
    expect(await startedBy(message)).toBe(id);
  });
  test.each(everyday)("%s starts none", async (message) => {
    expect(await startedBy(message)).toBeUndefined();
  });
});

const answerTo = (step: ExerciseStep, language: ExerciseLanguage): string => {
  const done: Readonly<Record<ExerciseLanguage, string>> = { en: "done", es: "listo", de: "fertig", fr: "c'est fait", pt: "pronto", zh: "做好了" };
  const items: Readonly<Record<ExerciseLanguage, string>> = {
    en: "the morning light, my sister's message, warm bread, a song, a walk",
    es: "la luz de la mañana, el mensaje de mi hermana, pan caliente, una canción, un paseo",
    de: "das Morgenlicht, die Nachricht meiner Schwester, warmes Brot, ein Lied, ein Spaziergang",
    fr: "la lumière du matin, le message de ma sœur, du pain chaud, une chanson, une promenade",
    pt: "a luz da manhã, a mensagem da minha irmã, pão quente, uma música, um passeio",
    zh: "早上的光、妹妹的消息、热面包、一首歌、散步",
  };
  return step.completion_mode === "confirmation" ? done[language] : step.rating === undefined ? items[language] : "7";
};

test.each(languagesOf)("%s: in %s, answers lead from the first step to the end", (_, language, exercise) => {
  const registry = exerciseRegistry(exerciseCatalog);
  let state = atStep(exercise, 0, { approach: null });
  const visited: string[] = [];
  while (state !== undefined && state.exercise_type !== null) {
    const stored = readStored(state, registry);
    if (stored.is !== "active") throw new Error(`The state at ${visited.join(", ")} is ${stored.is}.`);
    visited.push(stored.active.step.id);
    const message = answerTo(stored.active.step, language);
    const read = readReply(message, stored.active.step);
    expect(read.result, `${stored.active.step.id}: ${message}`).toBe("complete");
    state = advance(stored.active, "complete").state;
  }
  expect(visited).toEqual(exercise.steps.map(({ id }) => id));
});
