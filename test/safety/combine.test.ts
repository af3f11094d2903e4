import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ClassifierVerdict,
  type ReasonCode,
  reasonCodes,
  type SafetyGround,
  type SafetyLevel,
  type SafetyPath,
} from "../../packages/throughline/src/safety/assessment.ts";
import { combine, type Findings } from "../../packages/throughline/src/safety/combine.ts";
import type { CrisisPlan } from "../../packages/throughline/src/safety/crisis-plan.ts";
import type { Screened } from "../../packages/throughline/src/safety/screen/screened.ts";
import { screenedAs } from "./found.ts";
import { planWith } from "./plan-with.ts";

const text = "this job is killing me";
const soft: Screened["matches"] = [{ id: "en/kill_self", strength: "soft", span: [12, 22] }];
const hard: Screened["matches"] = [{ id: "en/wish_to_die", strength: "hard", span: [0, 22] }];
const unread = { quality: "degraded", why_degraded: "language" } as const;
const now = Date.UTC(2026, 10, 21);

const verdictOf = (level: SafetyLevel, more: Partial<ClassifierVerdict> = {}): ClassifierVerdict => ({
  ...{ level, confidence: "high", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" },
  ...more,
});
const byRules = { verdict: verdictOf(0), limited: true } as const;
const unclearTwice = planWith({
  window: [
    { level: 1, at: now },
    { level: 1, at: now },
  ],
});
const idiom = verdictOf(0, { reason_code: "idiom", evidence_span: "job is killing me" });

const decide = (findings: Partial<Findings>) => combine({ text, screened: screenedAs(0), path: "union", now, ...findings });

describe("combine", () => {
  test.each<[string, Partial<Findings>, SafetyLevel, string]>([
    ["case 1: nothing found, nothing said", { verdict: verdictOf(0) }, 0, "none"],
    ["case 1: the classifier's 1", { verdict: verdictOf(1) }, 1, "raised"],
    ["case 1: the classifier's 2", { verdict: verdictOf(2) }, 2, "raised"],
    ["case 1: the classifier's 3", { verdict: verdictOf(3) }, 3, "raised"],
    ["case 5: a hard 3 stays against a classifier's 0", { screened: screenedAs(3, { matches: hard }), verdict: verdictOf(0) }, 3, "none"],
    ["case 6: an idiom goes down", { screened: screenedAs(2, { matches: soft }), verdict: idiom }, 0, "lowered"],
    ["a soft 3 goes down to 2 and no further", { screened: screenedAs(3, { matches: soft }), verdict: idiom }, 2, "lowered"],
    ["not with medium confidence", { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, confidence: "medium" } }, 2, "none"],
    ["not for a reason of the other kind", { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, reason_code: "plan" } }, 2, "none"],
    ["not without evidence", { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, evidence_span: " " } }, 2, "none"],
    [
      "not with evidence that was not said",
      { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, evidence_span: "killing me!" } },
      2,
      "none",
    ],
    [
      "not with evidence beside the match",
      { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, evidence_span: "this job" } },
      2,
      "none",
    ],
    [
      "not with a hard match beside it",
      { screened: screenedAs(2, { matches: [...soft, ...hard] }), verdict: { ...idiom, evidence_span: text } },
      2,
      "none",
    ],
    [
      "not in a grave window",
      { screened: screenedAs(2, { matches: soft }), verdict: idiom, plan: planWith({ window: [{ level: 2, at: now }] }) },
      2,
      "none",
    ],
    ["not what rests on an answer", { screened: screenedAs(2, { matches: soft, answer: "yes" }), verdict: idiom }, 2, "none"],
    ["not what has no words", { screened: screenedAs(2), verdict: { ...idiom, evidence_span: text } }, 2, "none"],
    ["not what the screen found of another person", { screened: screenedAs(1, { matches: soft, subject: "other" }), verdict: idiom }, 1, "none"],
    ["another person never to 0", { screened: screenedAs(2, { matches: soft }), verdict: { ...idiom, subject: "other" } }, 1, "lowered"],
    ["another person's risk with a 0 beside it", { verdict: verdictOf(0, { reason_code: "other_at_risk", subject: "other" }) }, 1, "raised"],
    ["no classifier's answer, ordinary text", { path: "llm_timeout" }, 0, "none"],
    ["no classifier's answer, distress", { path: "llm_error", screened: screenedAs(0, { distress: true }) }, 0, "none"],
    ["no classifier's answer, too long", { path: "llm_error", screened: screenedAs(0, { ...unread, why_degraded: "too_long" }) }, 1, "floor"],
    ["not safe, as asked", { ...byRules, plan: planWith({ last_asked: "safe" }), screened: screenedAs(0, { answer: "no" }) }, 1, "none"],
    ["safe, as asked", { ...byRules, plan: planWith({ last_asked: "safe" }), screened: screenedAs(0, { answer: "yes" }) }, 0, "none"],
    ["distress with a classifier's 0", { verdict: verdictOf(0), screened: screenedAs(0, { distress: true }) }, 0, "none"],
    ["distress of a minor", { verdict: verdictOf(0), screened: screenedAs(0, { distress: true }), profile: "minor" }, 1, "floor"],
    ["no classifier's answer, unread language", { path: "breaker_open", screened: screenedAs(0, unread) }, 1, "floor"],
    ["rules in place of a classifier, unread script", { ...byRules, text: "я хочу умереть", screened: screenedAs(0, unread) }, 1, "floor"],
    [
      "rules in place of a classifier, unread words in Latin letters",
      { ...byRules, text: "Ölmek istiyorum", screened: screenedAs(0, unread) },
      1,
      "floor",
    ],
    ["rules in place of a classifier, too long", { ...byRules, screened: screenedAs(0, { ...unread, why_degraded: "too_long" }) }, 1, "floor"],
    ["a classifier's 0, unread language", { verdict: verdictOf(0), screened: screenedAs(0, unread) }, 0, "none"],
    ["no classifier's answer, unclear window", { path: "llm_invalid", plan: planWith({ window: [{ level: 1, at: now }] }) }, 1, "floor"],
    ["no classifier's answer, a found level", { path: "llm_timeout", screened: screenedAs(2, { matches: soft }) }, 2, "none"],
    ["the screen failed", { screened: undefined }, 1, "floor"],
    ["the screen failed, the classifier says 0", { screened: undefined, verdict: verdictOf(0) }, 1, "floor"],
    ["the screen failed, the classifier says 3", { screened: undefined, verdict: verdictOf(3) }, 3, "raised"],
    [
      "six turns after a crisis, a day later",
      { verdict: verdictOf(0), plan: planWith({ highest: 2, last_high_at: now - 90_000_000, turns_since_high: 5 }) },
      1,
      "sticky",
    ],
    [
      "many turns after a crisis, within a day",
      { verdict: verdictOf(0), plan: planWith({ highest: 2, last_high_at: now - 86_000_000, turns_since_high: 40 }) },
      1,
      "sticky",
    ],
    ["after both", { verdict: verdictOf(0), plan: planWith({ highest: 2, last_high_at: now - 86_400_000, turns_since_high: 6 }) }, 0, "none"],
    [
      "a clock that was set back",
      { verdict: verdictOf(0), plan: planWith({ highest: 2, last_high_at: now + 999_999_999, turns_since_high: 60 }) },
      1,
      "sticky",
    ],
  ])("%s", (_name, findings, level, override) => {
    expect(decide(findings)).toMatchObject({
      ...{ level, override, needs_crisis_response: level >= 2, needs_clarification: level === 1 },
    });
  });

  test.each<[string, Partial<Findings>, readonly SafetyGround[]]>([
    ["nothing", { verdict: verdictOf(0) }, []],
    ["rules", { screened: screenedAs(2, { matches: hard }) }, ["match"]],
    ["word weights", { screened: screenedAs(1, { matches: [{ id: "en/words", strength: "soft", span: [0, 22] }] }) }, ["weights"]],
    ["a yes", { screened: screenedAs(2, { answer: "yes" }) }, ["answer"]],
    ["the third unclear turn", { screened: screenedAs(2, { matches: soft }), plan: unclearTwice }, ["match", "unclear_turns"]],
    ["a retraction", { screened: screenedAs(1, { answer: "no" }) }, ["retraction"]],
    ["the classifier", { verdict: verdictOf(2) }, ["classifier"]],
    ["both", { screened: screenedAs(2, { matches: hard }), verdict: verdictOf(2) }, ["match", "classifier"]],
    ["rules, and rules in place of a model", { screened: screenedAs(2, { matches: soft }), verdict: verdictOf(2), limited: true }, ["match"]],
    ["what only rules in place of a model found", { verdict: verdictOf(2), limited: true }, ["classifier"]],
    ["rules, with a lower verdict", { screened: screenedAs(2, { matches: hard }), verdict: verdictOf(1) }, ["match"]],
    ["a crisis", { verdict: verdictOf(0), plan: planWith({ highest: 2, last_high_at: now }) }, ["open_plan"]],
    ["an open question", { path: "llm_error", plan: planWith({ window: [{ level: 1, at: now }] }) }, ["open_plan"]],
    ["an unread language", { path: "llm_error", screened: screenedAs(0, unread) }, ["unread_language"]],
    ["an unread text", { path: "llm_error", screened: screenedAs(0, { ...unread, why_degraded: "too_long" }) }, ["too_long"]],
    ["a failed screen", { screened: undefined, verdict: verdictOf(0) }, ["screen_failed"]],
    ["a failed screen beside a verdict", { screened: undefined, verdict: verdictOf(2) }, ["classifier", "screen_failed"]],
    ["sadness of a minor", { verdict: verdictOf(0), screened: screenedAs(0, { distress: true }), profile: "minor" }, ["distress"]],
    ["not safe, as asked", { plan: planWith({ last_asked: "safe" }), screened: screenedAs(0, { answer: "no" }) }, ["answer"]],
  ])("names what the level rests on: %s", (_name, findings, grounds) => {
    expect(decide(findings).grounds).toEqual(grounds);
  });

  test("says where it comes from, and why", () => {
    expect(decide({ screened: undefined }).path).toBe("screen_error");
    expect(decide({ screened: screenedAs(3, { concepts: ["means_in_hand", "kill_self"] }), path: "static" })).toMatchObject({
      ...{ path: "static", reason_code: "means", quality: "full" },
    });
    expect(decide({ screened: screenedAs(2, { matches: soft }), verdict: idiom })).toMatchObject({
      reason_code: "idiom",
      level_llm: 0,
      level_deterministic: 2,
    });
    expect(decide({ screened: screenedAs(2, { matches: hard, concepts: ["ideation"] }), verdict: idiom })).toMatchObject({ reason_code: "ideation" });
    expect(decide({ path: "llm_timeout" })).toMatchObject({ quality: "degraded", path: "llm_timeout" });
    expect(decide({ verdict: verdictOf(0) })).toMatchObject({ quality: "full", reason_code: "none", risk_types: [] });
    expect(decide({ verdict: verdictOf(2, { risk_types: ["suicide"], reason_code: "ideation" }) })).toMatchObject({
      risk_types: ["suicide"],
      reason_code: "ideation",
    });
  });

  test("asks the writer about themselves where it is not certain that it is somebody else", () => {
    expect(decide({ verdict: verdictOf(2, { subject: "other" }) }).subject).toBe("other");
    expect(decide({ screened: screenedAs(1, { subject: "other" }), verdict: verdictOf(1, { subject: "other" }) }).subject).toBe("other");
    expect(decide({ screened: screenedAs(1, { subject: "other" }), verdict: verdictOf(1) }).subject).toBe("self");
    expect(decide({ screened: screenedAs(1, { subject: "other" }), path: "llm_error" }).subject).toBe("other");
    expect(decide({ screened: screenedAs(2, { matches: hard }), verdict: verdictOf(3, { subject: "other" }) }).subject).toBe("self");
    const yes = screenedAs(2, { answer: "yes" });
    expect(decide({ screened: yes, path: "llm_error", plan: planWith({ subject: "other", last_asked: "suicide" }) }).subject).toBe("other");
    expect(decide({ screened: yes, path: "llm_error", plan: planWith({ last_asked: "means" }) })).toMatchObject({
      subject: "self",
      reason_code: "means",
    });
    expect(decide({ verdict: verdictOf(0), plan: planWith({ subject: "other", highest: 2, last_high_at: now, turns_since_high: 0 }) }).subject).toBe(
      "other",
    );
  });
});

