/** What a person takes back in plain words is no longer recalled; what they say instead is. */
import { createRuntime, openStore } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { correctionIn } from "../../packages/companion/src/dispatch/memory-correction.ts";

describe("a correction in a message", () => {
  test.each([
    ["actually it's neuroscience, not biology", ["I study biology in Leeds"], { old: "biology", value: "neuroscience" }],
    ["actually it is neuroscience", ["I study biology"], { old: "biology", value: "neuroscience" }],
    ["no, my sister's name is Ana", ["my sister's name is Anna"], { old: "Anna", value: "Ana" }],
    ["Ich heiße Jonas, nicht Jonathan", ["hallo"], { old: "Jonathan", value: "Jonas" }],
    ["en realidad no soy de Sevilla, soy de Cádiz", ["soy de Sevilla"], { old: "Sevilla", value: "Cádiz" }],
    ["non, ma fille s'appelle Inès, pas Agnès", ["bonjour"], { old: "Agnès", value: "Inès" }],
    ["不对，我妹妹叫小玉", ["我妹妹叫小雨"], { old: "小雨", value: "小玉" }],
  ])("%s", async (message, texts, correction) => expect(await correctionIn(message, texts, new AbortController().signal)).toMatchObject(correction));

  test.each([
    ["no, my mother does not know about it", ["my mother called"]],
    ["actually, can you look it up?", ["I study biology"]],
    ["I am not well", ["I am well"]],
    ["no", ["I study biology"]],
  ])("%s is none", async (message, texts) => expect(await correctionIn(message, texts, new AbortController().signal)).toBeUndefined());
});

test("what was corrected is remembered as corrected, in this conversation and in the next", async () => {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "priya" });
  for (const text of [
    "I study biology in Leeds.",
    "Actually it's neuroscience, not biology.",
    "my sister's name is Anna",
    "no, my sister's name is Ana",
  ])
    await session.send(text);
  expect((await session.send("what's my sister's name?")).reply).toContain("Ana.");
  const { items } = await session.memory.list({ limit: 100 });
  const recalled = items.filter(({ entry }) => !("never_recall" in entry && entry.never_recall)).map(({ text }) => text);
  expect(recalled.some((text) => text.includes("I study biology"))).toBe(false);
  expect(recalled.some((text) => text.includes("name is Anna"))).toBe(false);
  await session.closeEpisode();
  const facts = (await runtime.customers.memory("priya").list({ kind: "fact", limit: 100 })).items.filter(({ in_force }) => in_force);
  expect(facts.some(({ text }) => text.includes("neuroscience"))).toBe(true);
  expect(facts.some(({ entry }) => "object" in entry && entry.object.id.includes("biology"))).toBe(false);
});
