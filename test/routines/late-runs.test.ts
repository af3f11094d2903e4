/** K16: a run does nothing after its deadline, also before the worker has looked at it. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, openStore, reduced, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";

const State = defineState({ message: input(z.string()), count: reduced(z.number(), { initial: 0 }), ...routineFields() });

async function opened() {
  const clock = fixedClock();
  const store = await openStore(":memory:", { clock });
  let paid = 0;
  let emitMs = 0;
  const parameters = z.object({});
  const nap = defineTool({ name: "nap", description: "Naps.", parameters, effects: "none", execute: () => (clock.advance(2_000), { count: 1 }) });
  const pay = defineTool({ name: "pay", description: "Pays.", parameters, effects: "once", execute: () => void (paid += 1) });
  const refund = defineTool({
    ...{ name: "refund", description: "Pays back.", parameters, effects: "once", approval: true },
    execute: () => void (paid += 1),
  });
  const given = { title: "R", state: State, autonomous: { timeout_seconds: 1 }, output: z.object({ ok: z.boolean() }) } as const;
  const emit = { emit_output: { output: () => (clock.advance(emitMs), { ok: true }) } } as const;
  const toPay = { pay: { tool: { name: "pay" }, next: "emit" }, emit } as const;
  const napping = defineRoutine({
    ...{ ...given, id: "napping" },
    nodes: { nap: { tool: { name: "nap", result: { count: { from: "result.count" } } }, next: "pay" }, ...toPay },
  });
  const waiting = defineRoutine({ ...given, id: "waiting", nodes: { hold: { wait: { event: "go" }, next: "pay" }, ...toPay } });
  const sleeping = defineRoutine({ ...given, id: "sleeping", nodes: { hold: { wait: { seconds: 2 }, next: "pay" }, ...toPay } });
  const paying = defineRoutine({ ...given, id: "paying", nodes: toPay });
  const asking = defineRoutine({ ...given, id: "asking", nodes: { refund: { tool: { name: "refund" }, next: "emit" }, emit } });
  const extension = routines({ routines: [napping, waiting, sleeping, paying, asking], tools: [nap, pay, refund] });
  const agent = defineAgent({ name: "desk", state: State, extensions: [extension], reply: loop({ model: scripted(() => "Certainly.") }) });
  const open = (work: boolean) => started({ agents: [agent], pollMs: 86_400_000, clock, store, work });
  const runtime = await open(true);
  const session = await runtime.sessions.create({ agent: "desk" });
  const ended = async (id: string) => {
    await expect.poll(async () => (await runtime.runs.get(id)).finished_at, { timeout: 10_000 }).toBeDefined();
    return runtime.runs.get(id);
  };
  const statusOf = async (id: string) => (await runtime.runs.get(id)).status;
  const late = { status: "failed", error: { code: "timeout" } };
  const position = () => session.extension(extension).position();
  return {
    ...{ runtime, session, extension, clock, open, ended, statusOf, late, position, napping, waiting, sleeping, paying, asking },
    paid: () => paid,
    emitFor: (ms: number) => void (emitMs = ms),
  };
}

describe("K16: a run at its deadline", () => {
  it("makes no call after a call that took too long, and writes nothing of it", async () => {
    const { runtime, session, napping, ended, late, paid, position } = await opened();
    const run = await runtime.runs.start(napping, undefined, { session_id: session.id });
    expect(await ended(run.id)).toMatchObject(late);
    expect(paid()).toBe(0);
    expect((await session.state()).document).toMatchObject({ count: 0 });
    expect(await position()).toMatchObject({ frames: [], last: { outcome: "failed", reason: "timeout" } });
  });

  it("does not go on with an event that comes after it", async () => {
    const { runtime, session, extension, clock, waiting, ended, statusOf, late, paid } = await opened();
    const run = await runtime.runs.start(waiting, undefined, { session_id: session.id });
    await expect.poll(() => statusOf(run.id)).toBe("waiting");
    clock.advance(1_000);
    await session.extension(extension).event("go");
    expect(await ended(run.id)).toMatchObject(late);
    expect(paid()).toBe(0);
  });

  it("does not begin when its turn begins after it", async () => {
    const { open, session, clock, paying, ended, late, paid } = await opened();
    const sender = await open(false);
    const run = await sender.runs.start(paying, undefined, { session_id: session.id });
    clock.advance(1_000);
    await session.send("Hello");
    expect(await ended(run.id)).toMatchObject(late);
    expect(paid()).toBe(0);
    expect((await session.messages()).at(-1)?.text).toBe("Certainly.");
  });

  it("does not complete when its output comes after it", async () => {
    const { runtime, paying, ended, late, emitFor, paid } = await opened();
    emitFor(2_000);
    const run = await runtime.runs.start(paying);
    expect(await ended(run.id)).toMatchObject(late);
    expect(paid()).toBe(1);
  });

  it("starts no call that is approved after it", async () => {
    const { runtime, session, clock, asking, ended, late, paid, position } = await opened();
    const run = await runtime.runs.start(asking, undefined, { session_id: session.id });
    await expect.poll(async () => (await session.pending()).calls.length).toBe(1);
    const { calls } = await session.pending();
    clock.advance(1_000);
    for (const call of calls) await session.approve(call);
    expect(await ended(run.id)).toMatchObject(late);
    expect(paid()).toBe(0);
    expect(await position()).toMatchObject({ frames: [], last: { outcome: "failed", reason: "timeout" } });
  });

  it("does all of it before its deadline", async () => {
    const { runtime, paying, ended, paid } = await opened();
    const run = await runtime.runs.start(paying);
    expect(await ended(run.id)).toMatchObject({ status: "completed", output: { ok: true } });
    expect(paid()).toBe(1);
  });
});
