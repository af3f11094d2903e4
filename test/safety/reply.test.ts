import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { english } from "../../packages/companion/src/safety/crisis-data.ts";
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";
import { afterReply, nextStep, type PlanStep } from "../../packages/throughline/src/safety/crisis-plan.ts";
import { bareStep, composeReply, crisisDirective, type ReplyParts } from "../../packages/throughline/src/safety/reply/crisis-wording.ts";
import { phrasesFor } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";
import { lookupStatuses } from "../../packages/throughline/src/safety/resources/resource-table.ts";
import { found, nowhere, refused } from "./lookups.ts";
import { planWith } from "./plan-with.ts";

const compose = (level: SafetyLevel, step: PlanStep, more: Partial<ReplyParts> = {}): string =>
  composeReply({
    ...{ plan: planWith({ highest: level }), step, lookup: nowhere, phrases: english, watched: "nobody", saved: true },
    assessment: { level, subject: "self" },
    ...more,
  });

const questionsIn = (text: string): number => text.match(/[?？؟]/gu)?.length ?? 0;
const numbersIn = (text: string): readonly string[] => text.match(/\d{3,}/gu) ?? [];
const bare = (level: SafetyLevel): PlanStep => bareStep({ level, subject: "self" });
const urgent: PlanStep = { ask: "someone", give: ["emergency", "someone", "distance", "resources", "ai_limits"] };

describe("composeReply", () => {
  test("case 20: level 1 is the direct question and nothing else", () => {
    expect(compose(1, { ask: "suicide", give: [] })).toBe(english.ask_directly[0]);
    expect(compose(1, { ask: "suicide", give: [] }, { assessment: { level: 1, subject: "other" } })).toBe(english.ask_directly_other[0]);
  });

  test("level 1 with another question says that the conversation goes on, and names no help", () => {
    const text = compose(1, { ask: "someone", give: [] });
    expect(text).toContain(english.ask_someone[0]);
    expect([questionsIn(text), /emergency|line|help/iu.test(text)]).toEqual([1, false]);
  });

  test("level 3 names emergency help first, somebody to be there, distance and services, and who does not read along", () => {
    const text = compose(3, urgent, { lookup: found });
    const parts = [
      ...[english.opening_imminent[0], "911", english.be_with_someone, english.distance, "988 Lifeline"],
      ...[english.ai_limits, english.nobody_watching, english.ask_someone[0]],
    ];
    const places = parts.map((part) => text.indexOf(part ?? "?"));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect([questionsIn(text), numbersIn(text)]).toEqual([1, ["911", "988", "988"]]);
  });

  test("without a place no number is named", () => {
    const text = compose(3, urgent);
    expect(numbersIn(text)).toEqual([]);
    expect([text.includes(english.emergency_unknown), text.includes("findahelpline.com"), text.includes("{")]).toEqual([true, true, false]);
  });

  test("who writes of another person is asked to stay with them, and not to put anything away", () => {
    const text = compose(3, urgent, { assessment: { level: 3, subject: "other" }, lookup: found });
    expect([text.includes(english.stay_with_them), text.includes(english.be_with_someone), text.includes(english.distance)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(text.startsWith(english.opening_other[0] ?? "?")).toBe(true);
  });

  test.each([
    ["nobody", english.nobody_watching, true],
    ["queued", english.nobody_watching, false],
    ["queued", english.somebody_told, false],
    ["told", english.somebody_told, true],
  ] as const)("somebody is told: %s", (watched, sentence, said) => {
    expect(compose(2, bare(2), { watched }).includes(sentence)).toBe(said);
  });

  test.each([
    [{ heard: "place" }, english.heard_place],
    [{ heard: "someone", answers: { someone: "yes" } }, english.heard_someone],
    [{ heard: "willing", answers: { willing: "yes" } }, english.heard_willing[0]],
    [{ heard: "willing", answers: { willing: "no" } }, english.heard_no[0]],
    [{ heard: "plan", answers: { plan: "yes" } }, english.heard[0]],
    [{}, english.heard[0]],
  ] as const)("a later reply in a crisis begins with what was heard: %j", (told, sentence) => {
    expect(compose(1, { give: [] }, { plan: planWith({ highest: 2, ...told }) }).startsWith(sentence ?? "?")).toBe(true);
    expect(compose(1, bare(1), { plan: planWith({ highest: 1, ...told }) })).toBe(english.ask_directly[0]);
  });

  test("whoever is asked on before it is a crisis is heard first", () => {
    const again = compose(1, { ask: "someone", give: [] }, { plan: planWith({ highest: 1, replies: 1 }) });
    expect(again.startsWith(english.heard[1] ?? "?")).toBe(true);
    expect([questionsIn(again), /emergency|line|help/iu.test(again)]).toEqual([1, false]);
  });

  test("the number of a place that is known only now is what there is to call; later it is said in other words", () => {
    const parts = { lookup: found, plan: planWith({ highest: 3, emergency_given: true, given: ["directories"] }) };
    expect(compose(1, { give: ["emergency"] }, parts)).toContain("Please call 911 or a crisis line now");
    const again = compose(
      1,
      { give: ["emergency"] },
      { ...parts, plan: planWith({ highest: 3, emergency_given: true, given: ["emergency_number:US"] }) },
    );
    expect(again).toContain((english.call_still[0] ?? "?").replace("{emergency}", "911"));
  });

  test("says that it could not be kept, before the question", () => {
    const text = compose(2, bare(2), { saved: false });
    expect(text.indexOf(english.not_saved)).toBeGreaterThan(0);
    expect(text.trimEnd().endsWith("?")).toBe(true);
  });

  test("without a plan or a step does the least that the level asks for", () => {
    const said = (level: SafetyLevel): string => compose(level, { give: [] }, { plan: undefined });
    expect(said(1)).toBe(english.ask_directly[0]);
    expect(said(2)).toContain("findahelpline.com");
    expect(said(3)).toContain(english.distance);
    expect(said(0)).toBe(english.apology);
    const failed = { level: 1, subject: "self", grounds: ["screen_failed"] } as const;
    expect(compose(1, { give: [] }, { plan: undefined, assessment: failed })).toBe(english.ask_safe[0]);
  });

  test("a step that does nothing still says something at every level, and at level 0 it is the apology", () => {
    for (const level of [1, 2, 3] as const) expect(compose(level, { give: [] }).length).toBeGreaterThan(10);
    expect(compose(0, { give: [] }, { saved: false })).toBe(`${english.apology}\n\n${english.not_saved}`);
  });

  test("a number may contain what a replacement would read", () => {
    expect(compose(3, urgent, { lookup: { ...found, emergency: [{ region: "US", number: "$&1" }] } })).toContain("call $&1 or");
  });

  test("two replies in a row are never the same, and each asks one thing at most", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<SafetyLevel[]>(1, 2, 3), { minLength: 2, maxLength: 15 }),
        fc.constantFrom(nowhere, found, refused),
        fc.constantFrom("self" as const, "other" as const),
        (levels, lookup, subject) => {
          let plan = planWith({ subject });
          const texts = levels.map((level) => {
            plan = { ...plan, highest: level > plan.highest ? level : plan.highest, window: [...plan.window, { level, at: 0 }] };
            const step = nextStep(plan, { assessment: { level, override: "none" }, lookup });
            const text = compose(level, step, { plan, lookup, assessment: { level, subject } });
            plan = afterReply(plan, { step, resources: step.give.includes("resources") ? lookup.resources.map(({ id }) => id) : [] });
            return text;
          });
          return texts.every((text, index) => text !== texts[index + 1] && text !== "" && questionsIn(text) <= 1);
        },
      ),
    );
  });
});

