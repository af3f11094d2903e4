import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noPhrases, politePhrases, yesPhrases, readAnswer, readPlace } from "../../../packages/throughline/src/memory/control/interpret.ts";
import { piecesOf } from "../../../packages/throughline/src/memory/text/pieces.ts";

const yes = [
  ...["yes", "Yes, please!", "YES", "yeah", "ok", "ok go ahead", "yes yes", "yes, delete it", "I'm sure", "👍🏽", "  yes \n"],
  ...["sí", "si", "Sí, por favor", "claro", "oui", "d'accord", "D’accord", "ja", "Ja, bitte.", "na klar", "sim", "sì", "va bene"],
  ...["हाँ", "हां जी", "haan", "theek hai", "نعم", "نعم، من فضلك", "أجل", "是", "是的", "好的，谢谢", "確認", "ya", "iya", "ＹＥＳ"],
];
const no = [
  ...["no", "No.", "nope", "no thanks", "no no", "don't", "don’t delete it", "cancel", "never mind", "of course not", "👎"],
  ...["mejor no", "non", "nein danke", "lieber nicht", "não", "nao", "नहीं", "nahi", "لا", "不", "不要", "不用了", "tidak", "jangan"],
];
const unclear = [
  ...[
    "yes but not that",
    "no wait",
    "yes I am sad",
    "yes no",
    "no, delete it",
    "yes?",
    "yes...",
    "yes…",
    "yes please don't",
    "not sure",
    "maybe",
    "hmm",
    "what?",
  ],
  ...[
    "no problem",
    "sure, why not",
    "thanks",
    "",
    "  ",
    "?!",
    "好不好",
    "不好",
    "ha",
    "doch",
    "yes and no",
    "I don't know",
    "ok but keep Ana",
    "no sleep again last night, I am so tired",
  ],
];
const other = [
  "I had a rough day at work today",
  "Can we talk about my boss instead?",
  "hoy tuve un día muy difícil en el trabajo",
  "今天工作很累我想休息一下",
];

describe("an answer to a question about memory", () => {
  test.each(yes)("%j is yes (case 35)", (message) => expect(readAnswer(message)).toEqual({ type: "yes" }));
  test.each(no)("%j is no", (message) => expect(readAnswer(message)).toEqual({ type: "no" }));
  test.each(unclear)("%j is unclear", (message) => expect(readAnswer(message)).toEqual({ type: "unclear" }));
  test.each(other)("%j speaks of something else (case 36)", (message) => expect(readAnswer(message)).toEqual({ type: "other" }));

  test.each([
    ...[
      ["2", 2],
      ["#2", 2],
      ["2.", 2],
      ["2nd", 2],
      ["the second", 2],
      ["The second one, please", 2],
      ["number two", 2],
      ["I think the third one", 3],
    ],
    ...[
      ["one", 1],
      ["the first one", 1],
      ["segundo", 2],
      ["el segundo", 2],
      ["zwei", 2],
      ["die dritte", 3],
      ["deuxième", 2],
      ["secondo", 2],
      ["第二", 2],
    ],
    ...[
      ["第二个", 2],
      ["二", 2],
      ["２", 2],
      ["٢", 2],
      ["२", 2],
      ["kedua", 2],
      ["الثاني", 2],
      ["last", "last"],
      ["the last one", "last"],
      ["最后一个", "last"],
    ],
    ...[
      ["all of them", "all"],
      ["todas", "all"],
      ["alle", "all"],
      ["全部", "all"],
    ],
  ] as const)("%j is place %j", (message, index) => expect(readAnswer(message)).toEqual({ type: "place", index }));

  test.each(["2 and 3", "not 2", "no 2", "I have 2 sisters", "once", "do", "two or three"])("%j is no place", (message) =>
    expect(readAnswer(message).type).not.toBe("place"),
  );

  test("a word that means yes in one language only is unclear where the question was asked in another", () => {
    expect(readAnswer("ya", { language: "es" })).toEqual({ type: "unclear" });
  });

  test("no phrase is yes and no at once", () => {
    expect(yesPhrases.filter((phrase) => readAnswer(phrase).type !== "yes")).toEqual([]);
    expect(noPhrases.filter((phrase) => readAnswer(phrase).type !== "no")).toEqual([]);
  });

  test("a word that is no part of an answer makes it unclear, wherever it stands", () => {
    const known = new Set([...yesPhrases, ...politePhrases].flatMap(piecesOf));
    const words = fc.stringMatching(/^[a-zéü]{2,9}$/).filter((word) => piecesOf(word).every((piece) => !known.has(piece)));
    fc.assert(
      fc.property(fc.constantFrom(...yesPhrases), words, fc.nat({ max: 3 }), (phrase, word, at) => {
        const pieces = phrase.split(" ");
        pieces.splice(Math.min(at, pieces.length), 0, word);
        expect(readAnswer(pieces.join(" ")).type).not.toBe("yes");
      }),
      { numRuns: 300 },
    );
  });

  test("a place alone is read, and nothing else", () => {
    expect([readPlace("second"), readPlace("letzte"), readPlace("Ana"), readPlace("one or two")]).toEqual([2, "last", undefined, undefined]);
  });
});
