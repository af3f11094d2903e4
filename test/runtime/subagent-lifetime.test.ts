/** Child agents end with the call that they work for, outlive their process, and belong to whom their parent does. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createRuntime,
  defineTool,
  exportCustomer,
  exportSession,
  importBundle,
  loop,
  scripted,
  type Session,
} from "../../packages/throughline/src/index.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { collect, emptyStore, gate, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";
import { askOnce, childOf, childOfOnly, conversation, family, held, returnedOf } from "./subagent-harness.ts";

describe("the end of a call", () => {
  test.each([
    ["stop", async (session: Session) => void (await session.stop("enough"))],
    ["a person who takes over", (session: Session) => session.setMode("manual")],
    ["a withdrawal", (session: Session) => session.withdraw({ from: 1 })],
  ])("by %s ends the child's turn", async (_name, end) => {
    const { session, child, aborted, runtime } = await held();
    const sending = session.send("go");
    const its = await child();
    await end(session);
    expect((await sending).status).not.toBe("completed");
    expect(await its.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
    const events = await collect(its);
    expect(events.at(-1)?.data).toMatchObject({ type: "ended", outcome: { status: "stopped", reason: "user_requested" } });
    await expect.poll(aborted).toBe(1);
    await runtime.close({ drainMs: 0 });
  });

  test("from another process ends the child's turn", async () => {
    const store = await emptyStore("sqlite");
    const { session, child } = await held({ store });
    const sending = session.send("go");
    const its = await child();
    const other = await createRuntime({ store, agents: [family({ parent: [] }).agent], work: false });
    onTestFinished(() => other.close());
    await (await other.sessions.get(session.id)).stop();
    expect(await sending).toMatchObject({ status: "stopped" });
    expect(await its.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
  });

  test("by a stop of the child's own session is a success with what there is", async () => {
    const { session, child, model } = await held();
    const sending = session.send("go");
    await (await child()).stop("not now");
    expect(await sending).toMatchObject({ status: "completed", reply: "done" });
    expect(returnedOf(await collect(session))).toMatchObject([
      { result: { type: "ok", value: { reply: null, status: "stopped", reason: "user_requested" } } },
    ]);
    expect(model.requests).toHaveLength(2);
  });

  test("by its time limit is an error which the model reads, and the child's turn ends", async () => {
    const { session, child } = await held({ tool: { timeoutMs: 150 } });
    const sending = session.send("go");
    const its = await child();
    expect(await sending).toMatchObject({ status: "completed", reply: "done" });
    expect(returnedOf(await collect(session))).toMatchObject([{ child: its.id, result: { type: "error", error: { code: "timeout" } } }]);
    expect(await its.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
  });

  test("by the parent's budget of time stops both", async () => {
    const { session, child } = await held({ parentAgent: { budget: { seconds: 0.2 } }, childAgent: { budget: {} } });
    const sending = session.send("go");
    const its = await child();
    expect(await sending).toMatchObject({ status: "stopped", reason: "time_limit" });
    expect(await its.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
  });

  test("that the child's session is erased is an error which the model reads", async () => {
    const { session, child, runtime } = await held();
    const sending = session.send("go");
    await runtime.sessions.delete((await child()).id);
    expect(await sending).toMatchObject({ status: "completed", reply: "done" });
    expect(returnedOf(await collect(session))).toMatchObject([{ result: { type: "error" } }]);
  });
});

describe("after a crash", () => {
  test.each(["memory", "sqlite"] as const)("on %s, child and parent go on, and nothing is asked twice", async (kind) => {
    const store = await emptyStore(kind);
    const first = await held({ store });
    const sending = first.session.send("go");
    sending.catch(() => {});
    const its = await first.child();
    await first.runtime.close({ drainMs: 0 });
    await expect(sending).rejects.toMatchObject({ code: "aborted" });
    expect((await its.pending()).turns).toHaveLength(1);

    const second = await conversation({ store, parent: askOnce("done", "x"), child: () => "found after all" });
    const session = await second.runtime.sessions.get(first.session.id);
    expect(await session.outcome(1)).toMatchObject({ status: "completed", reply: "done" });
    const events = await collect(session);
    expect(returnedOf(events)).toMatchObject([{ child: its.id, result: { value: { reply: "found after all" } }, spent: { steps: 1 } }]);
    expect((await second.runtime.sessions.list({ labels: ["subagent"] })).total).toBe(1);
    expect((await collect(await second.runtime.sessions.get(its.id))).filter(({ source }) => source === "customer")).toHaveLength(1);
    expect([first.model.requests.length, second.model.requests.length]).toEqual([1, 1]);
  });

  test.each([
    ["waits for it in the same process", true],
    ["is left behind", false],
  ])("each answer that a child gets counts for its parent, which %s", async (_what, together) => {
    const store = await emptyStore("memory");
    const first = await held({ store });
    const sending = first.session.send("go");
    sending.catch(() => {});
    await first.child();
    await first.runtime.close({ drainMs: 0 });
    const { id: session_id } = first.session;
    const attempts = async (): Promise<number | undefined> => (await store.load({ session_id }))?.turns[0]?.attempts;
    for (let lost = together ? 1 : 2; lost > 0; lost--) {
      await store.claim({ kind: "session", session_id, worker: "elsewhere/1/x", lease_ms: 1 });
      await delay(5);
    }
    const [reached, open] = [gate(), gate()];
    const look = defineTool({ name: "look", description: "Looks.", effects: "none", execute: () => "seen" });
    const model = scripted(({ messages }) => {
      let pieces = 0;
      const wait = async (): Promise<void> => (pieces++ === 0 ? undefined : (reached.open(), open.opened));
      return messages.at(-1)?.role === "tool" ? { text: ["found ", "it"], wait } : { text: "Let me see.", ...calling(["look"]) };
    });
    const reply = loop({ model, tools: [look] });
    const { agent } = family({ parent: askOnce("done", "x"), childAgent: { reply } });
    const second = await started({ store, agents: [together ? agent : childOf(model, { reply })] });
    await reached.opened;
    await expect.poll(attempts).toBe(1);
    open.open();
    if (together) expect(await (await second.sessions.get(session_id)).outcome(1)).toMatchObject({ reply: "done" });
  });

  test("a child that was finished meanwhile is taken as it is", async () => {
    const store = await emptyStore("memory");
    const first = await held({ store });
    const sending = first.session.send("go");
    sending.catch(() => {});
    const its = await first.child();
    await first.runtime.close({ drainMs: 0 });
    // Only the child's agent is there for a while.
    const { childModel, agent } = family({ parent: askOnce("done", "x"), child: () => "done alone" });
    const children = await started({ store, agents: [childOf(childModel)] });
    await expect.poll(async () => (await its.pending()).turns).toEqual([]);
    await children.close();
    const last = await started({ store, agents: [agent] });
    expect(await (await last.sessions.get(first.session.id)).outcome(1)).toMatchObject({ reply: "done" });
    expect(childModel.requests).toHaveLength(1);
    expect(returnedOf(await collect(first.session))).toMatchObject([{ result: { value: { reply: "done alone" } } }]);
  });

  test("of which nobody has taken the parent up, a stop of the parent ends the child all the same", async () => {
    const store = await emptyStore("memory");
    const first = await held({ store });
    const sending = first.session.send("go");
    sending.catch(() => {});
    const its = await first.child();
    await first.runtime.close({ drainMs: 0 });
    const idle = await started({ store, agents: [family({ parent: [] }).agent], work: false });
    await (await idle.sessions.get(first.session.id)).stop();
    expect(await its.pending()).toMatchObject({ turns: [], waiting: [], calls: [] });
  });
});

test("a parent that waits for its child here is not woken when that ends", async () => {
  const below = await emptyStore("memory");
  let wakes = 0;
  const store: typeof below = {
    ...forwarding(below),
    commit: (commit) => ((wakes += commit.session?.wake === true && commit.session.events === undefined ? 1 : 0), below.commit(commit)),
  };
  const { session } = await conversation({ store, parent: askOnce("done", "x") });
  expect(await session.send("go")).toMatchObject({ reply: "done" });
  expect(wakes).toBe(0);
});

describe("children at the same time", () => {
  test("run side by side, in one place of the worker, and their results come in the order of the calls", async () => {
    const gates = [gate(), gate()];
    const made = family({
      parent: askOnce("done", "first", "second"),
      child: (request) => {
        const first = request.messages.some(({ text }) => text === "first");
        return { text: first ? "one" : "two", wait: () => gates[first ? 0 : 1]?.opened ?? Promise.resolve() };
      },
      tool: { outputsToState: { findings: {} } },
    });
    const runtime = await started({ agents: [made.agent], concurrency: 1 });
    const session = await runtime.sessions.create({ agent: "desk" });
    const sending = session.send("go");
    await expect.poll(() => made.childModel.requests.length, { interval: 5 }).toBe(2);
    gates[1]?.open();
    await delay(20);
    gates[0]?.open();
    expect(await sending).toMatchObject({ reply: "done" });
    expect((await session.state()).document).toMatchObject({ findings: ["one", "two"] });
    expect(new Set(returnedOf(await collect(session)).map(({ child }) => child)).size).toBe(2);
  });
});

describe("the sessions of children", () => {
  test("are in no list unless they are asked for, and nobody gives or takes their label", async () => {
    const { session, runtime } = await conversation({ parent: askOnce("done", "x") });
    await session.send("go");
    const { id, child } = await childOfOnly(runtime, session);
    const { sessions } = runtime;
    expect((await sessions.list()).items.map((info) => info.id)).toEqual([session.id]);
    expect((await sessions.list()).total).toBe(1);
    expect((await sessions.list({ children: true })).total).toBe(2);
    expect((await sessions.list({ labels: ["subagent"] })).items.map((info) => info.id)).toEqual([id]);
    expect((await sessions.list({ agent: "researcher" })).total).toBe(0);
    await expect(child.setLabels({ remove: ["subagent"] })).rejects.toMatchObject({ code: "session.invalid" });
    await expect(sessions.create({ agent: "desk", labels: ["subagent"] })).rejects.toMatchObject({ code: "session.invalid" });
    expect((await child.info()).metadata).toMatchObject({ values: {} });
  });

  test("belong to the parent's customer, and go with the parent and with the customer", async () => {
    const { agent } = family({ parent: askOnce("done", "x") });
    const runtime = await started({ agents: [agent] });
    const one = await runtime.sessions.open({ agent: "desk", customer: "crm-1" });
    await one.send("go");
    const { id, child } = await childOfOnly(runtime, one);
    expect(await child.info()).toMatchObject({ customer_id: "crm-1" });
    await runtime.sessions.delete(one.id);
    await expect(runtime.sessions.get(id)).rejects.toMatchObject({ code: "session.not_found" });

    const two = await runtime.sessions.open({ agent: "desk", customer: "crm-1" });
    await two.send("go");
    const { id: second } = await childOfOnly(runtime, two);
    await runtime.customers.delete("crm-1");
    await expect(runtime.sessions.get(second)).rejects.toMatchObject({ code: "session.not_found" });
  });

  test("of an anonymous parent that is identified meanwhile are that customer's too", async () => {
    const { session, child, go } = await held();
    const sending = session.send("go");
    const its = await child();
    await session.identify({ customer: "crm-9" });
    go();
    expect(await sending).toMatchObject({ reply: "done" });
    expect(await its.info()).toMatchObject({ customer_id: "crm-9" });
  });

  test("stay when a fork of the parent goes, and are not the fork's when the parent does", async () => {
    const { session, runtime } = await conversation({ parent: askOnce("done", "x") });
    await session.send("go");
    const { id } = await childOfOnly(runtime, session);
    const fork = await session.fork();
    const other = await session.fork();
    await runtime.sessions.delete(fork.id);
    expect(await (await runtime.sessions.get(id)).info()).toMatchObject({ agent: "researcher" });
    await runtime.sessions.delete(session.id);
    await expect(runtime.sessions.get(id)).rejects.toMatchObject({ code: "session.not_found" });
    expect(returnedOf(await collect(other))).toMatchObject([{ child: id, result: { value: { reply: "found it" } } }]);
  });

  test("are never cut, go with a parent whose log was, and go by themselves when they are old", async () => {
    const { session, runtime } = await conversation({ parent: askOnce("done", "x") });
    await session.send("go");
    const { child } = await childOfOnly(runtime, session);
    await session.send("again");
    await runtime.retain({ keepEvents: 1 });
    const kept = await runtime.store.open({ session_id: session.id });
    expect(kept?.first_offset).toBeGreaterThan(10);
    expect(await collect(child)).toHaveLength((await child.info()).head + 1);
    await runtime.sessions.delete(session.id);
    expect((await runtime.sessions.list({ children: true })).total).toBe(0);

    const other = await runtime.sessions.create({ agent: "desk" });
    await other.send("go");
    await delay(5);
    await runtime.retain({ olderThanMs: 1 });
    expect((await runtime.sessions.list({ children: true })).items.map(({ id }) => id)).toEqual([other.id]);
  });

  test("can be talked to afterwards, and a fork of one is no child", async () => {
    const { session, runtime } = await conversation({ parent: askOnce("done", "x") });
    await session.send("go");
    const { child } = await childOfOnly(runtime, session);
    expect(await child.send("and then?")).toMatchObject({ status: "completed", reply: "found it" });
    const fork = await child.fork();
    expect(await fork.send("here?")).toMatchObject({ status: "completed" });
    expect((await runtime.sessions.list()).items.map(({ id }) => id)).toContain(fork.id);
  });
});

test("an export of a customer holds the children, and an import brings them back as what they are", async () => {
  const { agent } = family({ parent: askOnce("done", "x") });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.open({ agent: "desk", customer: "crm-1" });
  await session.send("go");
  const { id } = await childOfOnly(runtime, session);
  const lines = await Array.fromAsync(exportCustomer(runtime.store, "crm-1"));
  const target = await started({ agents: [agent] });
  await importBundle(target.store, lines, { keepIds: true });
  expect((await target.sessions.list()).items.map((info) => info.id)).toEqual([session.id]);
  const child = await target.sessions.get(id);
  expect((await child.messages()).map(({ text }) => text)).toEqual(["x", "found it"]);
  await target.sessions.delete(session.id);
  expect((await target.sessions.list({ children: true })).total).toBe(0);
});

test("a copy of a parent beside it has nothing to say about the original's children", async () => {
  const { session, runtime } = await conversation({ parent: askOnce("done", "x") });
  await session.send("go");
  const { id, child } = await childOfOnly(runtime, session);
  const lines = await Array.fromAsync(exportSession(runtime.store, session.id));
  const { sessions } = await importBundle(runtime.store, lines);
  await runtime.sessions.delete(sessions[session.id] ?? "");
  expect(await child.info()).toMatchObject({ id });
});
