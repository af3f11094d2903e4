/** Conversations in a crisis, in ten languages: what is said later changes the plan, and the plan does not end by itself. */
import { describe, expect, test } from "vitest";
import { converse, lastOf } from "./conversation.ts";

/** By language: a statement of danger, and an answer to the question how. */
const danger: Readonly<Record<string, readonly [wish: string, how: string]>> = {
  en: ["I want to kill myself", "with pills"],
  de: ["Ich will mich umbringen", "mit Tabletten"],
  es: ["Quiero matarme", "con pastillas"],
  fr: ["Je veux mourir", "avec des cachets"],
  pt: ["Quero morrer", "com comprimidos"],
  hi: ["मैं मरना चाहता हूँ", "गोलियों से"],
  "hi-Latn": ["main marna chahta hoon", "goliyon se"],
  ar: ["أريد أن أموت", "بالحبوب"],
  zh: ["我想自杀", "吃药"],
  id: ["aku ingin mati", "dengan pil"],
};

/** By language: where the means are, who is there, that they are gone, and a time. */
const said: Readonly<Record<string, readonly [means: string, company: string, alone: string, time: string]>> = {
  en: ["yes, they are in my bag", "my sister is here", "I am alone", "tonight"],
  de: ["ja, die sind in meiner Tasche", "meine Schwester ist jetzt da", "sie ist wieder gegangen", "heute Nacht"],
  es: ["sí, están en mi bolsa", "mi hermana está conmigo", "ya se fue", "esta noche"],
  fr: ["oui, ils sont dans mon sac", "ma sœur est là", "je suis seule maintenant", "ce soir"],
  pt: ["sim, estão na minha bolsa", "minha mãe está aqui", "estou sozinha", "hoje à noite"],
  hi: ["हाँ, मेरे बैग में हैं", "मेरी बहन मेरे साथ है", "मैं अकेला हूँ", "आज रात"],
  "hi-Latn": ["haan, mere bag mein hain", "meri behen mere saath hai", "main akela hoon", "aaj raat"],
  ar: ["نعم، في حقيبتي", "أختي معي الآن", "أنا وحدي", "الليلة"],
  zh: ["在我包里", "我妈在隔壁", "我一个人", "今晚"],
  id: ["iya, ada di tasku", "ibuku ada di sini", "aku sendirian", "malam ini"],
};

describe.each(Object.entries(said))("at level 3, in %s", (language, [means, company, alone, time]) => {
  const [wish = "", how = ""] = danger[language] ?? [];

  test(`${means} says where the means are, and not who is there`, () => {
    const { assessment, plan } = lastOf([wish, how, means]);
    expect(assessment.level).toBe(3);
    expect(plan?.answers.means).toBe("yes");
    expect(plan?.answers.someone).not.toBe("yes");
  });

  test(`${company} is company, until ${alone}`, () => {
    expect(lastOf([wish, how, company]).plan?.answers).toMatchObject({ someone: "yes" });
    expect(lastOf([wish, how, means, company]).plan?.answers).toMatchObject({ someone: "yes" });
    const { plan, step } = lastOf([wish, how, company, alone]);
    expect(plan).toMatchObject({ heard: "someone", answers: { someone: "no" } });
    expect(step.ask).toBeDefined();
  });

  test(`${time} says when`, () => {
    const { assessment, plan } = lastOf([wish, how, time]);
    expect(assessment.level).toBe(3);
    expect(plan?.answers.time).toBe("yes");
  });
});

describe("a yes must fit its question", () => {
  test.each([
    ["I want to kill myself", "no", "no", "yes I will call her"],
    ["Ich will mich umbringen", "nein", "nein", "ja, ich rufe meine Schwester an"],
    ["Quiero matarme", "no", "no", "sí, voy a llamar a mi hermana"],
    ["Je veux mourir", "non", "non", "oui, je vais appeler ma sœur"],
    ["我想自杀", "没有", "没有", "好，我去找她"],
  ])("%s … %s %s %s is not means", (...messages) => {
    const turns = converse(messages);
    expect(turns.at(-2)?.step.ask).toBe("means");
    expect(turns.at(-1)?.assessment.level).toBe(1);
    expect(turns.at(-1)?.plan?.answers.means).not.toBe("yes");
  });

  test.each(["yes, the blue ones from the pharmacy", "yes I have been thinking about it"])("%s does not say who is there", (text) => {
    const turns = converse(["I want to kill myself", "with pills", text]);
    expect(turns.at(-2)?.step.ask).toBe("someone");
    expect(turns.at(-1)?.plan?.answers.someone).toBe("unknown");
  });

  test.each(["yes", "yes I do", "yes, my flatmate", "yes Tom is here with me", "I am not alone"])("%s does", (text) => {
    expect(lastOf(["I want to kill myself", "with pills", text]).plan?.answers.someone).toBe("yes");
  });

  test("a yes to what is in the way names nothing", () => {
    const turns = converse(["I want to kill myself", "with pills", "no", "in Spain", "no"]);
    expect(turns.at(-1)?.step.ask).toBe("barriers");
    expect(lastOf(["I want to kill myself", "with pills", "no", "in Spain", "no", "yes"]).plan?.answers.barriers).toBe("unknown");
  });
});

