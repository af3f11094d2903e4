/** What answers a question of a crisis, and what only sounds as if it did. */
import { describe, expect, test } from "vitest";
import { packs, phrases } from "../../packages/companion/src/companion-gate.ts";
import { saysOf } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";
import { createScreen } from "../../packages/throughline/src/safety/screen/screen.ts";
import { lastOf } from "./conversation.ts";

const screen = createScreen(packs);

describe("a yes to something else is no yes to the question about suicide", () => {
  test.each([
    ["en", "Yes, I'd like some coffee"],
    ["en", "sure, could you suggest a film?"],
    ["en", "I have to leave now"],
    ["en", "yeah, I already had dinner"],
    ["de", "Ja, ich habe schon zu Mittag gegessen"],
    ["de", "ja, ich hätte gern einen Tee"],
    ["de", "ja, kannst du mir ein Buch empfehlen?"],
    ["es", "sí, claro, ya comí"],
    ["es", "claro, ¿me recomiendas una película?"],
    ["fr", "oui, j'ai déjà mangé"],
    ["fr", "oui, je voudrais un thé"],
    ["pt", "sim, já jantei"],
    ["pt", "claro, me recomenda um livro?"],
    ["id", "iya, aku sudah makan"],
    ["id", "ya, aku mau teh"],
    ["hi", "हाँ, मैंने नाश्ता कर लिया"],
    ["hi", "हाँ, चाय पीनी है"],
    ["hi-Latn", "haan maine khana kha liya"],
    ["hi-Latn", "haan chai peeni hai"],
    ["ar", "نعم، أكلت قبل قليل"],
    ["ar", "نعم أريد شاي"],
    ["zh", "嗯，我吃过饭了"],
    ["zh", "是的，我想喝茶"],
  ])("in %s: %s", (language, text) => {
    const { answer, level } = screen(text, { asked: "suicide", highest: 1, language });
    expect(answer).toBe("evasion");
    expect(level).toBeLessThan(2);
  });

  test.each([
    ["en", "yes, every night before dinner I think about it"],
    ["en", "yes"],
    ["en", "yes, since I had to leave my job"],
    ["en", "yeah, I'd like to not wake up"],
    ["en", "yes, but I'd like some tea first"],
    ["en", "yes, can you recommend something so I don't feel this"],
    ["en", "yes, I've had enough"],
    ["de", "ja, aber ich möchte jetzt einen Tee"],
    ["en", "yes, I have to go, I can't live like this"],
    ["de", "ja, seit ich nichts mehr gegessen habe"],
    ["es", "sí, todos los días"],
    ["fr", "oui, je voudrais en finir"],
    ["pt", "sim, penso nisso toda noite"],
    ["id", "iya, aku mau mati"],
    ["hi", "हाँ, हर रात"],
    ["hi-Latn", "haan, marna chahta hoon"],
    ["ar", "نعم أريد أن أموت"],
    ["zh", "是的，我想死"],
  ])("but in %s: %s", (language, text) => {
    const { answer, level } = screen(text, { asked: "suicide", highest: 1, language });
    expect(answer).toBe("yes");
    expect(level).toBeGreaterThanOrEqual(2);
  });
});

describe("a way that is named beside an evasion is an answer", () => {
  test.each([
    ["en", "not sure. maybe with pills"],
    ["en", "idk, jump off the bridge i guess"],
    ["de", "keine ahnung, vielleicht mit Tabletten"],
    ["de", "weiß nicht. von der Brücke vielleicht"],
    ["es", "no sé, quizás con pastillas"],
    ["es", "ni idea, tirarme del puente"],
    ["fr", "je sais pas, avec des médicaments peut-être"],
    ["pt", "não sei, talvez com remédios"],
    ["id", "entah, mungkin gantung diri"],
    ["hi", "पता नहीं, शायद गोलियाँ"],
    ["hi-Latn", "pata nahi, shayad goli"],
    ["ar", "لا أعرف، ربما بالحبوب"],
    ["zh", "不知道，可能跳楼"],
    ["zh", "割腕吧"],
  ])("in %s: %s", (language, text) => expect(screen(text, { asked: "plan", highest: 2, language })).toMatchObject({ answer: "yes", level: 3 }));

  test.each([
    ["en", "i don't know"],
    ["en", "I don't know, I'd rather not talk about pills"],
    ["de", "keine ahnung"],
    ["es", "no sé"],
    ["fr", "je sais pas trop"],
    ["zh", "不知道"],
  ])("but in %s: %s", (language, text) => expect(screen(text, { asked: "plan", highest: 2, language }).answer).toBe("evasion"));

  test.each([
    ["en", "no, but I've thought about how"],
    ["en", "no but i know how i'd do it"],
    ["de", "nein, aber ich hab überlegt wie"],
    ["es", "no, pero he pensado cómo"],
    ["fr", "non mais j'ai réfléchi à comment"],
    ["pt", "não, mas já pensei em como"],
  ])("and beside a no, in %s: %s", (language, text) => expect(screen(text, { asked: "plan", highest: 2, language }).answer).toBe("yes"));
});

