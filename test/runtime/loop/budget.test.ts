/** Budgets in real turns: what they stop, when, and what is on record of it. */
import { describe, expect, test } from "vitest";
import {
  defineTool,
  exitOn,
  hook,
  ThroughlineError,
  type Budget,
  type Clock,
  type LoopOptions,
  type Script,
} from "../../../packages/throughline/src/index.ts";
import { systemClock } from "../../../packages/throughline/src/kernel/clock.ts";
import { fixedClock, type FixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { collect, started } from "../harness.ts";
import { calling, conversation, scriptedAgent } from "./harness.ts";

const ran: string[] = [];
const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  effects: "none",
  execute: () => {
    ran.push("look");
    return "seen";
  },
});
/** A tool that works until it is told to end; 100 milliseconds pass once it has begun. */
const slowOn = (clock: FixedClock) =>
  defineTool({
    name: "slow",
    description: "Waits.",
    parameters: { type: "object", properties: {} },
    effects: "none",
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        clock.advance(100);
      }),
  });
const prices = { scripted: { input: 1, output: 10 } };
const forever =
  (usage: object): Script =>
  () => ({ ...calling(["look"]), usage });

async function talk(script: Script, budget: Budget, loop: Partial<LoopOptions> = {}): Promise<ReturnType<typeof ask>> {
  return ask(await conversation(script, { agent: { budget }, loop: { tools: [look], ...loop } }));
}
async function ask({ session, model }: Awaited<ReturnType<typeof conversation>>) {
  const outcome = await session.send("?");
  const events = await collect(session);
  const steps = events.flatMap(({ kind, data }) => (kind === "turn" && data.type === "step" ? [data] : []));
  const signals = events.flatMap(({ kind, data }) => (kind === "turn" && data.type === "signal" ? [data] : []));
  return { outcome, steps, signals, asked: model.requests.length };
}

describe("a budget", () => {
  test("111: of tokens stops after the step that passes it, before another model is asked, and skips what that step calls", async () => {
    ran.length = 0;
    const { outcome, asked } = await talk(forever({ input: 5, output: 5 }), { tokens: 25 });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason: "token_limit" }, 3]);
    expect(ran).toEqual(["look", "look"]);
  });

  test("of tokens counts those of a kind", async () => {
    const { outcome, asked } = await talk(forever({ input: 5, cache_read: 50 }), { tokens: { total: 1000, cache_read: 100 } });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason: "token_limit" }, 2]);
  });

  test("of cost asks no model for which it has no room, and puts on record what each call did cost", async () => {
    const usage = { input: 1000, output: 500 };
    const { outcome, steps, signals, asked } = await talk(forever(usage), { cost: 0.02 }, { prices, maxOutputTokens: 1000 });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason: "cost_limit" }, 2]);
    expect(steps.map(({ cost }) => cost)).toEqual([0.006, 0.006]);
    expect(signals).toMatchObject([{ reason: "cost_limit", source: "budget", context: { cost: 0.012, maxCost: 0.02, reserved: 0 } }]);
  });

  test("of cost needs a price, without which it would limit nothing", async () => {
    for (const given of [{}, { another: { input: 1, output: 1 } }]) {
      const { outcome, asked } = await talk(["x"], { cost: 1 }, { prices: given });
      expect([outcome, asked]).toMatchObject([{ status: "failed", error: { code: "budget.invalid", details: { model: "scripted" } } }, 0]);
    }
    expect((await talk(["free"], { cost: 1 }, { prices: { scripted: { input: 0, output: 0 } } })).outcome).toMatchObject({ reply: "free" });
  });

  test("with prices that are none is refused when the loop is made", async () => {
    const wrong = talk(["x"], {}, { prices: { scripted: { input: 1 } } as unknown as LoopOptions["prices"] as never });
    await expect(wrong).rejects.toThrow(expect.objectContaining({ code: "budget.invalid" }));
  });

  test.each<[string, Budget, string]>([
    ["113", { tokens: 0 }, "token_limit"],
    ["116", { seconds: 0 }, "time_limit"],
    ["126", { cost: 0, deadline: 1 }, "cost_limit"],
    ["126", { deadline: 1 }, "deadline"],
  ])("%s: %j asks no model", async (_case, budget, reason) => {
    const { outcome, asked } = await talk(["x"], budget, { prices });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason }, 0]);
  });

  test.each<[string, (now: number) => Budget]>([
    ["time_limit", () => ({ seconds: 0.1 })],
    ["deadline", (now) => ({ deadline: now + 100 })],
  ])("of time ends a tool in the middle: %s", async (reason, budgetAt) => {
    const clock = fixedClock();
    const budget = budgetAt(clock.now());
    const { outcome, asked } = await ask(await conversation(() => calling(["slow"]), { agent: { budget }, loop: { tools: [slowOn(clock)] }, clock }));
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason }, 1]);
  });

  test("096: of attempts lets a failing model be asked so often, and no more", async () => {
    const failing: Script = () => ({ text: [], error: new ThroughlineError("model.failed") });
    const { outcome, asked } = await talk(failing, { attempts: 2 });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason: "attempts_limit" }, 2]);
    let calls = 0;
    const recovering: Script = () => ((calls += 1) <= 2 ? { text: [], error: new ThroughlineError("model.failed") } : "there");
    expect((await talk(recovering, { attempts: 3 })).outcome).toMatchObject({ status: "completed", reply: "there" });
  });

  test("of steps counts those that a hook has answered in place of a model", async () => {
    const standIn = hook("stand-in", { onError: () => ({ fallback: "Nobody is there." }) });
    const failing: Script = () => ({ text: [], error: new ThroughlineError("model.failed") });
    const { outcome, asked } = await talk(failing, { steps: 3 }, { hooks: [standIn], exit: exitOn.tools("look") });
    expect([outcome, asked]).toMatchObject([{ status: "stopped", reason: "steps_limit" }, 3]);
  });

  test("of time loses nothing, and breaks nothing, when the clock is set back in the middle of a call", async () => {
    let behind = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() - behind };
    const { agent } = scriptedAgent(
      () => {
        behind += 60_000;
        return behind > 120_000 ? "done" : { ...calling(["look"]), usage: { input: 1 } };
      },
      { agent: { budget: { seconds: 60, steps: 5 } }, loop: { tools: [look] } },
    );
    const runtime = await started({ agents: [agent], clock });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "done" });
    const steps = (await collect(session)).flatMap(({ kind, data }) => (kind === "turn" && data.type === "step" ? [data.ms] : []));
    expect(steps).toHaveLength(3);
    expect(steps.every((ms) => ms >= 0 && ms < 10_000)).toBe(true);
  });
});
