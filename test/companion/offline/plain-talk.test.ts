/** What ordinary talk asks of the rules: jokes, who is there, what if, good news that is none, habits of others, farewells and short messages. */
import { asData, type ModelMessage } from "throughline";
import { describe, expect, test } from "vitest";
import { styleTexts } from "../../../packages/companion/src/prompts/companion-prompts.ts";
import { banks } from "../../../packages/companion/src/offline/say/offline-reply.ts";
import { languageAmong } from "../../../packages/companion/src/offline/words/folded-words.ts";
import { replyOf, styleOf, triageOf } from "./support.ts";

const sections = [{ name: "style", text: styleTexts.supportive }];
const technique = [{ name: "style", text: styleTexts.technique }];
/** The reply to the last of several messages, each answered with a mark. */
const replyAfter = (...said: readonly string[]): Promise<string> => {
  const before = said.slice(0, -1).flatMap((text): readonly ModelMessage[] => [
    { role: "user", text },
    { role: "assistant", text: "." },
  ]);
  return replyOf([...before, { role: "user", text: said.at(-1) ?? "" }], sections);
};

test.each([
  ["en", "do you know any funny jokes?"],
  ["de", "kennst du einen guten Witz?"],
  ["es", "dime otro chiste por favor"],
  ["fr", "tu connais une blague ?"],
  ["pt", "você sabe alguma piada?"],
  ["id", "punya lelucon yang lucu?"],
  ["hi-latn", "mujhe koi achha joke batao"],
  ["hi", "मुझे एक चुटकुला बताओ"],
  ["zh", "给我说个笑话"],
  ["ar", "هل عندك نكتة؟"],
] as const)("%s: who asks for a joke is told one: %s", async (language, text) =>
  expect(banks[language].jokes).toContain(await replyOf(text, sections)),
);

test.each([
  ["en", "wait, are you actually a human being?"],
  ["de", "bist du vielleicht ein echter Mensch?"],
  ["es", "¿estoy hablando con una máquina?"],
  ["fr", "t'es un robot ou quoi ?"],
  ["pt", "você é robô?"],
  ["id", "kamu ini robot ya?"],
  ["hi-latn", "kya aap ek robot hain?"],
  ["hi", "क्या तुम एक मशीन हो?"],
  ["zh", "你到底是机器人吗？"],
  ["ar", "هل أنت برنامج؟"],
] as const)("%s: who asks whether somebody is there is told what it is, as often as they ask: %s", async (language, text) => {
  const [first = "", ...more] = banks[language].what_i_am;
  expect([first, ...more]).toContain(await replyOf(text, sections));
  expect([first, ...more]).toContain(
    await replyOf(
      [
        { role: "user", text },
        { role: "assistant", text: first },
        { role: "user", text },
      ],
      sections,
    ),
  );
});

test.each([
  ["en", "but what if nobody comes?"],
  ["de", "und was, wenn keiner kommt?"],
  ["es", "¿y si no viene nadie?"],
  ["fr", "et si personne ne vient ?"],
  ["pt", "e se ninguém vier?"],
  ["id", "gimana kalau tidak ada yang datang?"],
  ["zh", "要是没人来怎么办？"],
  ["ar", "ماذا لو لم يأت أحد؟"],
] as const)("%s: a what-if is answered as one: %s", async (language, text) => {
  const reply = await replyOf(text, sections);
  expect(banks[language].what_if.some((one) => one.startsWith(reply.split(/[.。]/u)[0] ?? reply))).toBe(true);
});

test("a question for a verdict is given back, and a question of fact is not guessed", async () => {
  expect(banks.en.no_opinion).toContain(await replyOf("was it selfish of them?  what do you think?", sections));
  expect(banks.de.no_opinion).toContain(await replyOf("was meinst du dazu?", sections));
  expect(banks.en.cannot_tell).toContain(await replyOf("when does the museum open?", sections));
});

