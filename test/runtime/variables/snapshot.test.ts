/** A turn sees the variables as of its start, whatever is written meanwhile, and however often it is taken up again. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  exportCustomer,
  importBundle,
  loop,
  scripted,
  stage,
  variable,
  variables,
  defineAgent,
  type Runtime,
  type Session,
  type Variable,
} from "../../../packages/throughline/src/index.ts";
import { fixedClock } from "../../../packages/throughline/src/testing.ts";
import { named, onlyPending } from "../approval/harness.ts";
import { collect, gate } from "../harness.ts";
import { calling } from "../loop/harness.ts";
import { counted, everywhere, kinds, knowing, runtimeOf, state, storeOf, told, values } from "./harness.ts";

const day = 24 * 3_600_000;

/** Changes what there is in every scope: other values, and names that come and go. */
async function changeAll(runtime: Pick<Runtime, "agents">, session: Session): Promise<void> {
  await session.setVariables({ set: { tier: "silver", fresh: 1 }, unset: ["n"] });
  await session.setVariables({ set: { here: 1, motto: "mine" } }, { scope: "session" });
  await runtime.agents.setVariables("a1", { set: { motto: "be quick" }, unset: ["hours"] });
}

const first = { hours: "9 to 5", motto: "be kind", n: 3, tier: "gold" };
const second = { fresh: 1, here: 1, motto: "mine", tier: "silver" };

async function setAll(runtime: Pick<Runtime, "agents">, session: Session): Promise<void> {
  await session.setVariables({ set: { tier: "gold", n: 3 } });
  await runtime.agents.setVariables("a1", { set: { motto: "be kind", hours: "9 to 5" } });
}

/** An agent that calls a tool and then answers, a model that keeps what it was asked. */
function calls(bound: readonly Variable[], run: () => Promise<string>, approval = false) {
  const model = scripted(({ messages }) => (messages.at(-1)?.role === "tool" ? "done" : calling(["work"])));
  const work = defineTool({
    name: "work",
    description: "Works.",
    parameters: z.object({}),
    effects: "idempotent",
    execute: run,
    ...(approval ? { approval: { when: () => "May I?", expiresMs: 20 * day } } : {}),
  });
  const options = { name: "a1", version: 1, state, sections: [variables], variables: bound, onMessageWhilePaused: "wait" } as const;
  return { model, agent: defineAgent({ ...options, reply: loop({ model, tools: [work] }) }) };
}

describe.each(kinds)("%s: a turn's variables", (kind) => {
  it("what is written while it runs is for the next one", async () => {
    const write: { run?: () => Promise<void> } = {};
    const { agent, model } = knowing([], { stages: [stage("write", { state, writes: [] }, async () => write.run?.())] });
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind) });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await setAll(runtime, session);
    write.run = () => changeAll(runtime, session);
    await session.send("hi");
    expect(values(model)).toEqual(first);
    write.run = async () => {};
    await session.send("hi");
    expect(values(model)).toEqual(second);
    const started = (await collect(session)).flatMap(({ data }) => ("type" in data && data.type === "started" ? [data.versions] : []));
    expect(started).toEqual([
      expect.objectContaining({ variables: 1, agent_variables: 1 }),
      expect.objectContaining({ variables: 2, session_variables: 1, agent_variables: 2 }),
    ]);
    expect(started[0]).not.toHaveProperty("session_variables");
  });

  it("a turn that waited for a person for days goes on with what it saw", async () => {
    const { bound, calls: asked } = counted("orders", (call) => call, { fresh: { maxAgeMs: 60_000 } });
    const { agent, model } = calls([bound], async () => "worked", true);
    const clock = fixedClock();
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind), clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await setAll(runtime, session);
    const { offset } = await session.send("hi");
    expect(values(model)).toEqual({ ...first, orders: 1 });
    clock.advance(3 * day);
    await changeAll(runtime, session);
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
    expect([values(model), asked()]).toEqual([{ ...first, orders: 1 }, 1]);
    expect((await session.send("next")).status).toBe("paused");
    expect([values(model), asked()]).toEqual([{ ...second, orders: 2 }, 2]);
  });

  it.each([true, false])("a turn that waited while its session was identified (carry: %s) sees the customer's", async (carry) => {
    const { agent, model } = calls([], async () => "worked", true);
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind) });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.setVariables({ set: { visits: 1 } });
    await session.setVariables({ set: { visits: 2 } });
    await session.setVariables({ set: { here: 1 } }, { scope: "session" });
    const { offset } = await session.send("hi");
    expect(values(model)).toEqual({ here: 1, visits: 2 });
    await session.setVariables({ set: { here: 2 } }, { scope: "session" });
    await runtime.customers.create({ id: "c1", variables: { tier: "gold" } });
    await session.identify({ customer: "c1", carry });
    await session.decide({ ...named(await onlyPending(session)), decision: "approve" });
    await session.outcome(offset);
    expect(values(model)).toEqual({ here: 1, tier: "gold", ...(carry ? { visits: 2 } : {}) });
  });
});