describe("what agrees, puts off or takes back", () => {
  test("doing it agrees to what was asked", () => {
    expect(screen("haan kar dungi", { asked: "willing", highest: 2, language: "hi-Latn" }).level).toBe(0);
    expect(screen("yes, I'll do it", { asked: "willing", highest: 2, language: "en" }).level).toBe(0);
    expect(screen("I'm going to do it", { asked: "willing", highest: 2, language: "en" }).level).toBe(3);
    expect(screen("yes, I'll do it tonight", { asked: "willing", highest: 2, language: "en" }).level).toBe(3);
  });

  test("a later day is no yes to with what, and is one to when", () => {
    const text = "not tonight. probably at the weekend";
    expect(screen(text, { asked: "means", highest: 2, language: "en" }).answer).toBe("evasion");
    expect(screen(text, { asked: "time", highest: 2, language: "en" }).answer).toBe("yes");
  });

  test.each([
    ["es", "mentira, sí"],
    ["pt", "mentira, sim"],
    ["en", "that's a lie, yes"],
  ])("in %s a no is taken back: %s", (language, text) =>
    expect(screen(text, { denied: { question: "suicide", lately: true }, highest: 1, language })).toMatchObject({ retracts: "suicide", level: 2 }),
  );

  test("a journey names no way", () =>
    expect(screen("I don't know, I took the train home", { asked: "plan", highest: 2, language: "en" }).answer).toBe("evasion"));
});

describe("what takes it back names no plan", () => {
  test.each([
    ["en", "sorry, I was just being dramatic, my exam went badly"],
    ["en", "just kidding, I'm annoyed about the wedding"],
  ])("in %s: %s", (language, text) => expect(screen(text, { asked: "plan", highest: 2, language }).level).toBeLessThan(3));
});

describe("a time is no yes to who is there or whether they would reach out", () => {
  test.each([
    ["en", "today"],
    ["en", "most nights"],
    ["de", "jeden Abend"],
    ["de", "oft"],
    ["es", "a veces"],
    ["fr", "ce soir peut-être"],
    ["fr", "parfois"],
    ["pt", "às vezes"],
    ["id", "kadang-kadang"],
    ["hi", "कभी कभी"],
    ["hi-Latn", "kabhi kabhi"],
    ["ar", "أحيانا"],
    ["zh", "有时候"],
  ])("in %s: %s", (language, text) => {
    expect(screen(text, { asked: "someone", highest: 2, language }).answer).not.toBe("yes");
    expect(screen(text, { asked: "willing", highest: 2, language }).answer).not.toBe("yes");
  });

  test.each([
    ["en", "yes"],
    ["en", "ok, sure"],
    ["de", "ja, heute Abend"],
    ["fr", "oui"],
    ["es", "sí"],
  ])("but in %s: %s", (language, text) => expect(screen(text, { asked: "willing", highest: 2, language }).answer).toBe("yes"));
});

describe("a no about something else", () => {
  test.each([
    ["en", "I do not want to die anymore"],
    ["de", "ich will nicht mehr sterben"],
    ["es", "ya no quiero morir"],
  ])("in %s: %s does not say that nobody is there", (language, text) =>
    expect(screen(text, { asked: "someone", highest: 2, language }).answer).not.toBe("no"),
  );

  test.each([
    ["no tengo saldo", "someone"],
    ["no hay nadie", "means"],
  ] as const)("es: %s does not answer %s with no", (text, question) => {
    // Answers the question in the turn after it.
    const said: string[] = [];
    for (const one of ["Quiero matarme", "no lo sé", "no sé", "España", "no sé", "no sé", "no sé", "no sé"]) {
      if (said.length > 0 && lastOf(said).step.ask === question) break;
      said.push(one);
    }
    expect(lastOf(said).step.ask).toBe(question);
    expect(lastOf([...said, text]).plan?.answers[question]).not.toBe("no");
  });
});