test.each([
  ["en", "none of my exams went well, I haven't passed my physics"],
  ["id", "bosku tidak membantu sama sekali"],
  ["de", "das hat mir leider nicht geholfen"],
  ["pt", "ninguém me ajudou"],
  ["zh", "吃药没有帮助"],
] as const)("%s: a good thing that did not happen is no good news: %s", async (_language, text) =>
  expect(await replyOf(text, sections)).not.toMatch(
    /congrat|glad|well done|senang|syukur|schön|freut|parabéns|que bom|gesto bonito|恭喜|真好|轻一点/iu,
  ),
);

test("a passing state yields to a feeling, an event does not", async () => {
  expect(await replyOf("all good, just really lonely", sections)).not.toMatch(/good to hear|glad/iu);
  expect(await replyOf("I passed my exam, and I'm so tired", sections)).toMatch(/congratulations|celebrate/iu);
});

describe("names", () => {
  test.each([
    ["I'm Oskar, my wife showed me this", "Oskar"],
    ["hola, soy Inés y tengo una pregunta", "Inés"],
    ["Bonjour, moi c'est Hugo", "Hugo"],
    ["oi, sou a Bia", "Bia"],
    ["Ich bin die Heidi", "Heidi"],
    ["Ich bin Uwe, 54", "Uwe"],
    ["main Kabir hoon", "Kabir"],
  ])("%s", async (text, name) => expect(await replyOf(text, sections)).toContain(name));

  test.each(["I am Polish, and my English is bad", "I'm Catholic.", "Ich bin Lehrerin, und müde", "I am Home", "soy enfermera"])(
    "what somebody is, is no name: %s",
    async (text) => expect(await replyOf(text, sections)).not.toMatch(/meet you|kennenzulernen|conocerte/u),
  );

  test.each(["have I told you my brother's name?", "comment s'appelle ma sœur ?", "wie heißt denn mein Onkel Bruder?", "我妹妹叫什么名字？"])(
    "a question for the name of somebody of theirs is one for memory: %s",
    async (text) => expect(await triageOf(text)).toMatchObject({ memory_reference_mode: "explicit" }),
  );
});

test("an ache of the body is no hurt feeling", async () => {
  expect(banks.en.feelings.hurt).not.toContain((await replyOf("my shoulder hurts when I sew", sections)).split(/(?<=\.) /u)[0]);
});

test("a habit of somebody else is no pattern of the speaker", async () => {
  expect(await styleOf("she always sang in the garden")).toMatchObject({ response_style: "supportive" });
  expect(await styleOf("meine Oma hat immer gesungen")).toMatchObject({ response_style: "supportive" });
  expect(await styleOf("she always shouts at me")).toMatchObject({ response_style: "reflective" });
});

test("a short message that ends with a farewell takes leave", async () => {
  expect(await styleOf("that was nice, bye")).toMatchObject({ response_style: "closing" });
  expect(await styleOf("valeu, tchau")).toMatchObject({ response_style: "closing" });
  expect(await styleOf("my flight was late, and at the gate she only said goodbye")).not.toMatchObject({ response_style: "closing" });
});

test("who asks for advice after all gets some, on what was said last", async () => {
  const wishes = { name: "procedural_rules", text: asData("procedural_rules", ["- no advice"]) };
  const turns: readonly ModelMessage[] = [
    { role: "user", text: "my neighbor shouted at me" },
    { role: "assistant", text: "." },
    { role: "user", text: "how much sleep do people need?" },
    { role: "assistant", text: "." },
    { role: "user", text: "any tips?" },
  ];
  expect(await replyOf(turns, [...technique, wishes])).toContain(banks.en.ways.conflict?.[0]);
});

