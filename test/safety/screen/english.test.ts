import { describe, expect, it } from "vitest";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";
import { examples, type Example } from "./english.ts";

const screen = createScreen([englishPack]);
const levels = examples.map((example) => ({ ...example, found: screen(example.text).level }));
const share = (of: readonly Example["level"][], from: number): number => {
  const some = levels.filter(({ level }) => of.includes(level));
  return some.filter(({ found }) => found >= from).length / some.length;
};

/** What an example may be found as: a wish that is passive, or a thought with its denial, may be taken for more; a past that is over may be asked about. */
function accepted({ level, kind }: Example): readonly number[] {
  if (level === 0) return kind === "past_recovered" ? [0, 1] : [0];
  if (level === 1) return [1, 2];
  return [2, 3];
}

/** Known to be told wrongly; the number may only fall. */
const mostWrong = 20;

describe("the screen on English examples", () => {
  it("case 23: finds distress, idioms and plans harmless, hints unclear, and disclosures grave", () => {
    const wrong = levels.filter((example) => !accepted(example).includes(example.found));
    expect(wrong.map(({ text, level, found }) => `${level}→${found} ${text}`).slice(mostWrong)).toEqual([]);
  });

  it("finds what is imminent or disclosed, and lets harmless talk be", () => {
    expect(share([2, 3], 2)).toBeGreaterThanOrEqual(0.95);
    expect(share([2, 3], 1)).toBeGreaterThanOrEqual(0.98);
    expect(share([3], 2)).toBeGreaterThanOrEqual(0.95);
    expect(share([1], 1)).toBeGreaterThanOrEqual(0.95);
    expect(share([0], 1)).toBeLessThanOrEqual(0.05);
    expect(share([0], 2)).toBeLessThanOrEqual(0.02);
  });
});

describe("what was asked before", () => {
  const asked = screen.contextOf([{ role: "assistant", text: "I want to ask you directly: are you thinking about suicide?" }]);

  it("is known from what the assistant said last", () => {
    expect(asked.asked).toBe("suicide");
    expect(screen.contextOf([{ role: "assistant", text: "What did you do today?" }]).asked).toBeUndefined();
  });

  it.each([
    ["yes", 2, "yes"],
    ["sometimes, yeah", 2, "yes"],
    ["I have been, every night", 2, "yes"],
    ["no, nothing like that", 0, "no"],
    ["no, I'm just tired", 0, "no"],
    ["why do you ask", 1, "evasion"],
    ["I don't want to talk about it", 1, "evasion"],
    ["the weather is nice", 1, "evasion"],
    ["no, but everyone would be better off without me", 1, "no"],
  ] as const)("%s", (text, level, answer) => {
    expect(screen(text, asked)).toMatchObject({ level, answer });
  });

  it("makes the third unclear turn of ten a disclosure", () => {
    const unclear = "I can't go on like this";
    expect(screen(unclear).level).toBe(1);
    const before = screen.contextOf([
      { role: "user", text: unclear },
      { role: "assistant", text: "That sounds heavy." },
      { role: "user", text: "there's nothing left for me" },
    ]);
    expect(before).toMatchObject({ highest: 1, unclear: 2 });
    expect(screen(unclear, before).level).toBe(2);
  });

  it("makes an act without its name imminent after a disclosure, and never clears one that is taken back", () => {
    const before = screen.contextOf([{ role: "user", text: "I want to die" }]);
    expect(before.highest).toBe(2);
    expect(screen("I'm doing it tonight", before).level).toBe(3);
    expect(screen("just kidding, forget it", before).level).toBe(1);
    expect(screen("just kidding, forget it").level).toBe(0);
    expect(screen("yes", { asked: "means", highest: 2 }).level).toBe(3);
    expect(screen("yes", { asked: "someone", highest: 2 }).level).toBe(0);
  });
});
