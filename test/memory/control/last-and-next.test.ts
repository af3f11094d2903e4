/** "Forget the last thing I said", "don't remember what I say next" and "one sentence only", in every language. */
import { describe, expect, test } from "vitest";
import { interpret } from "../../../packages/throughline/src/memory/control/interpret.ts";

describe("the last message is meant by", () => {
  test.each([
    ["en", "forget the last thing I said"],
    ["en", "Please delete my last message."],
    ["es", "olvida lo último que dije"],
    ["es", "borra mi último mensaje, por favor"],
    ["de", "vergiss das Letzte, was ich gesagt habe"],
    ["de", "Lösch bitte meine letzte Nachricht"],
    ["zh", "忘掉我最后说的那句话"],
    ["zh", "删除上一条消息"],
    ["fr", "oublie la dernière chose que j'ai dite"],
    ["fr", "efface mon dernier message"],
    ["pt", "esquece a última coisa que eu disse"],
    ["pt", "apague minha última mensagem"],
    ["id", "lupakan hal terakhir yang aku katakan"],
    ["id", "hapus pesan terakhirku"],
    ["hi", "मेरी आखिरी बात भूल जाओ"],
    ["hi-latn", "meri last baat bhool jao"],
    ["ar", "انسى آخر شيء قلته"],
    ["ar", "احذف آخر رسالة"],
  ])("%s: %s", (_, message) => expect(interpret(message)?.command).toEqual({ type: "forget_by_index", kind: "turn", index: "last" }));
});

describe("the next message is not remembered after", () => {
  test.each([
    ["en", "don't remember what I say next"],
    ["en", "please do not save what I'm about to tell you"],
    ["es", "no guardes lo que te voy a decir"],
    ["es", "no recuerdes mi próximo mensaje"],
    ["de", "merk dir nicht, was ich jetzt sage"],
    ["de", "speicher meine nächste Nachricht nicht"],
    ["zh", "不要记住我接下来说的话"],
    ["fr", "ne retiens pas ce que je vais te dire"],
    ["fr", "n'enregistre pas mon prochain message"],
    ["pt", "não guarde o que vou te dizer agora"],
    ["id", "jangan simpan yang akan aku ceritakan"],
    ["hi", "मैं अब जो कहूँगी उसे याद मत रखना"],
    ["hi-latn", "ab jo main bolunga woh yaad mat rakhna"],
    ["ar", "لا تحفظ ما سأقوله الآن"],
  ])("%s: %s", (language, message) => expect(interpret(message)).toMatchObject({ command: { type: "skip_next" }, language }));
});

describe("a wish for one sentence is kept", () => {
  test.each([
    ["en", "one sentence only please"],
    ["en", "answer in one sentence"],
    ["es", "responde en una sola frase"],
    ["de", "nur ein Satz bitte"],
    ["de", "antworte mit einem Satz"],
    ["zh", "只用一句话回答"],
    ["fr", "réponds en une phrase"],
    ["pt", "só uma frase, por favor"],
    ["id", "satu kalimat saja"],
    ["hi", "सिर्फ एक वाक्य में जवाब दो"],
    ["hi-latn", "sirf ek line mein jawab do"],
    ["ar", "جملة واحدة فقط"],
  ])("%s: %s", (_, message) => expect(interpret(message)?.command.type).toBe("save_preference"));
});

test.each([
  "I forgot the last thing she said to me",
  "what I say next matters to me",
  "don't remember what I say",
  "he wrote me one sentence only, and left",
  "das letzte, was er gesagt hat, war ein Satz",
])("%s is talk", (message) => expect(interpret(message)).toBeUndefined());
