import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readSafetyBaseline } from "../../eval/safety/baseline.ts";
import { confusion, figuresOf, type Outcome } from "../../eval/safety/figures.ts";
import { dropGate, safetyGates } from "../../eval/safety/gates.ts";
import { bound, mcnemar, wilson } from "../../eval/safety/interval.ts";
import { naive, tiered } from "../../eval/safety/keywords.ts";
import {
  BadMessages,
  everydayMessages,
  fittingMessages,
  type Labelled,
  labelledIn,
  ownMessages,
  sealedMessages,
  secondLabels,
  splitOf,
} from "../../eval/safety/labelled.ts";
import { rewritings, stability } from "../../eval/safety/noise.ts";
import { placed } from "../../eval/safety/recipe.ts";
import { outcomesOf, product } from "../../eval/safety/report.ts";
import { messageSets, setGates, setTable } from "../../eval/safety/sets.ts";
import { safetyTable } from "../../eval/safety/table.ts";
import { safetyReport } from "../../eval/safety/report.ts";
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";

const own = ownMessages();
const share = (some: readonly unknown[]): number => some.length / own.length;

const message = (level: SafetyLevel, place: number): Labelled => ({
  ...{ id: `m${place}`, text: "", language: "en", slice: "none", before: [], split: "dev" },
  level,
});
describe("our own messages", () => {
  it("are enough, in every language, evenly over the levels, and each has an id of its own", () => {
    expect(own.length).toBeGreaterThanOrEqual(480);
    expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
    expect([...new Set(own.map(({ language }) => language))].toSorted()).toEqual(["ar", "de", "en", "es", "fr", "hi", "hi-Latn", "id", "pt", "zh"]);
    for (const level of [0, 1, 2, 3]) expect(share(own.filter((one) => one.level === level))).toBeGreaterThan(0.15);
    expect(share(own.filter(({ language }) => language === "en"))).toBeCloseTo(0.48, 1);
  });
  it("are halved by their ids alone", () => {
    expect(share(own.filter(({ split }) => split === "dev"))).toBeCloseTo(0.5, 1);
    expect(own.every(({ id, split }) => split === splitOf(id))).toBe(true);
  });
});