const levels = fc.constantFrom<SafetyLevel[]>(0, 1, 2, 3);
const matches = fc.subarray([...soft, ...hard]);
const screens = fc
  .record({ level: levels, matches, distress: fc.boolean(), subject: fc.constantFrom("self" as const, "other" as const) })
  .map(({ level, ...rest }) => screenedAs(level, { ...rest, matches: level === 0 ? [] : rest.matches }));
const verdicts = fc.record<ClassifierVerdict>({
  level: levels,
  confidence: fc.constantFrom("low", "medium", "high"),
  risk_types: fc.constant([]),
  subject: fc.constantFrom("self", "other"),
  reason_code: fc.constantFrom<ReasonCode[]>(...reasonCodes),
  evidence_span: fc.constantFrom("", text, "killing me", "something else"),
});
const plans = fc.option(
  fc
    .record({ window: fc.array(levels, { maxLength: 10 }), since: fc.integer({ min: 0, max: 12 }), ago: fc.integer({ min: -1e9, max: 1e9 }) })
    .map(({ window, since, ago }): CrisisPlan =>
      planWith({ window: window.map((level) => ({ level, at: now })), highest: 2, turns_since_high: since, last_high_at: now - ago }),
    ),
  { nil: undefined },
);
const failures = fc.constantFrom<Exclude<SafetyPath, "screen_error">[]>(
  "llm_timeout",
  "llm_error",
  "llm_invalid",
  "breaker_open",
  "deterministic_only",
);

