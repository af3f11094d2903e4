/** Timers of waits follow the position: after a withdrawal, and in a session that an operator has had. */
import { expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, openStore, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";

async function waiting() {
  const clock = fixedClock();
  const routine = defineRoutine({
    ...{ id: "waiting", title: "W", conditions: [{ value: "state.message", equals: "start" }] },
    nodes: { hold: { wait: { seconds: 60 }, next: "late" }, late: { chat: { instructions: "It is late." }, next: "end" } },
  });
  const extension = routines({ routines: [routine] });
  const state = defineState({ message: input(z.string()), ...routineFields() });
  const agent = defineAgent({ name: "shop", state, extensions: [extension], reply: loop({ model: scripted(() => "ok") }) });
  const store = await openStore(":memory:", { clock });
  const runtime = await started({ agents: [agent], clock, store, pollMs: 20 });
  const session = await runtime.sessions.create({ agent: "shop" });
  await session.send("start");
  const nodeOf = async (of = session) => (await of.extension(extension).position()).frames[0]?.node;
  const turns = async () => (await session.turns()).items.length;
  const records = async () => (await store.list({ of: "records", kind: "routine.wake" })).items.length;
  /** Lets the clock go on, and the workers poll. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { session, clock, nodeOf, turns, records, pass };
}

it("fires again when its turn is withdrawn, at once if its time has passed", async () => {
  const { session, nodeOf, turns, pass } = await waiting();
  const [start] = await session.history();
  const from = (start?.offset ?? 0) + 1;
  await pass(61);
  await expect.poll(() => nodeOf()).toBe("late");
  await session.withdraw({ from });
  expect(await nodeOf()).toBe("hold");
  await expect.poll(async () => (await pass(1), nodeOf())).toBe("late");
  const many = await turns();
  await pass(70);
  expect(await turns()).toBe(many);
});

it("keeps its time when a later message is withdrawn", async () => {
  const { session, nodeOf, pass } = await waiting();
  const [start] = await session.history();
  await session.send("Well?");
  await session.withdraw({ from: (start?.offset ?? 0) + 1 });
  await pass(30);
  expect(await nodeOf()).toBe("hold");
  await pass(31);
  await expect.poll(() => nodeOf()).toBe("late");
});

it("fires once in a session that an operator had at its time, and only then", async () => {
  const { session, nodeOf, turns, records, pass } = await waiting();
  await session.setMode("manual");
  const before = await turns();
  await pass(200);
  expect(await nodeOf()).toBe("hold");
  expect(await records()).toBe(1);
  await session.setMode("auto");
  await expect.poll(async () => (await pass(5), nodeOf()), { timeout: 10_000 }).toBe("late");
  expect(await turns()).toBe(before + 1);
  await pass(70);
  expect(await records()).toBe(0);
  expect(await turns()).toBe(before + 1);
});

it("is kept by a fork", async () => {
  const { session, nodeOf, turns, pass } = await waiting();
  const fork = await session.fork();
  await pass(30);
  expect([await nodeOf(), await nodeOf(fork)]).toEqual(["hold", "hold"]);
  await pass(31);
  await expect.poll(async () => [await nodeOf(), await nodeOf(fork)]).toEqual(["late", "late"]);
  expect(await turns()).toBe(2);
});

it("of a fork that is made after its time counts with the fork's first turn", async () => {
  const { session, clock, nodeOf, pass } = await waiting();
  const [start] = await session.history();
  await pass(61);
  await expect.poll(() => nodeOf()).toBe("late");
  const fork = await session.fork({ at: start?.offset ?? 0 });
  clock.advance(60_000);
  await pass(10);
  expect(await nodeOf(fork)).toBe("hold");
  await fork.send("Well?");
  expect(await nodeOf(fork)).toBe("late");
});