describe("crisisDirective", () => {
  const directive = (level: SafetyLevel, step: PlanStep, more: object = {}): string =>
    crisisDirective({
      ...{ plan: planWith({ highest: level }), step, lookup: nowhere },
      assessment: { level, subject: "self", reason_code: "means", risk_types: ["suicide"] },
      ...more,
    });

  test("says what to do, what to ask, where the services go and what to avoid", () => {
    const text = directive(3, urgent, { lookup: found });
    for (const part of [
      "[[emergency]]",
      "[[resources]]",
      "exactly one question",
      "diagnose",
      "secrecy",
      "contacted",
      "phone number",
      "methods",
      "means, suicide",
    ]) {
      expect(text).toContain(part);
    }
    expect(numbersIn(text)).toEqual([]);
  });

  test("case 20: at level 1 forbids numbers and services, unless a crisis is open", () => {
    expect(directive(1, bare(1))).toContain("no crisis line");
    expect(directive(1, bare(1), { plan: planWith({ highest: 2 }) })).not.toContain("no crisis line");
  });

  test("a refusal is never come back to", () => {
    expect(directive(2, { give: ["resources_again"] }, { lookup: refused })).toContain("Never mention it again");
  });

  test("has a sentence for every status", () => {
    const texts = lookupStatuses.map((status) => directive(2, { give: ["resources"] }, { lookup: { ...nowhere, status } }));
    expect(new Set(texts).size).toBe(lookupStatuses.length);
  });

  test("is about the other person where it is one, and blank at level 0", () => {
    const text = directive(3, urgent, { assessment: { level: 3, subject: "other", reason_code: "other_at_risk", risk_types: [] } });
    expect([text.includes("stay with the other person"), text.includes("Put distance")]).toEqual([true, false]);
    expect(directive(0, { give: [] })).toBe("");
  });
});

describe("phrasesFor", () => {
  const list = ["en", "hi", "hi-Latn", "pt-BR"].map((language) => ({ ...english, language }));

  test.each([
    ["en", "en"],
    ["hi-Latn", "hi-Latn"],
    ["HI-latn", "hi-Latn"],
    ["hi-Deva", "hi"],
    ["pt", "pt-BR"],
    ["pt-PT", "pt-BR"],
    ["ja", "en"],
    ["", "en"],
    [undefined, "en"],
  ])("%s", (language, expected) => {
    expect(phrasesFor(list, language).language).toBe(expected);
  });

  test("needs at least one", () => {
    expect(() => phrasesFor([])).toThrow("no phrases");
  });
});
