/** What is a yes to the question about suicide, and what only holds a word that can mean yes. */
import { describe, expect, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);

/** By language: sentences about something else, and answers. */
const said: Readonly<Record<string, readonly [others: readonly string[], answers: readonly string[]]>> = {
  pt: [
    ["essa operação é perigosa?", "o Joaquim é que tratava disso", "a minha neta e o marido vêm cá", "muito obrigada"],
    ["sim", "é", "às vezes", "já pensei nisso", "sinceramente às vezes", "infelizmente sim", "é verdade"],
  ],
  es: [
    ["mi hija siempre llega tarde", "no importa si llueve", "si mañana llueve me quedo", "los niños a veces lloran de noche"],
    ["sí", "sí, desde hace meses", "la verdad es que sí", "a veces", "sinceramente a veces", "sí, lo he pensado"],
  ],
  fr: [
    ["si demain il pleut je reste", "mon chat dort toujours là", "le film est grave bien"],
    ["oui", "oui, parfois", "souvent", "honnêtement oui", "si"],
  ],
  de: [
    ["das ist ja schön", "mein Bruder ist schon da", "ich gehe oft ins Kino", "seit gestern regnet es", "vielleicht gehe ich ins Kino"],
    ["ja", "ja, seit Wochen", "ehrlich gesagt ja", "manchmal schon", "oft", "seit Monaten", "vielleicht", "hab schon dran gedacht"],
  ],
  id: [
    ["di rumah ada kucing", "enak ya hari ini"],
    ["iya", "ya", "kadang-kadang", "ada"],
  ],
  hi: [
    ["मैं स्कूल में हूँ", "माँ जी खाना बना रही हैं"],
    ["हाँ", "कभी कभी", "हूँ", "जी हाँ"],
  ],
  zh: [
    ["我是老师", "我有一只猫", "明天会下雨"],
    ["是", "有", "有时候会", "嗯", "是的，有想过"],
  ],
  ar: [
    ["في اي وقت يفتح المحل", "القطة تنام كثيرا"],
    ["نعم", "أحيانا", "اه", "نعم كل يوم"],
  ],
};

/** A no, and what is no plain no any more. */
const takenBack: readonly (readonly [no: string, more: string])[] = [
  ["no", "no. I lied, yes"],
  ["nein", "nein, vielleicht"],
  ["नहीं, बिल्कुल नहीं", "नहीं, शायद"],
  ["no", "no... no sé... quizás"],
  ["non", "non... je ne sais pas... peut-être"],
  ["没有，我没想过", "没有...不知道...可能有"],
];

describe.each(takenBack)("%s is a no, %s is none", (no, more) => {
  test("to the question about suicide", () => {
    expect(screen(no, { asked: "suicide", highest: 1 })).toMatchObject({ answer: "no", level: 0 });
    const read = screen(more, { asked: "suicide", highest: 1 });
    expect(read.answer).not.toBe("no");
    expect(read.level).toBeGreaterThanOrEqual(1);
  });
});

describe.each(Object.entries(said))("after the question about suicide, in %s", (_language, [others, answers]) => {
  test.each(others)("%s is no yes", (text) => expect(screen(text, { asked: "suicide", highest: 1 }).level).toBeLessThan(2));
  test.each(answers)("%s is a yes", (text) => expect(screen(text, { asked: "suicide", highest: 1 })).toMatchObject({ answer: "yes", level: 2 }));
});
