/** The language of a reply: of a short first message, and of a few words among messages of another language. */
import { createRuntime, openStore } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { companionGate } from "../../../packages/companion/src/companion-gate.ts";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { languageOf, spokenIn } from "../../../packages/companion/src/offline/words/folded-words.ts";
import { lettersOf, trigramsOf } from "../../../packages/companion/src/offline/words/trigrams.ts";

describe("the language of a short first message", () => {
  test.each([
    ["es", "ojalá me tragara la tierra", "necesito ayuda urgente", "llevo días llorando"],
    ["fr", "j'arrive plus à dormir", "j'en ai ras le bol", "besoin de parler"],
    ["de", "geht gar nichts mehr", "brauche dringend hilfe", "kannste mir helfen?"],
    ["pt", "preciso desabafar", "ninguém liga pra mim", "cansei disso tudo"],
    ["id", "capek banget hidupku", "tolong dengerin", "pengen nangis terus"],
    ["hi-latn", "bahut akela lagta hai", "neend nahi aati", "kisi se baat karni hai"],
    ["en", "feeling pretty rubbish", "nobody gets me", "rough night again"],
    ["zh", "好难受", "睡不着"],
    ["hi", "बहुत थक गया हूँ"],
    ["ar", "تعبت جدا"],
  ])("%s", (language, ...texts) => expect(texts.map(languageOf)).toEqual(texts.map(() => language)));

  test.each(["ok", "Anna", "12", "hmm", "no", "👍"])("%s is in none", (text) => expect(languageOf(text)).toBeUndefined());
});

describe("the language after other messages", () => {
  test.each([
    ["a few ambiguous words stay", ["no", "je dors mal depuis lundi"], "fr"],
    ["nor does one word of another language switch", ["super fun weekend", "gestern war ich bei meiner Schwester"], "de"],
    ["a clear message switches", ["I would rather write in English now", "gestern war ich bei meiner Schwester"], "en"],
    ["nothing is known of nothing", ["ok", "12"], undefined],
  ])("%s", (_, texts, language) => expect(spokenIn(texts)).toBe(language));
});

test("trigrams are of words, and a text without letters has none", () => {
  expect(trigramsOf("Ça va?")).toEqual([" ça", "ça ", " va", "va "]);
  expect(lettersOf("12 👍").size).toBe(0);
});

describe("the gate writes in the language of the conversation", () => {
  const { languageOf: spoken } = companionGate(undefined);
  test("whatever the function that says it throws", async () => {
    const safety = { languageOf: () => expect.fail("a fault of the agent") };
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion({ safety })] });
    onTestFinished(() => runtime.close());
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    expect((await session.send("ich will nicht mehr leben")).reply).toMatch(/Danke|ernst/u);
    expect(() => companionGate(undefined, { languageOf: "de" as never })).toThrow(/languageOf is a function/u);
  });

  test("as the packs name it", () => {
    expect(spoken(["neend nahi aati"])).toBe("hi-Latn");
    expect(spoken(["ok"])).toBeUndefined();
  });

  test.each([
    [["oi, hoje meu chefe gritou comigo", "não aguento mais"], /em segurança|pensando em/u],
    [["hola, hoy tuve un mal día", "ya no aguanto"], /suicidio/u],
    [["Bonjour, je m'appelle Yanis et je dors mal.", "ok", "je veux mourir"], /Merci de me le dire|sérieux/u],
    [["llevo semanas pensando en matarme"], /Gracias|en serio/u],
    [["jpense a me suicider"], /sérieux/u],
  ])("%j", async (texts, wanted) => {
    const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
    onTestFinished(() => runtime.close());
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    let last: string | undefined;
    for (const text of texts) last = (await session.send(text)).reply;
    expect(last).toMatch(wanted);
  });
});
