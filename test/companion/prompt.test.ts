import { promptMatrix } from "throughline/context";
import { describe, expect, it } from "vitest";
import { responseStyles, type ResponseStyle } from "../../packages/companion/src/contract.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { approachTexts, identity, overlaysOf, policy, soul, styleShown, styleTexts } from "../../packages/companion/src/prompts/companion-prompts.ts";
import * as guidance from "../../packages/companion/src/prompts/companion-prompts.ts";

const rows = promptMatrix(createCompanion());
const conversing = { guidance: true, session_stage: true, memory: true, "recent history": true, "current message": true };
const checking = { guidance: true, session_stage: false, memory: false, "recent history": true, "current message": true };
const matrix: Readonly<Record<ResponseStyle, Readonly<Record<string, boolean>>>> = {
  supportive: conversing,
  reflective: conversing,
  psychoeducation: conversing,
  technique: conversing,
  guided_exercise: conversing,
  closing: conversing,
  clarifying: checking,
  safety_check: checking,
  crisis_response: checking,
  memory_control: { guidance: false, session_stage: false, memory: false, "recent history": false, "current message": true },
  grounded_lookup: { guidance: false, session_stage: false, memory: false, "recent history": true, "current message": true },
};

const cellsFor = (style: string | null) => rows.find((row) => row.style === style)?.cells ?? [];
const seen = (style: string | null, part: string): boolean | undefined => cellsFor(style).find((cell) => cell.part === part)?.seen;

describe("the prompt-injection matrix", () => {
  it.each(Object.entries(matrix).flatMap(([style, cells]) => Object.entries(cells).map(([part, expected]) => [style, part, expected] as const)))(
    "%s sees %s: %s",
    (style, part, expected) => expect(seen(style, part)).toBe(expected),
  );
  it("has a row for every style, and what every style sees for a value that is none", () => {
    expect(rows.map(({ style }) => style)).toEqual([...responseStyles, null]);
    expect(cellsFor(null).flatMap(({ part, seen: isSeen }) => (isSeen ? [part] : []))).toEqual([
      "soul",
      "identity",
      "policy",
      "style",
      "current message",
    ]);
  });
  it("shows a lookup four messages of before, and a talk twenty", () => {
    const window = (style: string) => cellsFor(style).find(({ part }) => part === "recent history")?.window;
    expect([window("grounded_lookup"), window("supportive"), window("memory_control")]).toEqual([4, 20, 0]);
  });
  it.each([["safety_check"], ["crisis_response"]])("keeps the person's rules of manner, and what they wished for recall, out of %s", (style) => {
    expect([seen(style, "procedural_rules"), seen(style, "recall"), seen(style, "session_memory"), seen(style, "exercise")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
  it("puts the rules of the person last of all that speaks of manner", () => {
    const parts = cellsFor("supportive").map(({ part }) => part);
    expect(parts.indexOf("procedural_rules")).toBeGreaterThan(
      Math.max(...["style", "approach", "guidance", "session_stage", "memory"].map((part) => parts.indexOf(part))),
    );
  });
});

describe("overlays", () => {
  it.each([
    ["supportive", "none", ["motivational_interviewing"]],
    ["supportive", "act", ["act"]],
    ["technique", "none", []],
    ["technique", "cbt", ["cbt"]],
    ["clarifying", "cbt", []],
    ["closing", "cbt", []],
    ["crisis_response", "cbt", ["pfa", "dbt_skills"]],
  ] as const)("%s with %s has %j", (style, approach, overlays) => expect(overlaysOf(style, approach)).toEqual(overlays));
  it("takes technique without an approach for support", () => {
    expect(styleShown("technique", "none")).toBe("supportive");
    expect(styleShown("technique", "act")).toBe("technique");
  });
});

describe("the words of the prompt", () => {
  const texts = [soul, identity, policy, ...Object.values(styleTexts), ...Object.values(approachTexts), ...Object.values(guidance).flatMap(wordsOf)];
  it("never speak of what the companion is not", () => {
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.filter((text) => /therap|treatment|diagnos|patient|clinical/i.test(text))).toEqual([]);
  });
  it("give no number that could be called, and no link", () => expect(texts.filter((text) => /\d{3}|https?:/u.test(text))).toEqual([]));
});

function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [String((value as (name: string, step: number) => unknown)("x", 1))];
  return Object.values(value as object).flatMap(wordsOf);
}
