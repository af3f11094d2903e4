/** Who asks to be left alone or not to be asked is asked nothing for a while, in ten languages. */
import { describe, expect, test } from "vitest";
import { converse, lastOf } from "./conversation.ts";

const leaving: Readonly<Record<string, readonly [wish: string, ...requests: readonly string[]]>> = {
  en: [
    "I want to kill myself",
    "leave me alone",
    "stop asking me that",
    "please stop asking me about this",
    "can you stop asking me stuff for a minute",
    "can i just sit here with you",
    "no more questions please",
  ],
  de: [
    "Ich will mich umbringen",
    "lass mich in Ruhe",
    "hör auf mit den Fragen",
    "frag mich das nicht mehr",
    "hör auf mich das zu fragen",
    "frag mich sowas nicht",
  ],
  es: ["Quiero matarme", "déjame en paz", "deja de preguntarme cosas, no más preguntas", "deja ya de preguntarme eso"],
  fr: ["Je veux mourir", "laissez-moi tranquille", "arrêtez avec vos questions", "arrête de me demander ça"],
  pt: ["Quero morrer", "me deixa em paz", "para de perguntar", "para de me perguntar isso"],
  hi: ["मैं मरना चाहता हूँ", "मुझे अकेला छोड़ दो", "सवाल मत पूछो", "मुझसे यह मत पूछो"],
  "hi-Latn": ["main marna chahta hoon", "mujhe akela chhod do", "sawal mat pucho", "mujhse mat pucho"],
  ar: ["أريد أن أموت", "اتركني وحدي", "لا تسألني", "بطل تسألني"],
  zh: ["我想自杀", "别问了", "让我静静", "别再问我这个了"],
  id: ["aku ingin mati", "biarkan aku sendiri", "jangan tanya lagi", "berhenti nanya itu"],
};

describe.each(Object.entries(leaving))("in %s", (_language, [wish, ...requests]) => {
  test.each(requests)("%s pauses the questions, says how to reach help, and ends with an open one", (request) => {
    const turns = converse([wish, "...", "...", request, "...", "...", "...", "...", "..."]);
    const [asked, ...later] = turns.slice(3);
    expect(asked?.step.give).toContain("pause");
    expect(asked?.plan?.answers.someone).not.toBe("no");
    expect([asked, ...later].slice(0, 4).map((turn) => turn?.step.ask)).toEqual([undefined, undefined, undefined, undefined]);
    expect(later.slice(0, 3).map(({ step }) => step.give)).toEqual([[], [], []]);
    expect(later[3]?.step.ask).toBe("check_in");
    expect(later[4]?.step.ask).toBeDefined();
  });
});

describe("a pause", () => {
  test("ends with danger", () => {
    const { plan, step } = lastOf(["I want to kill myself", "leave me alone", "I have the pills in my hand"]);
    expect(plan?.paused).toBeUndefined();
    expect(step.ask).toBeDefined();
    expect(step.give).toContain("emergency");
  });

  test("lists the services of a place that is named", () => {
    expect(lastOf(["I want to kill myself", "leave me alone", "I am in Germany"]).step).toEqual({ give: ["resources", "emergency_if"] });
  });

  test("still gives what is asked for, and urges on after an act", () => {
    expect(lastOf(["I want to kill myself", "leave me alone", "what number can I call?"]).step).toEqual({ give: ["resources", "emergency_if"] });
    expect(lastOf(["I took all my pills", "leave me alone", "..."]).step).toEqual({ give: ["emergency"] });
  });

  test("does not begin with a question of the person", () => {
    expect(lastOf(["I want to kill myself", "will they leave me alone?"]).plan?.paused).toBeUndefined();
  });
});

describe("help that is accepted or reached is heard", () => {
  test.each([
    ["I want to kill myself", "fine, i'll wake my brother", "I told my brother everything"],
    ["Ich will mich umbringen", "ich geh jetzt runter zu meiner Mama", "hab meiner Schwester geschrieben, ich habe meine Mutter angerufen"],
    ["Quiero matarme", "voy a bajar con mi mamá", "le conté todo a mi mamá"],
    ["Je veux mourir", "je vais réveiller ma mère", "je lui ai tout dit à ma mère"],
    ["我想自杀", "我去叫我妈", "我告诉了我妈"],
  ])("%s: %s, %s", (wish, will, reached) => {
    const before = [wish, "...", "...", "...", "...", "...", "...", "..."];
    const willing = converse(before).findIndex(({ step }) => step.ask === "willing");
    const asked = before.slice(0, willing + 1);
    expect(lastOf([...asked, will]).plan?.answers.willing).toBe("yes");
    expect(lastOf([...asked, reached]).plan).toMatchObject({ heard: "reached" });
  });
});

describe("what is no answer to who is there, and what is", () => {
  test.each([
    ["Je veux mourir", "avec des cachets", "ce soir peut-être"],
    ["I want to kill myself", "with pills", "yes, tonight"],
  ])("%s, %s: %s names nobody", (...messages) => {
    expect(lastOf(messages).plan?.answers.someone).not.toBe("yes");
  });

  test.each([
    ["I want to kill myself", "my partner's holding me", "yes"],
    ["Ich will mich umbringen", "mit meiner Frau", "yes"],
    ["Ich will mich umbringen", "niemand hier", "no"],
    ["我想自杀", "就我自己", "no"],
  ] as const)("%s: %s is heard before it is asked", (wish, text, someone) => {
    expect(lastOf([wish, text]).plan?.answers.someone).toBe(someone);
  });

  test.each([
    ["Toronto", "CA"],
    ["Ireland", "IE"],
  ])("%s, asked who is there, is a place", (text, region) => {
    expect(lastOf(["I want to kill myself", "with pills", text]).plan?.regions).toContain(region);
  });

  test("a name that is also a place is a name", () => {
    expect(lastOf(["I want to kill myself", "with pills", "Paris"]).plan?.regions).toEqual([]);
  });
});