describe.each(everywhere)("%s: a turn whose process dies", (kind) => {
  it("is resumed with what it saw, and asks for nothing again", async () => {
    const began = gate();
    const hangs = { now: true };
    const { bound, calls: asked } = counted("orders", (call) => {
      if (call === 2) throw new Error("no orders");
      return call;
    });
    const { agent, model } = calls([bound], async () => {
      began.open();
      return hangs.now ? new Promise<never>(() => {}) : "worked";
    });
    const store = await storeOf(kind);
    const doomed = await runtimeOf({ agents: [agent], store });
    const session = await doomed.sessions.open({ agent: "a1", customer: "c1" });
    await setAll(doomed, session);
    hangs.now = false;
    await session.send("hi");
    hangs.now = true;
    const { offset } = await session.post("again");
    while (model.requests.length < 3) await new Promise((done) => setTimeout(done, 5));
    const before = told(model);
    expect(before).toEqual(['{"hours":"9 to 5","motto":"be kind","n":3,"orders":1,"tier":"gold"}', expect.stringContaining('["orders"]')]);
    await changeAll(doomed, session);
    await session.setVariables({ set: { orders: "new" } });
    hangs.now = false;
    await doomed.close({ drainMs: 0 });
    const heir = await runtimeOf({ agents: [agent], store });
    expect(await (await heir.sessions.get(session.id)).outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
    expect(told(model)).toEqual(before);
    expect(asked()).toBe(2);
    const ended = (await collect(session)).flatMap(({ data }) => ("type" in data && data.type === "ended" ? [data.diagnostics] : []));
    expect(ended.at(-1)).toMatchObject({ refresh_timings: { orders: expect.any(Number) as number } });
  });
});

describe("a turn that was imported", () => {
  it("goes on with what came with it", async () => {
    const { agent, model } = calls([], async () => "worked", true);
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    for (const n of [1, 2, 3]) await session.setVariables({ set: { n } });
    const { offset } = await session.send("hi");
    const store = await storeOf("memory");
    await importBundle(store, exportCustomer(runtime.store, "c1"), { keepIds: true });
    const elsewhere = await runtimeOf({ agents: [agent], store });
    const imported = await elsewhere.sessions.get(session.id);
    await imported.decide({ ...named(await onlyPending(imported)), decision: "approve" });
    expect(await imported.outcome(offset)).toMatchObject({ status: "completed", reply: "done" });
    expect(values(model)).toEqual({ n: 3 });
  });
});

describe("a turn that never began", () => {
  it("says which variables there were", async () => {
    const { agent } = knowing([variable("tier", { description: "gold or none" })]);
    const runtime = await runtimeOf({ agents: [agent], work: false });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await setAll(runtime, session);
    await session.setVariables({ set: { here: 1 } }, { scope: "session" });
    await session.post("hi");
    await session.stop();
    const started = (await collect(session)).flatMap(({ data }) => ("type" in data && data.type === "started" ? [data.versions] : []));
    expect(started).toEqual([expect.objectContaining({ variables: 1, session_variables: 1, agent_variables: 1 })]);
  });
});
