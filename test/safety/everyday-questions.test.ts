/** Questions and a goodnight never take away the question of the plan: one about a roof, a bridge or a will can look like any other. */
import { describe, expect, it } from "vitest";
import type { CrisisPlan } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { converse, lastOf } from "./conversation.ts";

const hint = "everyone would be better off without me";
const denied = ["I want to die", "no", "my shift starts at nine", "no"];

/** Each is level 0 by itself, also those about means, places, a farewell and one's worth. */
const everyday: readonly string[] = [
  "how long do I boil an egg?",
  "good night",
  "does it hurt to drown?",
  "can a person survive a fall from the fifth floor?",
  "is the roof of this building open at night?",
  "wo bekomme ich schlaftabletten?",
  "wie hoch ist die brücke?",
  "how deep is the river here?",
  "why would anybody care if I am here?",
  "can you help me write a will?",
  "how do I give away my cat?",
];

const questionAfter = (...messages: readonly string[]): string | undefined => lastOf(messages).step.ask;
const answersOf = (...messages: readonly string[]): CrisisPlan["answers"] | undefined => lastOf(messages).plan?.answers;

describe("the plan asks on after a question or a goodnight", () => {
  it.each(everyday)("while the direct question is unanswered: %s", (text) => {
    expect(questionAfter(hint, text)).toBe("someone");
  });

  it.each(everyday)("after a wish to die, once how and with what were denied: %s", (text) => {
    expect(questionAfter(...denied, text)).toBe("willing");
  });

  it.each([
    ["once the direct question was denied", ["sometimes I think everyone would be better off without me around", "no", "my shift starts at nine"]],
    ["right after a wish to die", ["I want to die", "no"]],
    ["after a yes", ["I want to die", "yes"]],
    ["with means at hand", ["I want to die", "no", "I have the pills here"]],
    ["after an act", ["I took all my pills ten minutes ago", "no", "no"]],
  ])("%s", (_when, before) => {
    for (const text of everyday) expect(questionAfter(...before, text), text).toBeDefined();
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
    expect(questionAfter(first, text)).toBe("someone");
  });

  it.each(["how many pills are too many?", "why should I go on living?", "do you think it would hurt to die?", "tut sterben weh?"])(
    "for a question with a sign: %s",
    (text) => {
      expect(questionAfter(...denied, text)).toBeDefined();
    },
  );
});

describe("an answer to the plan", () => {
  it("is not taken back by a question that was left unanswered", () => {
    const turns = converse([
      "sometimes I think everyone would be better off without me around",
      "no",
      "my shift starts at nine",
      "how long do I boil an egg?",
    ]);
    expect(turns.map(({ step }) => step.ask)).toEqual(["suicide", "location", "means", "someone"]);
    expect(turns.at(-1)?.plan?.answers).toMatchObject({ suicide: "no", means: "evaded" });
  });

  it("about people is none that only ends a sentence with a tag", () => {
    const asked = ["I want to die", "no", "my shift starts at nine", "no", "she is out"];
    expect(lastOf(asked).step.ask).toBe("willing");
    expect(answersOf(...asked, "pancakes, right")?.willing).toBe("evaded");
    expect(answersOf(...asked, "yeah, right")?.willing).toBe("yes");
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
