/** What is heard of company, reaching out and barriers. Whatever could be a refusal says nothing. */
import { describe, expect, test } from "vitest";
import { phrases } from "../../packages/companion/src/companion-gate.ts";
import type { Says } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { saysOf } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";

const heard = (language: string, text: string): Says => saysOf(phrases, text, [language]);

describe("what is said of other people", () => {
  test.each([
    ["en", "ok, I'll call my sister"],
    ["en", "I will text someone from the helpline now"],
    ["de", "ich rufe jetzt meine Schwester an"],
    ["de", "gut, ich werde gleich meinen Bruder anrufen"],
    ["es", "voy a llamar a mi hermana"],
    ["fr", "je vais appeler ma sœur"],
    ["pt", "vou ligar pra minha mãe"],
    ["id", "aku akan telepon kakakku"],
    ["hi", "मैं अपनी बहन को फोन करूँगा"],
    ["hi-Latn", "main apni behen ko call karunga"],
    ["ar", "سأتصل بأختي"],
    ["zh", "我会给我妈打电话"],
  ])("in %s will reach out: %s", (language, text) => expect(heard(language, text)).toMatchObject({ will_reach: true }));

  test.each([
    ["en", "yes, I called 988 and talked to them"],
    ["de", "ich habe meine Schwester angerufen"],
    ["es", "ya llamé a mi hermana"],
    ["fr", "j'ai appelé ma sœur"],
    ["pt", "já liguei pra minha mãe"],
    ["id", "sudah telepon kakakku"],
    ["hi", "मैंने बहन को फोन किया"],
    ["hi-Latn", "behen ko call kiya"],
    ["ar", "اتصلت بأختي"],
    ["zh", "我给我姐打过电话"],
  ])("in %s has reached somebody: %s", (language, text) => expect(heard(language, text)).toMatchObject({ reached: true }));

  test.each([
    ["en", "my flatmate is in the kitchen"],
    ["de", "meine Mitbewohnerin ist in der Küche"],
    ["es", "mi hermana está aquí"],
    ["fr", "ma sœur est à côté"],
    ["pt", "minha mãe está aqui"],
    ["id", "ibuku ada di sini"],
    ["hi", "मेरी बहन मेरे साथ है"],
    ["hi-Latn", "meri behen mere saath hai"],
    ["ar", "أختي معي الآن"],
    ["zh", "我妈在隔壁"],
  ])("in %s has company: %s", (language, text) => expect(heard(language, text)).toMatchObject({ company: true }));

  test.each([
    ["en", "I told you, I can't do that"],
    ["en", "I could call but I won't"],
    ["en", "I'll write my goodbye letter instead"],
    ["en", "I will call my sister when pigs fly, maybe"],
    ["en", "should I call her? I will call her?"],
    ["en", "I'll tell my mum I love her"],
    ["en", "I called in sick"],
    ["en", "I called my brother yesterday about the car"],
    ["en", "I have the pills here with me"],
    ["en", "my sister isn't here with me"],
    ["de", "ich könnte nie jemanden anrufen"],
    ["de", "ich frage mich, wozu"],
    ["de", "ich frage mich, ob meine Schwester mich vermisst"],
    ["de", "nein, das ist das Problem"],
    ["de", "die Tabletten sind hier bei mir"],
    ["de", "ich schreibe meiner Mutter einen Abschiedsbrief"],
    ["es", "estoy en casa"],
    ["es", "no voy a llamar a mi hermana"],
    ["es", "le escribo una despedida a mi hermana"],
    ["fr", "je suis à la maison"],
    ["fr", "je ne vais pas appeler ma sœur"],
    ["fr", "je pourrais appeler ma sœur"],
    ["pt", "estou em casa"],
    ["pt", "não vou ligar pra minha mãe"],
    ["id", "aku di rumah"],
    ["id", "aku tidak akan telepon kakakku"],
    ["hi", "मैं बहन को फोन नहीं करूँगा"],
    ["hi", "गोलियाँ मेरे पास हैं"],
    ["hi-Latn", "main behen ko call nahi karunga"],
    ["hi-Latn", "dawai mere paas hai"],
    ["ar", "لن أتصل بأختي"],
    ["ar", "أنا في البيت"],
    ["ar", "الحبوب معي الآن"],
    ["zh", "我在家"],
    ["zh", "我不会给我妈打电话"],
    ["zh", "药就在旁边"],
  ])("in %s says nothing of it: %s", (language, text) => {
    const { company, will_reach, reached } = heard(language, text);
    expect({ company: company === true, will_reach, reached }).toEqual({ company: false, will_reach: undefined, reached: undefined });
  });

  test.each([
    ["de", "Nein, ich habe keinen Plan"],
    ["de", "da gibt keinen Grund"],
    ["en", "no, I have no plan"],
    ["es", "no, no tengo ningún plan"],
    ["fr", "non, je n'ai pas de plan"],
    ["pt", "não, não tenho nenhum plano"],
    ["id", "tidak, tidak ada rencana"],
    ["hi", "नहीं, कोई योजना नहीं है"],
    ["hi-Latn", "nahi, koi plan nahi hai"],
    ["ar", "لا، ليس لدي خطة"],
    ["zh", "没有，我没有计划"],
  ])("in %s having no plan is not having nobody: %s", (language, text) => expect(["other", undefined]).toContain(heard(language, text).barrier));

  test.each([
    ["en", "a bit better"],
    ["en", "I'm ok, calmer than then"],
    ["de", "heute geht es besser"],
    ["es", "estoy más tranquila"],
    ["pt", "estou mais calmo"],
    ["hi", "अच्छा लगा आज"],
    ["zh", "好多了"],
  ])("in %s it is better: %s", (language, text) => expect(heard(language, text).better).toBe(true));

  test.each([
    ["en", "not better"],
    ["en", "it isn't any better"],
    ["en", "bettering myself is for others"],
    ["de", "es ist nicht besser"],
    ["es", "no estoy mejor"],
    ["fr", "ça ne va pas mieux"],
    ["pt", "não estou melhor"],
    ["hi", "बेहतर नहीं"],
    ["ar", "مش أحسن"],
  ])("in %s it is not: %s", (language, text) => expect(heard(language, text).better).toBeUndefined());

  test("who called without saying whom has reached someone", () => {
    expect(heard("en", "I called, and we talked").reached).toBe("someone");
    expect(heard("en", "I called my sister, and we talked").reached).toBe(true);
    expect(heard("en", "I could have called").reached).toBeUndefined();
  });

  test("words of another language count only in the language of the conversation", () => {
    expect(saysOf(phrases, "meine Schwester ist bei mir", ["fr"]).company).toBeUndefined();
    expect(saysOf(phrases, "meine Schwester ist bei mir", ["fr", "de"]).company).toBe(true);
    expect(saysOf(phrases, "my sister is here", []).company).toBe(true);
  });

  test("whom they will reach can be left out, and what hinders them is heard before what they did", () => {
    expect(heard("en", "yes I will call").will_reach).toBe("someone");
    expect(heard("en", "I called the helpline and they hung up")).toEqual({ unpeopled: true, barrier: "doubt" });
  });
});
