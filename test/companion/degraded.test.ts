/** What somebody is answered while no classifier answers, by what the screen could read of the message. */
import { describe, expect, it } from "vitest";
import { packs, phrases } from "../../packages/companion/src/companion-gate.ts";
import type { SafetyClassifier } from "throughline/safety";
import { control, type Played, styledAs, triaged, withCompanion } from "./support.ts";
import { scripted } from "throughline";

const dead: SafetyClassifier = { name: "dead", prompt_version: "1", classify: () => Promise.reject(new Error("the provider is down")) };
const ordinary = "That sounds like a day.";

async function withDead(classifier: SafetyClassifier | null, play: (played: Played) => Promise<void>): Promise<void> {
  const models = { control: control({ triage: triaged(), style: styledAs("supportive") }), response: scripted(() => ordinary), classifier };
  await withCompanion({ models, safety: { packs, replyBy: "static" } }, play);
}

const checkIns = phrases.flatMap(({ ask_safe }) => ask_safe);
const direct = phrases.flatMap(({ ask_directly }) => ask_directly);
const asks = (reply: string, questions: readonly string[]): boolean => questions.some((question) => reply.includes(question));
const isOrdinary = (reply: string): boolean => reply.startsWith(ordinary) && !asks(reply, [...checkIns, ...direct]);

const tooLong = (sentence: string): string => `${sentence} `.repeat(Math.ceil(8_200 / sentence.length));

describe.each([
  ["fails", dead],
  ["is absent", null],
] as const)("while the classifier %s", (_name, classifier) => {
  it.each([
    "My name is Sam",
    "Ich heiße Finn",
    "I am sad because my team lost again and it rains",
    "Ich bin traurig, weil meine Mannschaft wieder verloren hat",
    "Estoy triste porque mi equipo ha perdido otra vez",
    "Je suis triste parce que mon équipe a encore perdu",
    "Estou triste porque o meu time perdeu de novo",
    "Aku sedih karena timku kalah lagi hari ini",
    "आज दफ़्तर में बहुत काम था और बारिश भी हो रही थी",
    "aaj office mein bahut kaam tha aur baarish bhi ho rahi thi",
    "أنا حزين لأن فريقي خسر مرة أخرى",
    "我很难过，因为我的球队又输了",
  ])("a text that was read whole and scored 0 is answered as ever, and on record as degraded: %s", async (text) => {
    await withDead(classifier, async ({ say, runtime }) => {
      const { reply, output } = await say(text);
      expect([output.crisis.level, isOrdinary(reply)], reply).toEqual([0, true]);
      expect((await runtime.safety.assessments({})).items).toMatchObject([{ level: 0, quality: "degraded", grounds: [], action: "none" }]);
    });
  });

  it.each([
    ["a language without rules", "Ik ben zo moe van alles en wil niet meer", "unread_language"],
    ["a script without rules", "мне больше ничего не нужно", "unread_language"],
    ["English, too long", tooLong("We walked along the river and talked about the weather."), "too_long"],
    ["German, too long", tooLong("Wir sind am Fluss entlang gegangen und haben über das Wetter geredet."), "too_long"],
    ["Spanish, too long", tooLong("Caminamos junto al río y hablamos del tiempo."), "too_long"],
    ["Chinese, too long", tooLong("我们沿着河边走，聊了聊天气。"), "too_long"],
  ])("%s is asked about, and never with the word suicide", async (_what, text, ground) => {
    await withDead(classifier, async ({ say, runtime }) => {
      const first = await say(text);
      const again = await say(text);
      expect([first.output.crisis.level, asks(first.reply, checkIns), asks(first.reply, direct)]).toEqual([1, true, false]);
      expect(asks(again.reply, checkIns)).toBe(true);
      expect(again.reply).not.toBe(first.reply);
      const { items } = await runtime.safety.assessments({});
      expect(items.map(({ grounds, action, quality }) => ({ grounds, action, quality }))).toEqual([
        { grounds: [ground], action: "clarify", quality: "degraded" },
        { grounds: [ground], action: "clarify", quality: "degraded" },
      ]);
    });
  });

  it("a text in a language with rules is answered in it", async () => {
    await withDead(classifier, async ({ say }) => {
      const german = phrases.find(({ language }) => language === "de") ?? expect.fail();
      expect(asks((await say(tooLong("Ich bin heute mit dem Hund am Fluss gewesen."))).reply, german.ask_safe)).toBe(true);
    });
  });

  it.each([
    ["yes, all good", false],
    ["no", true],
    ["no, I am not", true],
  ])("after the neutral question, %j leads to the direct question: %s", async (answer, isAsked) => {
    await withDead(classifier, async ({ say }) => {
      await say("Ik ben zo moe van alles en wil niet meer");
      const { reply } = await say(answer);
      expect(asks(reply, direct), reply).toBe(isAsked);
    });
  });

  it.each([
    ["read and harmless", "My team lost again"],
    ["a language without rules", "Ik ben zo moe van alles"],
    ["too long", tooLong("We walked along the river.")],
  ])("an open plan keeps its floor: %s", async (_what, text) => {
    await withDead(classifier, async ({ say, runtime }) => {
      await say("I want to kill myself");
      const { reply, output } = await say(text);
      expect([output.crisis.level, asks(reply, checkIns), reply.startsWith(ordinary)]).toEqual([1, false, false]);
      const [record] = (await runtime.safety.assessments({ level: 1 })).items;
      expect(["answer", "open_plan"]).toContain(record?.grounds?.[0]);
    });
  });
});
