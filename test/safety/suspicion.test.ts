/** A danger that is only suspected is asked about once, and is over after a no or two calm turns. What was said outright is not. */
import { describe, expect, it } from "vitest";
import { packs } from "../../packages/companion/src/companion-gate.ts";
import { control, styledAs, triaged, withCompanion } from "../companion/support.ts";
import { converse, lastOf } from "./conversation.ts";

const models = { control: control({ triage: triaged(), style: styledAs("supportive") }) };
const options = { models, safety: { packs, replyBy: "static" } } as const;

/** A harmless message that soft matches take for level 2. */
const misread = "I feel so sleepy after that allergy pill";

const endOf = (...messages: readonly string[]): readonly [level: number, override: string, reason: string, highest: number | undefined] => {
  const { assessment, plan } = lastOf(messages);
  return [assessment.level, assessment.override, assessment.reason_code, plan?.highest];
};

describe("a suspicion", () => {
  it("is asked about with the direct question", () => {
    const { assessment, step, plan } = lastOf([misread]);
    expect([assessment.level, step.ask, plan?.doubtful]).toEqual([2, "suicide", true]);
  });

  it.each(["no", "no, not at all"])("ends with a no, on record with its reason: %s", (answer) => {
    expect(endOf(misread, answer)).toEqual([0, "released", "explicit_denial_in_context", 0]);
  });

  it("ends after two calm turns, on record with its reason", () => {
    const calm = ["I took it for my hay fever", "can you recommend a book about birds?"];
    expect(endOf(misread, ...calm.slice(0, 1))).toEqual([1, "none", expect.any(String), 2]);
    expect(endOf(misread, ...calm)).toEqual([0, "released", "ambiguous", 0]);
    expect(endOf(misread, ...calm, "and a film?")).toEqual([0, "none", "none", 0]);
  });

  it.each([
    ["an unclear word", "there is no way out"],
    ["distress", "I feel so sad and lonely"],
    ["explicit words", "I want to die"],
    ["a language without rules", "Ben bugün çok yoruldum ve hiçbir şey yapmak istemiyorum artık"],
  ])("goes on with %s", (_what, text) => {
    const { assessment, plan } = lastOf([misread, "I took it for my hay fever", text]);
    expect(assessment.override).not.toBe("released");
    expect(plan?.highest).toBeGreaterThanOrEqual(2);
  });

  it("is none after a yes", () => {
    expect(lastOf([misread, "yes", "what a nice day", "can you recommend a book?"]).plan).toMatchObject({ highest: 2, answers: { suicide: "yes" } });
  });

  it("takes a time alone for an answer, and one in a sentence for none", () => {
    expect(lastOf([misread, "tonight"]).assessment.level).toBe(3);
    expect(lastOf([misread, "the film starts at eight tonight and I am looking forward to it"]).assessment.level).toBeLessThan(2);
  });

  it.each([[["I want to die"]], [["I have bought the pills"]], [["there is no way out", "yes"]]])(
    "is none where it was said outright or answered with yes: %s",
    (before) => {
      const turns = converse([...before, "what a nice day", "can you recommend a book?", "thanks", "and a film?"]);
      expect(turns.at(-1)?.plan?.highest).toBeGreaterThanOrEqual(2);
      expect(turns.every(({ assessment }) => assessment.override !== "released")).toBe(true);
    },
  );

  it("does not grow by questions that an ordinary person leaves unanswered", () => {
    // Words alone raise the first message to 1. What follows is talk of other things.
    const [likely, other] = ["je sais pas si c'était une bonne idée", "t'en penses quoi ?"];
    expect(converse([likely, other, likely, other]).map(({ assessment }) => assessment.level)).toEqual([1, 1, 1, 1]);
    expect(lastOf(["I don't see the point anymore", "whatever", "I can't do this anymore"]).assessment.level).toBe(2);
  });

  it("is let go in the state and in the audit of a conversation", () =>
    withCompanion(options, async ({ say, session, runtime }) => {
      for (const text of [misread, "I took it for my hay fever", "can you recommend a book about birds?"]) await say(text);
      expect((await session.state()).document["safety_plan"]).toMatchObject({ highest: 0 });
      const { items } = await runtime.safety.assessments({});
      expect(items.map(({ level, override, reason_code }) => [level, override, reason_code])).toContainEqual([0, "released", "ambiguous"]);
    }));
});

