/** Conversations after signs of an emergency that is not suicide, and requests for a number, in ten languages. */
import { describe, expect, test } from "vitest";
import { converse, lastOf } from "./conversation.ts";

describe("signs of abuse lead to the answer for abuse, never to questions about suicide", () => {
  test.each([
    ["en", "my boyfriend hits me", "no", "Italy", "I'm scared he finds out"],
    ["en", "my uncle touches me, I am 11", "no", "I'm scared he finds out", "Italy"],
    ["en", "I'm scared of my husband", "not really", "he is at work", "Canada"],
    ["de", "mein Freund schlägt mich", "nein", "ich habe Angst, dass er es merkt", "Österreich"],
    ["es", "mi novio me pega", "no", "tengo miedo de que se entere", "España"],
    ["fr", "mon mari me frappe", "non", "j'ai peur qu'il l'apprenne", "France"],
    ["pt", "meu marido me bate", "não", "tenho medo que ele descubra", "Brasil"],
    ["hi", "मेरा पति मुझे मारता है", "नहीं", "मुझे डर है कि उसे पता चल जाएगा", "भारत"],
    ["hi-Latn", "mera pati mujhe maarta hai", "nahi", "mujhe dar hai ki usko pata chal jayega", "India"],
    ["ar", "زوجي يضربني", "لا", "أخاف أن يعرف", "مصر"],
    ["zh", "我老公打我", "不安全", "我怕他知道", "中国"],
    ["id", "suamiku memukuli aku", "tidak", "aku takut dia tahu", "Indonesia"],
  ])("in %s: %s … %s … %s", (_language, ...messages) => {
    const turns = converse(messages);
    expect(turns.slice(0, 2).map(({ step }) => step.emergency)).toContain("abuse");
    for (const { step, plan } of turns) {
      expect([undefined, "safe", "location"]).toContain(step.ask);
      expect(plan?.highest).toBeLessThan(2);
    }
  });

  test("danger of another kind is asked about as ever", () => {
    const { assessment, step } = lastOf(["my boyfriend hits me", "no", "I want to kill myself"]);
    expect(assessment.level).toBe(2);
    expect(step).toMatchObject({ ask: "plan" });
    expect(step.emergency).toBeUndefined();
  });

  test("a yes to being safe is let go on", () => {
    expect(lastOf(["my boyfriend hits me", "yes"]).step).toEqual({ give: [] });
  });
});

const asked: Readonly<Record<string, readonly [wish: string, abuse: string, ...requests: readonly string[]]>> = {
  en: [
    "I want to kill myself",
    "my husband beat me again",
    "who can i ring",
    "give me a number then",
    "please give me the crisis line number again",
    "what number can I call?",
  ],
  de: [
    "Ich will mich umbringen",
    "mein Mann schlägt mich",
    "welche Nummer kann ich anrufen?",
    "nenn mir bitte die Nummer vom Krisentelefon",
    "wen könnte ich anrufen",
  ],
  es: ["Quiero matarme", "mi novio me pega", "¿a qué número puedo llamar?", "dame un número", "pásame el teléfono de ayuda"],
  fr: ["Je veux mourir", "mon mari me frappe", "donnez-moi un numéro", "quel est le numéro de la ligne d'écoute ?", "qui dois-je appeler ?"],
  pt: ["Quero morrer", "meu marido me bate", "me passa um número", "qual o telefone da linha de crise?", "onde eu ligo?"],
  hi: ["मैं मरना चाहता हूँ", "मेरा पति मुझे मारता है", "हेल्पलाइन का नंबर दो", "मुझे नंबर चाहिए"],
  "hi-Latn": ["main marna chahta hoon", "mera pati mujhe maarta hai", "helpline ka number do", "koi number bhejo"],
  ar: ["أريد أن أموت", "زوجي يضربني", "اعطيني رقم", "ما هو رقم خط المساعدة؟"],
  zh: ["我想自杀", "我老公打我", "给我个电话", "求助热线是多少"],
  id: ["aku ingin mati", "suamiku memukuli aku", "minta nomor telepon", "telepon ke mana?"],
};

describe.each(Object.entries(asked))("a number that is asked for in %s is given", (_language, [wish, abuse, ...requests]) => {
  test.each(requests)("%s", (request) => {
    expect(lastOf([wish, "...", "...", request]).step.give).toEqual(expect.arrayContaining(["resources", "emergency_if"]));
    expect(lastOf([abuse, "...", request]).step.emergency).toBe("abuse");
    expect(lastOf([abuse, "...", "...", "...", request]).step.emergency).toBe("abuse");
  });
});

test("an emergency closes after calm turns", () => {
  const request = "what number can I call?";
  const calm = Array.from({ length: 7 }, () => "I had soup for lunch");
  expect(lastOf(["he is breaking down my door with a knife", "he left", request]).step.emergency).toBe("attack");
  expect(lastOf(["he is breaking down my door with a knife", ...calm, request]).step.emergency).toBeUndefined();
});