describe("laws of combine", () => {
  test("no level above 0 is unexplained, and none is explained at 0", () => {
    const unreadOrNot = fc.tuple(screens, fc.constantFrom(undefined, ...(["language", "too_long"] as const))).map(([screened, why]) => ({
      ...screened,
      ...(why === undefined ? {} : { quality: "degraded" as const, why_degraded: why }),
    }));
    fc.assert(
      fc.property(
        fc.option(unreadOrNot, { nil: undefined }),
        fc.option(verdicts, { nil: undefined }),
        plans,
        fc.record({ limited: fc.boolean(), profile: fc.constantFrom("adult" as const, "minor" as const) }),
        (screened, verdict, plan, more) => {
          const { level, grounds } = decide({ ...more, text: "слова", screened, verdict, plan });
          return level > 0 === grounds.length > 0;
        },
      ),
    );
  });

  test("nothing but the one way down is ever below what was found", () => {
    fc.assert(
      fc.property(screens, verdicts, plans, (screened, verdict, plan) => {
        const { level, override } = decide({ screened, verdict, plan });
        if (level < verdict.level) return false;
        // A crisis of before keeps what was lowered at 1.
        const isLowered = override === "lowered" || (override === "sticky" && decide({ screened, verdict }).override === "lowered");
        return level >= screened.level || (isLowered && screened.matches.every(({ strength }) => strength === "soft"));
      }),
    );
  });

  test("a higher verdict never decides lower", () => {
    fc.assert(
      fc.property(screens, verdicts, levels, plans, (screened, verdict, other, plan) => {
        const [low, high] = [verdict.level, other].toSorted((left, right) => left - right) as [SafetyLevel, SafetyLevel];
        return (
          decide({ screened, verdict: { ...verdict, level: low }, plan }).level <=
          decide({ screened, verdict: { ...verdict, level: high }, plan }).level
        );
      }),
    );
  });

  test("a screen that finds more never decides lower, with the same words and no verdict, or one that cannot lower", () => {
    fc.assert(
      fc.property(screens, levels, fc.option(verdicts, { nil: undefined }), plans, (screened, more, verdict, plan) => {
        const level: SafetyLevel = more > screened.level ? more : screened.level;
        const unsure = verdict === undefined ? undefined : { ...verdict, confidence: "low" as const };
        return decide({ screened, verdict: unsure, plan }).level <= decide({ screened: { ...screened, level }, verdict: unsure, plan }).level;
      }),
    );
  });

  test("never 0 with a hard match, and never below 2 after a 3 of the screen", () => {
    fc.assert(
      fc.property(screens, fc.option(verdicts, { nil: undefined }), plans, failures, (screened, verdict, plan, path) => {
        const { level } = decide({ screened, verdict, plan, path: verdict === undefined ? path : "union" });
        if (screened.level === 3 && level < 2) return false;
        return !(screened.level > 0 && screened.matches.some(({ strength }) => strength === "hard")) || level >= screened.level;
      }),
    );
  });

  test("a classifier that fails lowers nothing: its absence is at least as careful as its 0", () => {
    fc.assert(
      fc.property(screens, verdicts, plans, failures, (screened, verdict, plan, path) => {
        const said0 = decide({ screened, verdict: { ...verdict, level: 0, reason_code: "idiom" }, plan });
        return decide({ screened, plan, path }).level >= said0.level;
      }),
    );
  });
});