test("where no story fits, one word shows whether something is good or hard, unless it is denied", async () => {
  const tones = await Promise.all(
    ["we had a party on the roof", "the printer is broken again", "es gab Kuchen und wir haben viel gelacht"].map((text) => replyOf(text, sections)),
  );
  expect(tones[0]).toMatch(/good|nice|like|enjoy/u);
  expect(tones[1]).toMatch(/easy|mind|weigh|deal/u);
  expect(tones[2]).toMatch(/gut|Schön|gern|genießen/u);
  expect(await replyOf("there was no laughter at the table", sections)).not.toMatch(/good|nice|like hearing|enjoy/u);
});

test("good evening is a greeting at the beginning and a farewell later", async () => {
  const closing = [{ name: "style", text: styleTexts.closing }];
  expect(banks.es.greetings).toContain(await replyOf("buenas noches", closing));
  const turns: readonly ModelMessage[] = [
    { role: "user", text: "me gusta hablar contigo" },
    { role: "assistant", text: "Gracias." },
    { role: "user", text: "buenas noches" },
  ];
  expect(banks.es.closings).toContain(await replyOf(turns, closing));
});

test("a person is taken up where nothing else is understood", async () => {
  expect(await replyOf("my uncle has bees", sections)).toMatch(/your uncle/u);
  expect(await replyAfter("my uncle has bees", "he has nine of them")).not.toMatch(/uncle/u);
});

test("one word among several does not change the language of a conversation", () => {
  expect(languageAmong(["qual na lista", "aap kaise hain, main theek hoon"])).toBe("hi-latn");
  expect(languageAmong(["hola", "how are you doing today"])).toBe("es");
  expect(languageAmong(["no entiendo nada de esto", "how are you doing today"])).toBe("es");
});

test.each(["oi, tudo bem? hoje meu chefe gritou comigo", "hola, ¿todo bien? mi jefe me gritó hoy"])(
  "a good thing that is only asked after is no news: %s",
  async (message) => expect(await replyOf(message)).not.toMatch(/Que bom|alegra|Me alegro/u),
);

describe("a loss of an animal is met as grief, and laughter lightly", () => {
  test.each([
    "We put our dog to sleep",
    "we had to put the old cat to sleep in September",
    "wir mussten unseren Hund einschläfern",
    "tuvimos que sacrificar a nuestro perro",
    "on a dû faire piquer notre chat",
    "tivemos que sacrificar o nosso cachorro",
    "我们给狗安乐死了",
    "anjingku kemarin mati",
    "مات كلبي أمس",
  ])("%s", async (message) => expect((await styleOf(message)).therapeutic_approach).toBe("grief_support"));

  test("putting a child to sleep is none", async () =>
    expect((await styleOf("I put my daughter to sleep and sat down")).therapeutic_approach).toBe("none"));

  test.each([
    ["haha you're funny", /smile|laugh/u],
    ["jaja qué risa", /risa|sonreír|reírte/u],
    ["haha, war nur ein Witz", /Lachen|Schmunzeln|lachen/u],
    ["哈哈哈", /笑/u],
  ])("%s", async (message, reply) => {
    expect(await replyOf(message)).toMatch(reply);
    expect(
      await replyOf([
        { role: "user", text: "we put our dog to sleep" },
        { role: "assistant", text: "I am sorry." },
        { role: "user", text: message },
      ]),
    ).toMatch(reply);
  });
});

test("a loss stays with the messages on it, and not with others", async () => {
  const said = async (...messages: readonly string[]): Promise<string> =>
    replyOf(
      messages.flatMap((text, place) =>
        place === messages.length - 1
          ? [{ role: "user", text }]
          : [
              { role: "user", text },
              { role: "assistant", text: "I see." },
            ],
      ),
    );
  const loss = "we had to put the old cat to sleep";
  const isGrief = (reply: string): boolean => banks.en.grieving.some((sentence) => reply.startsWith(sentence));
  expect(isGrief(await said(loss, "nineteen years she was with us"))).toBe(true);
  expect(isGrief(await said(loss, "my grandson scored two goals on Saturday"))).toBe(false);
  expect(isGrief(await said(loss, "she was nineteen", "yes", "no", "the postman came at noon"))).toBe(false);
});
