/** Parts of long texts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptOf } from "../../../packages/throughline/src/memory/recall/recall.ts";

const rain = "The rain went on. ".repeat(40);
const regen = "外面一直在下雨。".repeat(60);

describe("the excerpt of a long text", () => {
  it.each([
    ["in the middle", `${rain}Ana plays the cello. ${rain}`, "What does Ana play, the cello?", "Ana plays the cello."],
    ["at the end", `${rain}Ana plays the cello.`, "cello", "Ana plays the cello."],
    ["in another form of the word", `${rain}She practises every morning. ${rain}`, "how is her practising?", "She practises every morning."],
    ["without spaces between words", `${regen}小安拉大提琴。${regen}`, "小安拉什么琴？大提琴吗？", "小安拉大提琴。"],
    ["rather than where a usual word stands", `${rain}The old cello broke. ${rain}`, "did the rain break the cello?", "The old cello broke."],
  ])("has what was asked: %s", (_name, text, asked, expected) => {
    const part = excerptOf(text, asked, 200);
    expect(part).toContain(expected);
    expect(part.startsWith("… ")).toBe(true);
  });

  it("is the beginning where nothing was asked that it says, and the whole of a short text", () => {
    expect(excerptOf(rain, "submarine", 60)).toMatch(/^The rain went on\..* …$/);
    expect(excerptOf("short", "x", 60)).toBe("short");
  });

  it("is a piece of the text, word for word, no longer than asked, and well-formed", () => {
    const words = fc.array(fc.constantFrom("rain", "cello", "Ana.", "🎻", "雨", "\n", "e\u0301"), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(words, fc.integer({ min: 5, max: 80 }), (text, most) => {
        const whole = text.join(" ");
        const part = excerptOf(whole, "cello 雨", most);
        const bare = part.replace(/^… /u, "").replace(/ …$/u, "");
        expect(whole).toContain(bare);
        expect(bare.length).toBeLessThanOrEqual(Math.max(most, whole.length <= most ? whole.length : 0));
        expect(part.isWellFormed()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