describe("the time at which somebody will be reached", () => {
  it.each([
    ["I want to die", "ok I'll call him tomorrow"],
    ["ich will sterben", "ok ich rufe morgen meine Schwester an"],
    ["quiero morir", "vale, mañana llamo a mi hermana"],
    ["je veux mourir", "ok j'appelle ma soeur demain"],
    ["quero morrer", "tá bom, amanhã eu ligo para minha irmã"],
    ["aku mau mati", "oke besok aku telepon kakakku"],
    ["我想死", "好，我明天给姐姐打电话"],
    ["I want to die", "maybe I'll call her tomorrow"],
    ["ich will sterben", "vielleicht ruf ich sie morgen an"],
    ["quiero morir", "quizás mañana llamo a mi hermana"],
    ["je veux mourir", "peut-être que j'appelle ma soeur demain"],
    ["quero morrer", "talvez amanhã eu ligo para minha irmã"],
    ["aku mau mati", "mungkin besok aku telepon kakakku"],
    ["我想死", "也许我明天给姐姐打电话"],
    ["I want to die", "okay. maybe I could text him in the morning"],
    ["ich will sterben", "ich könnte morgen meine Schwester anrufen"],
    ["quiero morir", "mañana podría llamar a mi hermana"],
  ])("is not that of an act: %s, %s", (crisis, text) => {
    expect(lastOf([crisis, text]).assessment.level).toBe(1);
    expect(lastOf([crisis, "ok", text]).assessment.level).toBeLessThan(3);
  });

  it.each([
    "I'll do it tomorrow",
    "tomorrow",
    "I'll call her tomorrow to say goodbye",
    "yes, tomorrow",
    "maybe I'll do it tomorrow",
    "maybe I won't be here tomorrow",
  ])("but is in: %s", (text) => {
    expect(lastOf(["I want to die", text]).assessment.level).toBe(3);
  });
});

describe("something that was taken, and was named before", () => {
  it.each([
    ["a crisis that is open", "I want to die", 3],
    ["tablets that were talked of", "the doctor gave me codeine for my back", 2],
    ["biscuits", "my sister baked a tray of biscuits", 0],
  ] as const)("counts after %s", (_what, before, level) =>
    withCompanion(options, async ({ say, runtime }) => {
      await say(before);
      await say("I've had 16 of them");
      const { items } = await runtime.safety.assessments({});
      expect(Math.max(...items.map((one) => one.level_deterministic))).toBe(level);
    }),
  );
});

describe("somebody else who said goodbye", () => {
  it.each([
    "my flatmate texted all of us goodbye and her phone is off now",
    "meine Schwester hat Abschiedsbriefe verschickt und geht nicht mehr ans Telefon",
    "mi hermano mandó mensajes de despedida y tiene el móvil apagado",
    "ma sœur a envoyé des messages d'adieu et ne répond plus",
    "meu irmão mandou mensagens de despedida e não atende",
    "adikku mengirim surat perpisahan dan hp-nya mati",
    "मेरी बहन ने सबको अलविदा कहा और उसका फ़ोन बंद है",
    "meri behen ne sabko alvida kaha aur uska phone band hai",
    "أختي أرسلت رسالة وداع ولا ترد",
    "我弟弟发了告别短信，现在联系不上",
  ])("is in danger now if they cannot be reached: %s", (text) => {
    const { assessment } = lastOf([text]);
    expect([assessment.level, assessment.subject]).toEqual([3, "other"]);
  });

  it.each(["my sister isn't answering, I guess she is asleep", "mein Bruder geht nicht ans Telefon, er arbeitet", "我弟弟不接电话，他在上班"])(
    "is in none if that is all: %s",
    (text) => {
      expect(lastOf([text]).assessment.level).toBeLessThan(2);
    },
  );
});

it("hears in a runtime that means were put away, and what holds a person", () =>
  withCompanion(options, async ({ say, session }) => {
    for (const text of ["I want to die", "with my pills", "I flushed the pills"]) await say(text);
    expect((await session.state()).document["safety_plan"]).toMatchObject({ heard: "put_away" });
  }));