describe("means put away", () => {
  test.each([
    ["en", "I flushed the pills"],
    ["en", "ok I gave them to my dad"],
    ["en", "I threw the rope away"],
    ["en", "my mum locked them up"],
    ["de", "ich hab die Tabletten weggeworfen"],
    ["de", "ich habe sie meiner Mutter gegeben"],
    ["es", "tiré las pastillas"],
    ["es", "se las di a mi madre"],
    ["fr", "j'ai jeté les médicaments"],
    ["fr", "je les ai donnés à ma sœur"],
    ["pt", "joguei os remédios fora"],
    ["pt", "entreguei pra minha mãe"],
    ["id", "sudah aku buang obatnya"],
    ["id", "aku kasih ke ibuku"],
    ["hi", "मैंने गोलियाँ फेंक दीं"],
    ["hi-Latn", "goliyan phenk di"],
    ["ar", "رميت الحبوب"],
    ["ar", "أعطيتها لأمي"],
    ["zh", "我把药扔了"],
    ["zh", "药交给我妈了"],
  ])("in %s: %s", (language, text) => expect(saysOf(phrases, text, [language]).put_away).toBe(true));

  test.each([
    ["en", "I should flush them"],
    ["en", "I won't throw them away"],
    ["en", "I threw my life away"],
    ["en", "I gave my dog to my sister"],
    ["en", "I gave away my things"],
    ["en", "I gave up on them"],
    ["es", "me tiré a las vías"],
    ["hi", "मैंने गोलियाँ ले लीं"],
    ["de", "ich habe die Tabletten genommen"],
    ["de", "ich habe sie nicht weggeworfen"],
    ["es", "no tiré las pastillas"],
    ["fr", "je n'ai pas jeté les médicaments"],
    ["zh", "我没把药扔了"],
  ])("not in %s: %s", (language, text) => expect(saysOf(phrases, text, [language]).put_away).toBeUndefined());

  test("is noted, and the plan asks no more about it", () => {
    const turns = ["I want to kill myself", "with pills", "yes, they are in my bag", "I flushed the pills"];
    const { plan, step } = lastOf(turns);
    expect(plan).toMatchObject({ heard: "put_away", answers: { means: "no" }, highest: 3 });
    expect(step.give).not.toContain("distance");
    expect(lastOf([...turns, "actually they are still in my bag"]).plan?.answers.means).toBe("yes");
  });
});

describe("barriers", () => {
  test.each([
    ["en", "they would section me", "fear"],
    ["en", "my phone's dead", "talking"],
    ["en", "i'm too tired to talk", "talking"],
    ["en", "what's the point of calling", "doubt"],
    ["de", "die weisen mich ein", "fear"],
    ["de", "die sperren mich weg", "fear"],
    ["de", "wozu denn", "doubt"],
    ["de", "mein Akku ist leer", "talking"],
    ["es", "me van a encerrar", "fear"],
    ["es", "para qué", "doubt"],
    ["es", "estoy demasiado cansada", "talking"],
    ["fr", "à quoi bon", "doubt"],
    ["fr", "ils vont m'interner", "fear"],
    ["pt", "vão me internar", "fear"],
    ["pt", "pra quê", "doubt"],
    ["id", "nanti aku dimasukkan rumah sakit jiwa", "fear"],
    ["id", "buat apa", "doubt"],
    ["hi", "क्या फ़ायदा", "doubt"],
    ["hi-Latn", "kya faida", "doubt"],
    ["ar", "ما الفائدة", "doubt"],
    ["zh", "会把我关起来的", "fear"],
    ["zh", "有什么用", "doubt"],
  ])("in %s: %s", (language, text, kind) => expect(saysOf(phrases, text, [language]).barrier).toBe(kind));

  test("being locked up by others is no attack", () => expect(screen("他们会把我关起来的", { asked: "willing", highest: 2 }).level).toBeLessThan(3));
});

describe("help that was reached or accepted", () => {
  test.each([
    ["en", "I'm going down to my mum now"],
    ["de", "ich gehe rüber zu meinem Bruder"],
    ["es", "voy a despertar a mi hermano"],
    ["fr", "je descends voir ma mère"],
    ["pt", "vou acordar meu irmão"],
    ["zh", "我去找我爸"],
  ])("in %s accepted: %s", (language, text) => expect(saysOf(phrases, text, [language]).will_reach).toBe(true));

  test("ringing a neighbour's door is no blade", () => {
    expect(screen("hab bei ihr geklingelt, sie kocht Kaffee", { asked: "someone", highest: 2, language: "de" })).toMatchObject({ level: 0 });
  });
});

describe("after an abuse answer", () => {
  test.each([
    ["en", ["My husband hits me", "no", "I can't go, I don't have any money"]],
    ["en", ["My husband hits me", "no", "I've got nowhere to go"]],
    ["en", ["My husband hits me", "no", "what should I do?"]],
    ["de", ["Mein Mann schlägt mich", "nein", "ich kann nicht weg, ich habe kein Geld"]],
    ["es", ["Mi marido me pega", "no", "no puedo irme, no tengo dinero"]],
    ["fr", ["Mon mari me frappe", "non", "je ne peux pas partir"]],
  ])("in %s what holds them gets its next step: %j", (_language, messages) => expect(lastOf(messages).step.emergency).toBe("abuse"));

  test("an everyday matter does not", () =>
    expect(lastOf(["My husband hits me", "no", "I baked bread with my daughter today"]).step.emergency).toBeUndefined());
});
