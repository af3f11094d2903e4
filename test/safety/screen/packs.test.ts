import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createScreen, type RulePack } from "../../../src/safety.ts";

const folder = new URL("../../../agents/companion/safety/packs/", import.meta.url);
const isPack = (value: unknown): value is RulePack => typeof value === "object" && value !== null && "language" in value && "concepts" in value;

async function packsIn(file: string): Promise<readonly RulePack[]> {
  const module: unknown = await import(new URL(file, folder).href);
  return typeof module === "object" && module !== null ? Object.values(module).filter(isPack) : [];
}

const files = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
const packs = (await Promise.all(files.map(packsIn))).flat();

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
