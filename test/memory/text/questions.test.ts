import { describe, expect, test } from "vitest";
import { isQuestion, questionFlags } from "../../../packages/throughline/src/memory/recall/language.ts";
import { createTokenizer } from "../../../packages/throughline/src/memory/text/tokenize.ts";

const tokenizer = createTokenizer();
const asked = (text: string): string =>
  Object.entries(questionFlags(text, tokenizer.localesOf(text)))
    .filter(([flag, holds]) => holds && flag !== "question")
    .map(([flag]) => flag)
    .join(" ");
const question = (text: string): boolean => isQuestion(text, tokenizer.localesOf(text));

describe("what a question asks for", () => {
  test.each([
    ["When did she move?", "when"],
    ["In which month did they meet?", "when"],
    ["What year did he graduate?", "when"],
    ["How long ago was it?", "when howLong"],
    ["How many children does she have?", "howMany"],
    ["How many times has he been there?", "howMany howOften"],
    ["How often does he run?", "howOften"],
    ["How old is she?", "howLong"],
    ["Who came along?", "who"],
    ["Where does she live?", "where"],
    ["Which city do they live in?", "where"],
    ["What does she like?", ""],
    ["¿Cuándo es tu cumpleaños?", "when"],
    ["¿Quién te ayudó con la mudanza?", "who"],
    ["¿Dónde vive mi hermana?", "where"],
    ["¿Cuántos hijos tiene?", "howMany"],
    ["Wann hast du Geburtstag?", "when"],
    ["Wo wohnt deine Schwester?", "where"],
    ["Wer hat dir geholfen?", "who"],
    ["Wie oft gehst du schwimmen?", "howOften"],
    ["我妹妹什么时候结婚？", "when"],
    ["谁帮我搬家？", "who"],
    ["你住在哪里？", "where"],
    ["我有多少个孩子？", "howMany"],
  ])("%s", (text, expected) => expect(asked(text)).toBe(expected));
});

describe("whether a text is a question", () => {
  test.each([
    ["Where is it?", true],
    ["where is it", true],
    ["Did you go there", true],
    ["I went home. How are you?", true],
    ["How are you? I went home.", false],
    ["What a day! I went home.", false],
    ["I wonder", false],
    ["Is that so?!", true],
    ['"Really?"', true],
    ["¿Dónde está", true],
    ["Wo ist mein Schlüssel", true],
    ["你叫什么名字？", true],
    ["你喜欢咖啡吗", true],
    ["我喜欢咖啡", false],
    ["?", true],
    ["", false],
  ])("%s", (text, expected) => expect(question(text)).toBe(expected));

  test("a long text is one if it ends like one", () => {
    expect(question(`${"word ".repeat(10_000)}?`)).toBe(true);
    expect(question(`where ${"word ".repeat(10_000)}`)).toBe(false);
  });
});