describe("the other sets", () => {
  const everyday = everydayMessages();
  it("have ids of their own, in ten languages, and everyday talk is enough and harmless", () => {
    const all = [...own, ...everyday, ...fittingMessages(), ...sealedMessages()];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(new Set(everyday.map(({ language }) => language)).size).toBe(10);
    expect(everyday.length).toBeGreaterThanOrEqual(1_500);
    expect(everyday.filter(({ level }) => level > 0)).toEqual([]);
  });
  it("keep a scene in one half and in one part of a cross-validation, whatever its language", () => {
    const parts = Map.groupBy(placed(everyday), ({ message }) => message.scene);
    expect(parts.size).toBeGreaterThan(100);
    for (const some of parts.values()) {
      expect(new Set(some.map(({ part }) => part)).size).toBe(1);
      expect(new Set(some.map(({ message }) => message.split)).size).toBe(1);
    }
    expect(new Set(placed(everyday).map(({ part }) => part)).size).toBe(5);
  });
  it("place neighbors of a file together", () => {
    const some = placed(Array.from({ length: 10 }, (_, place) => ({ ...message(0, place), id: `varied-${place}` })));
    expect(some.map(({ part }) => part)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });
  it("are sealed by hashes that are older than the weights", () => {
    const folder = new URL("../../eval/safety/sealed/", import.meta.url);
    const lines = readFileSync(new URL("SHA256", folder), "utf8").trim().split("\n");
    expect(lines).toHaveLength(10);
    for (const line of lines) {
      const [hash, name = ""] = line.split(/\s+/u);
      expect(
        createHash("sha256")
          .update(readFileSync(new URL(name, folder)))
          .digest("hex"),
      ).toBe(hash);
    }
  });
  it("hold everyday talk to its limits", () => {
    const outcomes = messageSets.everyday.outcomes();
    expect(setGates("everyday", outcomes).filter(({ ok }) => !ok)).toEqual([]);
    const alarmed = outcomes.map((one): Outcome => ({ ...one, got: 2 }));
    expect(setGates("everyday", alarmed).filter(({ ok }) => ok)).toEqual([]);
    expect(setTable("everyday", outcomes)).toMatch(/0 at ≥1 +\d\.\d +\[\d\.\d, \d\.\d\] +at most \d\.\d/u);
  });
});

describe("the screen on our own messages", () => {
  const outcomes = outcomesOf(product, own);
  it("is above its floors, steady under noise, and no worse than it was", () => {
    const rewritten = stability(
      product,
      own.filter(({ split }, place) => split === "dev" && place % 3 === 0),
    )["all"];
    const gates = safetyGates(outcomes, rewritten ?? expect.fail("nothing was rewritten"), readSafetyBaseline());
    expect(gates.filter(({ ok }) => !ok)).toEqual([]);
    expect(gates).toHaveLength(14);
  });
  it("finds more, and raises fewer false alarms, than lists of words do", () => {
    const { recall, false_alarm } = figuresOf(outcomes);
    for (const list of [naive, tiered]) {
      const words = figuresOf(outcomesOf(list, own));
      expect(recall.low).toBeGreaterThan(words.recall.high);
      expect(false_alarm.percent).toBeLessThan(words.false_alarm.percent);
    }
  });
  it("is held to the baseline: a screen that went blind is seen", () => {
    const levels = Object.fromEntries(outcomes.map(({ message, got }) => [message.id, got]));
    const blind = outcomes.map((one): Outcome => ({ ...one, got: 0 }));
    expect(dropGate("recall", blind, { levels }).ok).toBe(false);
    expect(dropGate("recall", outcomes, { levels })).toMatchObject({ ok: true, value: "-0 +0" });
    const alarmed = outcomes.map((one): Outcome => ({ ...one, got: 3 }));
    expect(dropGate("false_alarm", alarmed, { levels }).ok).toBe(false);
    expect(dropGate("recall", alarmed, { levels }).ok).toBe(true);
  });
});

const given = (pairs: readonly (readonly [level: SafetyLevel, got: SafetyLevel])[]): readonly Outcome[] =>
  pairs.map(([level, got], place) => ({ message: message(level, place), got }));

describe("the figures", () => {
  const outcomes = given([
    ...([
      [3, 3],
      [3, 1],
      [2, 3],
      [2, 0],
    ] as const),
    ...([
      [1, 1],
      [0, 0],
      [0, 2],
      [0, 1],
    ] as const),
  ]);
  it.each([
    ["recall", 2, 4],
    ["any_flag", 3, 4],
    ["imminent", 1, 2],
    ["imminent_exact", 1, 2],
    ["asked", 1, 1],
    ["precision", 2, 3],
    ["false_flag", 2, 3],
    ["false_alarm", 1, 3],
  ] as const)("%s is %i of %i", (name, hits, of) => expect(figuresOf(outcomes)[name]).toMatchObject({ hits, of }));
  it("count every message once", () =>
    expect(confusion(outcomes)).toEqual([
      [1, 1, 1, 0],
      [0, 1, 0, 0],
      [1, 0, 0, 1],
      [0, 1, 0, 1],
    ]));
  it.each([
    [8, 10, 0.4902, 0.9433],
    [0, 75, 0, 0.0487],
    [75, 75, 0.9513, 1],
    [0, 0, 0, 1],
  ])("%i of %i lies between %d and %d", (hits, of, low, high) => {
    const [from, to] = wilson(hits, of);
    expect([from, to].map((bound) => Math.round(bound * 1e4) / 1e4)).toEqual([low, high]);
  });
  it("has a bound to one side, as the share has to both", () => {
    expect(bound(0, 300, "high")).toBeCloseTo(0.0089, 4);
    expect(bound(10, 10, "low")).toBeCloseTo(0.7871, 4);
    expect(bound(3, 0, "low")).toBe(0);
  });
  it.each([
    [0, 0, 1],
    [5, 0, 1 / 32],
    [10, 2, 79 / 4096],
    [0, 4, 1],
  ])("%i worse and %i better has p %d", (worse, better, p) => expect(mcnemar(worse, better)).toBeCloseTo(p, 10));
  it("are printed whole", () => {
    const table = safetyTable(safetyReport(own.slice(0, 40)));
    for (const part of ["95 % bounds by Wilson", "label", "naive list of words", "same level when rewritten", "99th percentile"])
      expect(table).toContain(part);
  });
});

describe("a file of messages", () => {
  const line = (more: object): string => JSON.stringify({ text: "yes", level: 2, ...more });
  it.each([
    ["a text", "Are you thinking about suicide?"],
    ["a list of texts", ["hi", "Are you thinking about suicide?"]],
    ["messages with a text", [{ role: "assistant", text: "Are you thinking about suicide?" }]],
    ["messages with a content", [{ role: "assistant", content: "Are you thinking about suicide?" }]],
  ])("may say what was said before as %s", (_, context) => {
    const [one] = labelledIn(line({ context }), "file");
    expect(product(one ?? expect.fail("no message"))).toBe(2);
  });
  it("needs neither id, language, slice nor context", () =>
    expect(labelledIn(`\u{feff}${line({})}\n\n`, "file")).toMatchObject([{ id: "file:1", language: "unknown", slice: "none", before: [] }]));
  it.each([["{"], ['{"text":"x"}'], ['{"text":"x","level":9}'], ['{"level":1}']])("is refused by its line: %s", (bad) =>
    expect(() => labelledIn(`${line({})}\n${bad}`, "file")).toThrow(BadMessages),
  );
});

describe("noise", () => {
  it.each([
    ["upper_case", "I CANNOT SLEEP"],
    ["zero_width", "I ca\u{200b}nn\u{200b}ot sl\u{200b}ee\u{200b}p"],
    ["spacing", "  I   cannot   sleep \n"],
    ["typo", "I acnnot sleep"],
  ] as const)("%s changes how it is written alone", (name, expected) => {
    const written = rewritings[name]("I cannot sleep", 0);
    const letters = (text: string): string => (name === "typo" ? text.split("").toSorted().join("") : text);
    expect(letters(written)).toBe(letters(expected));
  });
});

describe("the labels of a second reader", () => {
  const sets = { everyday: everydayMessages(), fitting: fittingMessages(), sealed: sealedMessages() };
  const pairs = secondLabels().map(({ set, id, level }) => ({ set, first: sets[set].find((one) => one.id === id)?.level, second: level }));

  it("are each of a message that is there, and are counted on the page as they are", () => {
    expect(pairs.filter(({ first }) => first === undefined)).toEqual([]);
    const page = readFileSync(new URL("../../docs/how-to/evaluation.md", import.meta.url), "utf8");
    const counted = (isSealed: boolean): string => {
      const some = pairs.filter(({ set }) => (set === "sealed") === isSealed);
      const of = (count: number): string => count.toLocaleString("en");
      return `${of(some.filter(({ first, second }) => first === second).length)} of ${isSealed ? "the " : ""}${of(some.length)}`;
    };
    for (const isSealed of [true, false]) expect(page).toContain(counted(isSealed));
  });
});
