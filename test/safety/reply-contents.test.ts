import { describe, expect, test } from "vitest";
import { phrases } from "../../packages/companion/src/companion-gate.ts";
import type { PlanStep } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { missingIn } from "../../packages/throughline/src/safety/reply/reply-contents.ts";

type Written = Parameters<typeof missingIn>[0];
const check = (text: string, ask: PlanStep["ask"], more: Partial<Written> = {}): readonly string[] =>
  missingIn({
    ...{ text, expanded: { resources: [], directory: false, emergency: false }, asks: undefined, message: "I want to die" },
    ...{ step: { ...(ask === undefined ? {} : { ask }), give: [] }, phrases },
    ...more,
  });

describe("a model's crisis reply", () => {
  test.each([
    "I hear how much pain you are in. Is somebody with you?",
    "Es tut mir leid, dass es so schwer ist. Ist jemand bei dir?",
    "Siento mucho que estés pasando por esto. ¿Hay alguien contigo?",
    "Je suis désolée, c'est très lourd. Y a-t-il quelqu'un avec vous ?",
    "Sinto muito, isso parece muito pesado. Há alguém com você?",
    "Terima kasih sudah cerita, itu pasti berat. Ada orang bersamamu?",
    "यह बताने के लिए धन्यवाद, यह बहुत मुश्किल है। क्या कोई आपके साथ है?",
    "Yeh batane ke liye shukriya, yeh bahut mushkil hai. Kya koi aapke saath hai?",
    "شكرا لأنك أخبرتني، هذا صعب جدا. هل معك أحد؟",
    "谢谢你告诉我，这一定很难受。有人陪着你吗？",
  ])("responds and asks: %s", (text) => {
    expect(check(text, "someone")).toEqual([]);
  });

  test("must respond to the message, in a statement", () => {
    expect(check("Noted. Is somebody with you?", "someone")).toEqual(["missing_response"]);
    expect(check("Is somebody with you, I hear?", "someone")).toEqual(["missing_response"]);
    expect(check("Losing the house would shake anybody. Is somebody with you?", "someone", { message: "we are losing the house" })).toEqual([]);
  });

  test.each<[string, PlanStep["ask"], Written["asks"], readonly string[]]>([
    ["I hear you.", "someone", undefined, ["missing_question"]],
    ["I hear you. Is somebody with you? Please stay.", "someone", undefined, ["missing_question"]],
    ["I hear you. Is somebody with you?\n[[resources]]", "someone", undefined, []],
    ["I hear you. [[resources]] Is somebody with you?", "someone", undefined, []],
    ["I hear you. Are you thinking about suicide?", "someone", "suicide", ["missing_question"]],
    ["I hear you. Are you thinking about suicide?", "suicide", "suicide", []],
    ["I hear you. How was your day?", "suicide", undefined, ["missing_question"]],
    ["I hear you. Have you thought about how?", "plan", "plan", []],
    ["I hear you. Have you thought about how?", "willing", "plan", ["missing_question"]],
    ["I hear you. Are those thoughts still there?", "last_time", undefined, []],
    ["I hear you. Are you thinking about suicide?", "safe", "suicide", ["missing_question"]],
    ["I hear you.", undefined, undefined, []],
    ["I hear you. Are you thinking about suicide?", undefined, "suicide", ["missing_question"]],
    ["I hear you. Would you like to tell me more?", undefined, undefined, []],
    ["I hear you. Are you thinking about suicide? Do you like cats?", "suicide", "suicide", ["missing_question"]],
    ["I hear you. How would you do it?", "someone", undefined, ["missing_question"]],
    ["I hear you. What is for dinner?", "last_time", undefined, ["missing_question"]],
    ["Danke. Magst du Katzen?", "someone", undefined, ["missing_question"]],
    ["Gracias. ¿Te gustan los gatos?", "means", undefined, ["missing_question"]],
    ["谢谢你告诉我。你喜欢猫吗？", "time", undefined, ["missing_question"]],
    ["I hear you. Did it go well?", "reached", undefined, []],
  ])("must ask the question of the plan at its end: %s", (text, ask, asks, missing) => {
    expect(check(text, ask, { asks })).toEqual(missing);
  });

  test.each<[PlanStep["give"], Partial<Written["expanded"]>, readonly string[]]>([
    [["resources"], {}, ["missing_help"]],
    [["resources"], { resources: ["us-988"] }, []],
    [["resources"], { directory: true }, []],
    [["emergency"], { resources: ["us-988"] }, ["missing_help"]],
    [["emergency_if"], {}, ["missing_help"]],
    [["emergency", "resources"], { emergency: true, directory: true }, []],
    [["resources_again", "human_care"], {}, []],
  ])("must name the help of the step: %j", (give, shown, missing) => {
    const expanded = { resources: [], directory: false, emergency: false, ...shown };
    expect(check("I hear you.", undefined, { step: { give }, expanded })).toEqual(missing);
  });

  test.each(["plan", "means", "time", "someone", "willing", "barriers", "last_time"] as const)("must ask about what is due: %s", (ask) => {
    expect(check("I hear you. Do you like cats?", ask)).toEqual(["missing_question"]);
  });

  test.each(phrases.map((one) => [one.language, one] as const))("may ask with the gate's own questions in %s", (_, one) => {
    const own: readonly (readonly [PlanStep["ask"], readonly string[]])[] = [
      ["suicide", [...one.ask_directly, ...one.ask_directly_other]],
      ["plan", one.ask_plan],
      ["means", one.ask_means],
      ["time", one.ask_time],
      ["someone", one.ask_someone],
      ["willing", one.ask_willing],
      ["last_time", [...one.last_time, ...one.last_time_other]],
      ["barriers", one.ask_barriers],
    ];
    const lacking = own.flatMap(([ask, questions]) =>
      questions.filter((question) => check(question, ask, { asks: ask === "suicide" ? "suicide" : undefined }).includes("missing_question")),
    );
    // A question that a sentence follows is not the last one; that is the gate's own way of asking, which no model is asked for.
    expect(lacking.filter((question) => /[?？؟]\s*$/u.test(question))).toEqual([]);
  });
});
