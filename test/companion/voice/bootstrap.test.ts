/** The instructions of a call: what they say, and what a budget leaves out. */
import { createRuntime, openStore, type Runtime, type Session } from "throughline";
import { expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { voiceBootstrap } from "../../../packages/companion/src/voice.ts";
import { policy, soul } from "../../../packages/companion/src/prompts/companion-prompts.ts";

async function companion(): Promise<Runtime> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion({ safety: { replyBy: "static" } })] });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    await store.close();
  });
  return runtime;
}

async function remembering(runtime: Runtime): Promise<Session> {
  const session = await runtime.sessions.open({ agent: "companion", customer: "ana" });
  await session.memory.savePreference("Keep your answers short.");
  await session.memory.remember({ quote: "my sister Nora lives in Graz" });
  await session.memory.remember({ quote: "I sing in a choir on Mondays" });
  return session;
}

test("has the character, the rules, and what is remembered, newest first", async () => {
  const session = await remembering(await companion());
  const { instructions, tokens, left_out } = await voiceBootstrap(session);
  for (const part of [soul, policy, "Keep your answers short.", "my sister Nora lives in Graz"]) expect(instructions).toContain(part);
  expect(instructions.indexOf("choir")).toBeLessThan(instructions.indexOf("Nora"));
  expect(instructions).toContain("They have not asked you to bring up what you remember.");
  expect(tokens).toBeLessThanOrEqual(1_200);
  expect(left_out).toBe(0);
  await session.memory.setRecall(true);
  expect((await voiceBootstrap(session)).instructions).not.toContain("They have not asked you");
});

test("keeps to its budget, and says how much it left out", async () => {
  const session = await remembering(await companion());
  for (let number = 0; number < 120; number += 1)
    await session.memory.remember({ quote: `fact number ${number} about the garden and its ${number} trees` });
  const { instructions, tokens, left_out } = await voiceBootstrap(session, { budget: 900 });
  expect(tokens).toBeLessThanOrEqual(900);
  expect(left_out).toBeGreaterThan(50);
  expect(instructions).toContain("fact number 119");
  expect(instructions).toContain("Keep your answers short.");
  expect(instructions).not.toContain("fact number 3 ");
});

test("leaves out what is never recalled, and in an incognito session everything", async () => {
  const runtime = await companion();
  const session = await remembering(runtime);
  const { items } = await session.memory.list({ kind: "fact" });
  await session.memory.neverRecall(items.find(({ text }) => text.includes("Nora"))?.entry_id ?? "");
  expect((await voiceBootstrap(session)).instructions).not.toContain("Nora");
  const secret = await runtime.sessions.create({ agent: "companion", customer: "ana", incognito: true });
  const { instructions } = await voiceBootstrap(secret);
  expect(instructions).not.toContain("choir");
  expect(instructions).not.toContain("What you know about them");
});

test("tells of a crisis that is not settled", async () => {
  const session = await remembering(await companion());
  expect((await voiceBootstrap(session)).instructions).not.toContain("moment of danger");
  await session.send("I want to kill myself");
  expect((await voiceBootstrap(session)).instructions).toContain("moment of danger");
});

test("refuses a budget that has no room for the rules", async () => {
  const session = await remembering(await companion());
  await expect(voiceBootstrap(session, { budget: 699 })).rejects.toThrow("The budget of a voice call is at least 700 tokens, got 699.");
});
