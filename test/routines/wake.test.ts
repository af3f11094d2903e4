/** Sessions that wait for a time: one that cannot be woken does not keep the others waiting. */
import { expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, openStore, scripted, type Store } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";
import { started } from "../runtime/harness.ts";

it("wakes the other sessions when the commit of one fails, and that one once it works", async () => {
  const clock = fixedClock();
  const waiting = defineRoutine({
    ...{ id: "waiting", title: "W", conditions: [{ value: "state.message", equals: "start" }] },
    nodes: { wait: { wait: { seconds: 60 }, next: "late" }, late: { chat: { instructions: "It is late." }, next: "end" } },
  });
  const extension = routines({ routines: [waiting] });
  const state = defineState({ message: input(z.string()), ...routineFields() });
  const agent = defineAgent({ name: "shop", state, extensions: [extension], reply: loop({ model: scripted(() => "ok") }) });
  const inner = await openStore(":memory:", { clock });
  let broken: string | undefined;
  let failed = 0;
  const commit: Store["commit"] = async (given) => {
    if (given.session?.queue?.cause === "schedule" && given.session.session_id === broken) {
      failed++;
      throw new Error("This session cannot be written.");
    }
    return inner.commit(given);
  };
  const store = new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = name === "commit" ? commit : Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const runtime = await started({ agents: [agent], clock, store, pollMs: 20 });
  const first = await runtime.sessions.create({ agent: "shop" });
  await first.send("start");
  // The list of records begins with the earliest.
  clock.advance(10);
  const second = await runtime.sessions.create({ agent: "shop" });
  await second.send("start");
  broken = first.id;
  const nodeOf = async (session: typeof first): Promise<unknown> => (await session.extension(extension).position()).frames[0]?.node;
  await expect.poll(async () => (clock.advance(5_000), nodeOf(second))).toBe("late");
  expect(failed).toBeGreaterThan(0);
  expect(await nodeOf(first)).toBe("wait");
  broken = undefined;
  await expect.poll(async () => (clock.advance(5_000), nodeOf(first))).toBe("late");
});
