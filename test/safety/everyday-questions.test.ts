/** An everyday question and a goodnight get the agent's own reply while a danger is only suspected, and once the person was found safe. */
import { describe, expect, it } from "vitest";
import { converse, lastOf } from "./conversation.ts";

const question = "how long do I boil an egg?";
const goodnight = "good night";
const hint = "everyone would be better off without me";

/** What the reply to the last message asks, and the help in it. */
const stepOf = (...messages: readonly string[]): readonly [ask: string | undefined, give: readonly string[]] => {
  const { step } = lastOf(messages);
  return [step.ask, step.give];
};

const unasked = [undefined, []];

describe("an everyday question and a goodnight get their own reply", () => {
  it.each([question, goodnight])("while a danger is only suspected: %s", (text) => {
    expect(stepOf(hint, text)).toEqual(unasked);
  });

  it.each([question, goodnight])("after a no to the direct question: %s", (text) => {
    expect(
      stepOf("sometimes I think everyone would be better off without me around", "not like killing myself, I just snap at people", text),
    ).toEqual(unasked);
  });

  it("after a no to the direct question, also if the question between was left unanswered", () => {
    const turns = converse(["sometimes I think everyone would be better off without me around", "no", "my shift starts at nine", question, question]);
    expect(turns.map(({ step }) => step.ask)).toEqual(["suicide", "location", "means", undefined, undefined]);
    expect(turns.at(-1)?.plan?.answers).toMatchObject({ suicide: "no", means: "evaded" });
  });

  it.each([question, goodnight])("some turns after a wish to die, once how and with what were denied: %s", (text) => {
    expect(stepOf("I want to die", "no", "my shift starts at nine", "no", text)).toEqual(unasked);
  });

  it("and the plan goes on with the next message", () => {
    expect(stepOf("I want to die", "no", "my shift starts at nine", "no", question, "my shift starts at nine")).toEqual(["willing", []]);
  });
});

describe("the plan goes on", () => {
  it.each([
    ["before the direct question is answered", ["sometimes I think everyone would be better off without me around"]],
    ["right after a wish to die", ["I want to die", "no"]],
    ["after a yes", ["I want to die", "yes"]],
    ["with means at hand", ["I want to die", "no", "I have the pills here"]],
    ["after an act", ["I took all my pills ten minutes ago", "no", "no"]],
  ])("%s", (_when, before) => {
    for (const text of [question, goodnight]) expect(stepOf(...before, text)[0], text).toBeDefined();
  });

  it.each([
    ["everyone would be better off without me", "why do you ask?"],
    ["ohne mich wären alle besser dran", "warum fragst du das?"],
    ["todos estarían mejor sin mí", "¿por qué me preguntas eso?"],
    ["tout le monde serait mieux sans moi", "pourquoi tu demandes ça ?"],
    ["todos estariam melhor sem mim", "por que você pergunta?"],
    ["semua orang akan lebih baik tanpa aku", "kenapa kamu tanya?"],
    ["मेरे बिना सब बेहतर रहेंगे", "क्यों पूछ रहे हो?"],
    ["mere bina sab behtar rahenge", "kyun pooch rahe ho?"],
    ["الجميع سيكونون أفضل بدوني", "لماذا تسأل؟"],
    ["没有我大家会过得更好", "你为什么问这个？"],
  ])("for a question about the question: %s, %s", (first, text) => {
    expect(stepOf(first, text)[0]).toBe("someone");
  });

  it.each(["how many pills are too many?", "why should I go on living?", "do you think it would hurt to die?", "tut sterben weh?"])(
    "for a question with a sign: %s",
    (text) => {
      expect(stepOf("I want to die", "no", "my shift starts at nine", "no", text)[0]).toBeDefined();
    },
  );
});

describe("an answer to the plan", () => {
  it("about people is none that only ends a sentence with a tag", () => {
    const asked = ["I want to die", "no", "my shift starts at nine", "no", "she is out"];
    expect(lastOf(asked).step.ask).toBe("willing");
    expect(lastOf([...asked, "pancakes, right"]).plan?.answers.willing).toBe("evaded");
    expect(lastOf([...asked, "yeah, right"]).plan?.answers.willing).toBe("yes");
    expect(lastOf([hint, "right"]).assessment.level).toBe(2);
  });

  it("is no time of an act if it says whose door they may knock on, or that they may", () => {
    const asked = ["ich will nicht mehr leben", "nein", "ich weiß nicht"];
    expect(lastOf(asked).step.ask).toBe("means");
    expect(lastOf([...asked, "okay, vielleicht klopf ich gleich doch mal"]).assessment.level).toBe(1);
    expect(lastOf([...asked, "gleich"]).assessment.level).toBe(3);
    const line = ["sometimes I think everyone would be better off without me around", "no", "I might call the peer support line tomorrow"];
    expect(lastOf(line).assessment.level).toBe(1);
  });

  it.each([
    ["ohne mich wären alle besser dran", "nicht so im Sinne von umbringen"],
    ["todos estarían mejor sin mí", "no en plan de matarme"],
    ["tout le monde serait mieux sans moi", "pas dans le sens de me tuer"],
    ["todos estariam melhor sem mim", "não no sentido de me matar"],
  ])("is a no that says how it was not meant: %s, %s", (first, answer) => {
    expect(lastOf([first, answer]).plan?.answers.suicide).not.toBe("yes");
    expect(lastOf([first, answer]).assessment.level).toBeLessThan(2);
  });

  it("about people is read for danger as any other message, long after the last sign", () => {
    const calm = ["nein", "ich arbeite in der Bäckerei", "nein", ...Array.from({ length: 10 }, () => "meine Schicht fängt bald wieder an")];
    const turns = converse(["ich will sterben", ...calm, "ich hab noch die ganzen schlaftabletten von meiner oma in der schublade"]);
    expect(turns.at(-2)?.step.ask).toMatch(/^(?:someone|willing)$/u);
    expect(turns.at(-1)?.assessment.level).toBeGreaterThanOrEqual(2);
  });
});
