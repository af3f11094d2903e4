import { describe, expect, it } from "vitest";
import { rulePacks as packs } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";

describe("the companion's packs", () => {
  it.each(packs.map((pack) => [pack.language, pack] as const))("%s compiles, and says what it covers", (language, pack) => {
    expect(createScreen([pack]).versions).toEqual({ [language]: pack.version });
    expect(pack.coverage.length).toBeGreaterThan(20);
  });

  it("compile together, and none finds anything in a plain greeting of another", () => {
    const screen = createScreen(packs);
    for (const greeting of [
      "Hello, how are you?",
      "Hola, ¿qué tal?",
      "Bonjour, ça va ?",
      "Hallo, wie geht es dir?",
      "नमस्ते, कैसे हो?",
      "你好，今天天气很好",
      "مرحبا، كيف حالك؟",
    ])
      expect([greeting, screen(greeting).level]).toEqual([greeting, 0]);
  });
});
