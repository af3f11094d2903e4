/** What is said beside a no, and what takes back an earlier one. */
import { describe, expect, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);
const asked = (language: string) => ({ asked: "suicide", highest: 1, language }) as const;
const denied = (language: string, lately: boolean) => ({ denied: { question: "suicide", lately }, highest: 1, language }) as const;

/** By language: a no that is none because of what else is said, and a no that stays one. */
const beside: Readonly<Record<string, readonly [avowals: readonly string[], denials: readonly string[]]>> = {
  en: [
    [
      "no, not thoughts. plans.",
      "No, but I did try last week",
      "No because I already decided",
      "no, but I know how",
      "nope, made up my mind",
      "no, more like a plan",
    ],
    [
      "no, I never tried it",
      "no, I have not decided anything",
      "no, no plans",
      "not really",
      "I guess not",
      "no, my cousin tried once",
      "no, maybe I'm just tired",
    ],
  ],
  de: [
    [
      "Nein, keine Gedanken, Pläne.",
      "nein, aber ich hab es letzten Monat versucht",
      "nein, weil ich mich schon längst entschieden habe",
      "nein, ich weiß schon wie",
    ],
    ["nein, ich habe es nie versucht", "eher nicht", "ich glaube nicht", "wahrscheinlich nicht", "nein, keine Pläne"],
  ],
  es: [
    ["no, pero ya lo decidí", "no porque ya lo tengo decidido", "no, lo intenté la semana pasada", "no, más bien un plan"],
    ["creo que no", "no, nunca lo intenté", "la verdad no"],
  ],
  fr: [
    ["non, mais j'ai déjà essayé", "non, j'ai pris ma décision", "non, plutôt un plan"],
    ["je crois pas", "non, je n'ai jamais essayé", "pas tellement"],
  ],
  pt: [
    ["não, mas já tentei", "não, porque já decidi", "não, mais um plano"],
    ["acho que não", "não, nunca tentei antes"],
  ],
  hi: [
    ["नहीं, पर पिछले हफ्ते कोशिश की थी", "नहीं, मैंने फैसला कर लिया है"],
    ["नहीं, कोशिश नहीं की", "शायद नहीं"],
  ],
  "hi-Latn": [
    ["nahi, decide kar liya hai", "nahi, lekin try kiya tha"],
    ["nahi, koshish nahi ki", "shayad nahi"],
  ],
  ar: [
    ["لا، لكني حاولت الأسبوع الماضي", "لا، لأني قررت"],
    ["لا، ما حاولت", "لا أظن"],
  ],
  zh: [
    ["没有，但我试过", "没有，因为我已经决定了", "没有，是计划"],
    ["没有，没试过", "没有，没有计划", "应该没有"],
  ],
  id: [
    ["tidak, tapi aku sudah memutuskan", "nggak, tapi pernah coba"],
    ["tidak, belum pernah coba", "sepertinya tidak"],
  ],
};

describe.each(Object.entries(beside))("asked about suicide, in %s", (language, [avowals, denials]) => {
  test.each(avowals)("%s is no plain no", (text) => expect(screen(text, asked(language))).toMatchObject({ answer: "yes", level: 2 }));
  test.each(denials)("%s is a no", (text) => expect(screen(text, asked(language)).answer).toBe("no"));
});

describe("a no that is uncertain", () => {
  test.each([
    ["en", "no... I don't know... maybe"],
    ["en", "no, not yet"],
    ["de", "nein, noch nicht"],
    ["es", "no, todavía no"],
    ["fr", "non, pas encore"],
    ["pt", "não, por enquanto"],
    ["hi-Latn", "nahi, abhi nahi"],
    ["zh", "没有，还没有"],
    ["id", "tidak, belum sekarang"],
  ])("in %s is asked about again: %s", (language, text) => expect(screen(text, asked(language))).toMatchObject({ answer: "evasion", level: 1 }));
});

describe("a yes in other words", () => {
  test.each([
    ["en", "can't say I haven't"],
    ["en", "10/10"],
    ["en", "honestly 7 out of 10"],
    ["de", "kann ich nicht leugnen"],
    ["de", "8 von 10"],
    ["es", "no puedo decir que no"],
    ["fr", "je ne peux pas dire que non"],
    ["pt", "não posso negar"],
    ["zh", "不能说没有"],
    ["id", "tidak bisa bilang tidak"],
  ])("in %s: %s", (language, text) => expect(screen(text, asked(language))).toMatchObject({ answer: "yes", level: 2 }));

  test("zero on a scale is a no", () => expect(screen("0/10", asked("en"))).toMatchObject({ answer: "no", level: 0 }));
});