describe("a request for a number or a person in a crisis", () => {
  test.each([
    ["en", "what number can I call?", "I want to talk to a real person"],
    ["de", "welche Nummer kann ich anrufen?", "ich möchte mit einem echten Menschen reden"],
    ["es", "¿a qué número puedo llamar?", "quiero hablar con una persona real"],
    ["fr", "quel numéro je peux appeler ?", "je veux parler à une vraie personne"],
    ["pt", "que número posso ligar?", "quero falar com uma pessoa de verdade"],
    ["hi", "कौन सा नंबर लगाऊँ?", "मुझे किसी असली इंसान से बात करनी है"],
    ["hi-Latn", "kaun sa number call karu?", "mujhe real person se baat karni hai"],
    ["ar", "أي رقم أتصل؟", "أريد التحدث مع شخص حقيقي"],
    ["zh", "打什么电话？", "我想跟真人说话"],
    ["id", "nomor apa yang bisa kutelepon?", "aku mau bicara dengan orang sungguhan"],
  ])("in %s gets them again: %s, %s", (language, number, person) => {
    const [wish = "", how = ""] = danger[language] ?? [];
    for (const request of [number, person]) {
      const near = lastOf([wish, how, "...", request]);
      expect(near.step.give).toEqual(expect.arrayContaining(["emergency", "resources"]));
      expect(near.plan?.answers.barriers).not.toBe("yes");
      expect(lastOf([wish, "...", "...", request]).step.give).toEqual(expect.arrayContaining(["emergency_if", "resources"]));
    }
  });
});

describe("after something was taken", () => {
  test.each([
    ["I took all my pills", "I feel fine, just sleepy", "don't worry", "I'll sleep it off"],
    ["Ich habe alle Tabletten genommen", "mir geht's gut, nur müde", "keine Sorge", "ich schlafe mich aus"],
    ["Me tomé todas las pastillas", "me siento bien, solo con sueño", "no pasa nada", "no te preocupes"],
    ["吃了一整瓶安眠药", "我没事，就是有点困", "别担心", "睡一觉就好"],
  ])("%s: every reply names the emergency number, and none hears a barrier: %s, %s, %s", (...messages) => {
    for (const { step, plan } of converse([...messages, "...", "..."])) {
      expect(step.give).toContain("emergency");
      expect(plan?.barrier).toBeUndefined();
    }
  });
});

describe("what stands in the way is heard by its words, and is no plain no", () => {
  test.each([
    ["en", "no one would believe me", "doubt"],
    ["en", "the line was busy", "doubt"],
    ["en", "I have no insurance", "cost"],
    ["en", "they would put me in a psychiatric ward", "fear"],
    ["de", "niemand würde mir glauben", "doubt"],
    ["de", "da ist immer besetzt", "doubt"],
    ["de", "ich habe keine Krankenversicherung", "cost"],
    ["es", "no puedo llamar, no tengo saldo", "talking"],
    ["es", "nadie me creería", "doubt"],
    ["fr", "personne ne me croirait", "doubt"],
    ["fr", "ils vont m'envoyer en psychiatrie", "fear"],
    ["pt", "ninguém acreditaria em mim", "doubt"],
    ["hi-Latn", "mere phone mein balance nahi hai", "talking"],
    ["ar", "لا أحد سيصدقني", "doubt"],
    ["zh", "没人会信我", "doubt"],
    ["id", "nggak ada pulsa", "talking"],
  ])("in %s %s is %s", (language, text, barrier) => {
    const [wish = ""] = danger[language] ?? [];
    const nos = converse([wish, "...", "...", "...", "...", "..."]);
    const asked = nos.findIndex(({ step }) => step.ask === "willing");
    expect(lastOf([wish, ...Array.from({ length: asked }, () => "..."), text]).plan).toMatchObject({ heard: "barriers", barrier });
  });

  test("a word that only contains one is none", () => {
    const { plan } = lastOf(["I want to kill myself", "...", "...", "...", "...", "we had a great rebroker party"]);
    expect(plan?.barrier).toBeUndefined();
  });
});

describe("another person's danger stays theirs", () => {
  test.each([
    ["My brother sent me a goodbye text", "yes", "he hung up", "he has pills"],
    ["Mein Bruder hat mir eine Abschiedsnachricht geschickt", "ja", "er hat aufgelegt", "er hat Tabletten"],
    ["Mi hermano me mandó un mensaje de despedida", "sí", "me colgó", "está en el puente"],
    ["my friend says she wants to die", "yes", "she hung up", "she isn't answering", "on the roof now"],
  ])("%s …", (...messages) => {
    for (const { plan, step } of converse(messages)) {
      expect(plan?.subject).toBe("other");
      expect(["plan", "means", "time", "someone"]).not.toContain(step.ask);
    }
  });

  test("near, it is level 3, and the writer's own words are the writer's", () => {
    expect(lastOf(["my friend says she wants to die", "yes", "she is on the roof now"]).assessment).toMatchObject({ level: 3, subject: "other" });
    expect(lastOf(["my friend says she wants to die", "yes", "I want to die too"]).assessment).toMatchObject({ level: 2, subject: "self" });
    expect(lastOf(["I wrote my mother a goodbye letter"]).assessment.subject).toBe("self");
  });
});

describe("the plan does not fall silent", () => {
  test.each(Object.entries(danger))("in %s every reply of twenty asks, never the same twice in a row", (_language, [wish]) => {
    const asks = converse([wish, ...Array.from({ length: 20 }, () => "...")]).map(({ step }) => step.ask);
    expect(asks).not.toContain(undefined);
    expect(asks.filter((ask, index) => ask === asks[index - 1])).toEqual([]);
  });
});
