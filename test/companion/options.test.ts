/** What a companion is made of, wrong: it is refused where it is written down, and not in the turn of a person who needs it. */
import { defineTool, openStore } from "throughline";
import { expect, it } from "vitest";
import { type CompanionOptions, createCompanion } from "../../packages/companion/src/create-companion.ts";
import { createCompanionRuntime, type MemoryMode } from "../../packages/companion/src/companion-runtime.ts";
import { skill, type SkillOptions } from "../../packages/companion/src/skills.ts";
import { control } from "./support.ts";

it.each<readonly [what: string, options: unknown]>([
  ["search", { search: "brave" }],
  ["search", { search: {} }],
  ["search", { search: { search: () => [] } }],
  ["models.control", { models: { control: {} } }],
  ["models.control", { models: { control: "large" } }],
  ["models.response", { models: { response: null } }],
  ["models.classifier", { models: { classifier: 3 } }],
  ["dispatchMs", { dispatchMs: 0 }],
  ["dispatchMs", { dispatchMs: Number.NaN }],
])("%s, wrong, is refused: %j", (path, options) => {
  expect(() => createCompanion(options as CompanionOptions)).toThrow(expect.objectContaining({ code: "agent.invalid", details: { path } }) as Error);
});

it.each<unknown>(["sleep", [{ name: "sleep", tools: ["read_diary"] }], [null]])("skills that are none are refused: %j", (skills) => {
  expect(() => createCompanion({ skills } as CompanionOptions)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
});
it.each<unknown>([{ tools: ["read_diary"] }, { tools: [null] }, { section: 5 }, { section: " " }])(
  "a skill of wrong parts is refused: %j",
  (parts) => {
    expect(() => skill({ name: "sleep", ...(parts as Partial<SkillOptions>) })).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  },
);
it("one tool may belong to two skills", () => {
  const diary = defineTool({
    ...{ name: "read_diary", description: "Reads the diary.", parameters: { type: "object", properties: {}, additionalProperties: false } as const },
    execute: () => "nothing",
  });
  const skills = [skill({ name: "sleep", tools: [diary] }), skill({ name: "mood", tools: [diary] })];
  expect(createCompanion({ models: { control: control() }, skills }).name).toBe("companion");
});

it("a memory mode that is misspelled is refused, and does not remember everything", async () => {
  const store = await openStore(":memory:");
  await expect(createCompanionRuntime({ store, memoryMode: "incognitto" as MemoryMode })).rejects.toMatchObject({
    code: "input.invalid",
    details: { path: "memoryMode" },
  });
  await store.close();
});