/** By language: a yes after all, a lie that is owned up to, and what takes nothing back. */
const after: Readonly<Record<string, readonly [yes: string, lie: string, other: string]>> = {
  en: ["actually yes", "I lied earlier", "actually I had pasta"],
  de: ["doch", "das war gelogen", "das habe ich doch gesagt"],
  es: ["bueno, en realidad sí", "te mentí", "en realidad no me gusta el café"],
  fr: ["en fait si", "j'ai menti", "en fait il pleut"],
  pt: ["na verdade sim", "eu menti", "na verdade está frio"],
  hi: ["सच कहूँ तो हाँ", "मैंने झूठ बोला था", "सच कहूँ तो गर्मी है"],
  "hi-Latn": ["sach kahun to haan", "maine jhooth bola tha", "asal mein garmi hai"],
  ar: ["بصراحة نعم", "كذبت عليك", "بصراحة الجو حار"],
  zh: ["其实有", "我刚才撒谎了", "其实今天很热"],
  id: ["sebenarnya iya", "aku tadi bohong", "sebenarnya panas"],
};

describe.each(Object.entries(after))("after a no, in %s", (language, [yes, lie, other]) => {
  test(`${yes} takes it back right after, and is asked about later`, () => {
    expect(screen(yes, denied(language, true))).toMatchObject({ retracts: "suicide", level: 2 });
    const later = screen(yes, denied(language, false));
    expect(later.level).toBe(1);
    expect(later.retracts).toBeUndefined();
    expect(screen(yes, { language }).level).toBe(0);
  });
  test(`${lie} takes it back also later`, () => expect(screen(lie, denied(language, false))).toMatchObject({ retracts: "suicide", level: 2 }));
  test(`${other} takes nothing back`, () => expect(screen(other, denied(language, true)).retracts).toBeUndefined());
});

test("an attempt that is told after a no takes it back, and a yes to another question does not", () => {
  expect(screen("I did try last week", denied("en", true))).toMatchObject({ retracts: "suicide", level: 2 });
  expect(screen("actually yes", { ...denied("en", true), asked: "someone" }).retracts).toBeUndefined();
});

describe("a yes belongs to the language of the conversation", () => {
  test.each([
    ["es", "ya"],
    ["pt", "já comi, obrigada"],
    ["es", "ya cené"],
  ])("in %s %s is none", (language, text) => expect(screen(text, { ...asked(language), asked: "means", highest: 2 }).answer).not.toBe("yes"));
  test.each([
    ["de", "ja"],
    ["de", "yes"],
    ["hi", "yes"],
    ["id", "ya"],
  ])("in %s %s is one", (language, text) => expect(screen(text, asked(language)).answer).toBe("yes"));
});

/** By language: an answer to the question how, and what says that the means are at hand. */
const how: Readonly<Record<string, readonly [method: string, near: string]>> = {
  en: ["with pills", "yes, they are in my bag"],
  de: ["mit Tabletten", "die liegen in meiner Schublade"],
  es: ["con pastillas", "las tengo en la mano"],
  fr: ["avec des cachets", "ils sont dans mon sac"],
  pt: ["com comprimidos", "estão na minha bolsa"],
  hi: ["गोलियों से", "मेरे बैग में हैं"],
  "hi-Latn": ["goliyon se", "mere bag mein hain"],
  ar: ["بالحبوب", "في حقيبتي"],
  zh: ["吃药", "在我包里"],
  id: ["dengan pil", "ada di tasku"],
};

describe.each(Object.entries(how))("in a crisis, in %s", (language, [method, near]) => {
  test(`${method} answers how`, () => expect(screen(method, { asked: "plan", highest: 2, language })).toMatchObject({ answer: "yes", level: 3 }));
  test(`${near} says what is at hand once it was spoken of, and not who is there`, () => {
    const read = screen(near, { asked: "someone", highest: 3, detailed: true, language });
    expect(read).toMatchObject({ answer: "evasion", level: 3 });
    expect(read.concepts).toContain("means_in_hand");
    expect(screen(near, { language }).concepts).not.toContain("means_in_hand");
  });
});
